from libc.stdint cimport int32_t

from .encoder cimport Encoder
from .example cimport Example
from .state cimport State

cdef struct Pool:
    int32_t* ids        # features of a transformed example
    int32_t* codes      # their nominal values
    double* values      # their values; the one allocation of all three arrays begins here
    Py_ssize_t n        # number of values
    Py_ssize_t part     # the part of a union that is being collected


cdef bint fill_pool(Pool* pool, Py_ssize_t room) noexcept nogil


cdef class TransformerState(State):
    cdef TransformerState next   # the step after this one; None: this is the last
    cdef TransformerState sibling  # the next part of a union; it gets the same examples
    cdef Encoder output_features  # features that this step makes; None: it keeps those it gets
    cdef bint wants_nan          # as a first step: NaN is a missing value
    cdef bint constant           # no example changes what comes out of another
    cdef Pool out                # the transformed example, while learning
    cdef Py_ssize_t out_room

    # What a kind of transformer adds. `transform` writes at most `most(n)` features for n.
    cdef Py_ssize_t most(self, Py_ssize_t n) noexcept nogil
    cdef int transform(self, const Example* e, Example* out, Pool* pool) noexcept nogil
    cdef Py_ssize_t width_out(self, Py_ssize_t width) noexcept nogil
    cdef void undo(self) noexcept nogil
    cdef Encoder own_encoder(self, str who)

    # From step to step, and out of the last.
    cdef int pass_score(self, const Example* e, State last, double* out) noexcept nogil
    cdef int pass_learn(self, const Example* e, State last) noexcept nogil
    cdef int pass_score_learn(self, const Example* e, State last, double* out) noexcept nogil
    cdef bint make_out(self, Py_ssize_t room) noexcept nogil
    cdef Py_ssize_t pass_room(self, Py_ssize_t width) except -1
    cdef Py_ssize_t pass_shrink(self, Py_ssize_t width) except -1
    cdef int apply(self, const Example* e, Example* out, Pool* pool) noexcept nogil
    cdef void pass_undo(self) noexcept nogil
    cdef Py_ssize_t pass_most(self, Py_ssize_t n) noexcept nogil
    cdef int collect_into(self, const Example* e, TransformerState last, Pool* pool) noexcept nogil
    cdef int collect_all(self, const Example* e, TransformerState union, Pool* pool) noexcept nogil
    cdef void renumber(self, Pool* pool, Py_ssize_t start) noexcept nogil
    cdef int learn_all(self, const Example* e) noexcept nogil
    cdef void undo_all(self) noexcept nogil
    cdef Encoder last_features(self)
    cdef object name_out(self, int32_t id)
    cdef Py_ssize_t most_all(self, Py_ssize_t n) noexcept nogil


cdef Py_ssize_t collect(TransformerState front, TransformerState last, const Example* e, Pool* pool) except -1
