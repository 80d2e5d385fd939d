# One example as learners see it: only numbers, whatever the user passed.

from libc.stdint cimport int32_t, uint32_t


cdef extern from "simd.h" nogil:
    double onstream_dot(const double* a, const double* b, Py_ssize_t n)
    double onstream_gather_dot(const double* v, const int32_t* ids, const double* values, Py_ssize_t n)
    void onstream_axpy(double* w, const double* x, double step, Py_ssize_t n)
    void onstream_scatter(double* w, const int32_t* ids, const double* x, double step, Py_ssize_t n)
    void onstream_scores(double* out, const double* v, const int32_t* ids, const double* x,
                         Py_ssize_t n, Py_ssize_t k, Py_ssize_t stride)
    void onstream_rank_one(double* v, const int32_t* ids, const double* x, const double* step,
                           Py_ssize_t n, Py_ssize_t k, Py_ssize_t stride)
    double onstream_peak(const double* x, Py_ssize_t n)
    double onstream_ceiling(const double* x, Py_ssize_t n)
    const double SAFE "ONSTREAM_SAFE"  # bound of all numbers of a state, so that sums cannot overflow
    Py_ssize_t onstream_falls(const int32_t* ids, Py_ssize_t n, uint32_t* top)


cdef struct Example:
    const int32_t* ids    # feature of each value, no feature twice; NULL: features 0, 1, ..., n-1
    const double* values  # finite; NaN means missing, where the learner takes that
    const int32_t* codes  # code of each nominal value, or UNSEEN; of a number, NUMBER. NULL: all numbers
    Py_ssize_t n          # number of values
    double peak           # no |value| is larger
    Py_ssize_t width      # features known once this example is learned
    Py_ssize_t named      # bytes of their names and nominal values, if the encoder counts them
    int32_t label         # classifier: index of the label, in order of appearance
    double y              # regressor: the target; classifier with two labels: -1 or +1
    double weight         # importance, > 0


cdef enum:
    NUMBER = -1  # codes: not nominal
    UNSEEN = -2  # codes: a nominal value that was never learned


cdef enum:
    LEARNED = 0     # State.learn succeeded; State.score has set a score
    OVERFLOW = 1    # a number would leave the range of a double; nothing was changed
    NO_MEMORY = -2  # the allocator refused; nothing was changed
    FAILED = -3     # a function of the user has raised (State.refusal); nothing was changed


cdef inline Py_ssize_t feature(const Example* e, Py_ssize_t i) noexcept nogil:
    """The feature of value i."""
    return e.ids[i] if e.ids != NULL else i


cdef inline double sqnorm(const Example* e) noexcept nogil:
    """Squared Euclidean norm of the example, without an intercept."""
    return onstream_dot(e.values, e.values, e.n)
