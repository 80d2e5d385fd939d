# What a block of questions can leave out: the least distances from many questions to the examples of
# a tile, cheaper by far than the distances.

cdef enum:
    ASKED = 4          # questions that are multiplied at a time
    GROUP = 16         # examples that are kept or left out together
    FEWEST = 4         # questions for which it pays
    NARROWEST = 16     # numbers of an example for which it pays
    WIDEST = 1 << 16   # and for which its slack was reckoned


cdef struct Sieve:
    Py_ssize_t d            # numbers of each
    const double* origin    # from where they are seen, so that they are small
    const double* factor    # of each column
    float* questions        # four together, there feature by feature
    float* points           # of a tile: sixteen together, there feature by feature
    double* squares         # of questions: squared lengths
    double points_squares[64]
    float products[64]      # of four questions and sixteen points


cdef int sieve_make(
    Sieve* s, Py_ssize_t d, Py_ssize_t n, const double* origin, const double* factor) noexcept nogil
cdef void sieve_free(Sieve* s) noexcept nogil
cdef void sieve_ask(Sieve* s, Py_ssize_t i, const double* x) noexcept nogil
cdef void sieve_take(Sieve* s, const double* tile) noexcept nogil
cdef void sieve_multiply(Sieve* s, Py_ssize_t i, Py_ssize_t group) noexcept nogil
cdef bint sieve_holds(const Sieve* s, Py_ssize_t i, Py_ssize_t group, double limit) noexcept nogil
