# What a node learns and predicts: tables, majority, naive Bayes, and the better of the two.

from libc.stdint cimport int32_t

from .arena cimport Arena, View


cdef enum LeafRule:
    MC    # majority
    NB    # naive Bayes
    NBA   # whichever had more hits at this leaf; the majority on ties


cdef int prepare(Arena* a, int32_t node, const View* v, int32_t label) noexcept nogil
cdef void observe(Arena* a, int32_t node, const View* v, int32_t label, double w) noexcept nogil
cdef void forget(Arena* a, int32_t node, const View* v, int32_t label, double w) noexcept nogil
cdef bint naive_bayes(
    Arena* a, int32_t node, const View* v, Py_ssize_t k, bint learning, double* out) noexcept nogil
cdef void majority(Arena* a, int32_t node, Py_ssize_t k, double* out) noexcept nogil
cdef void answer(
    Arena* a, int32_t node, const View* v, LeafRule rule, Py_ssize_t k, double* out) noexcept nogil
cdef int32_t above(Arena* a, int32_t node, int32_t r, int32_t s) noexcept nogil
cdef int32_t choose(const double* votes, Py_ssize_t k, int32_t tie) noexcept nogil
