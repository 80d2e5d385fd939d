# The search for the best split of a node: one candidate per feature, the best of its cuts.

from libc.stdint cimport int32_t

from .arena cimport Arena
from .criteria cimport Criterion


cdef struct Split:
    int32_t feature    # NONE: the null split, which changes nothing
    double threshold   # left if x <= threshold; of nominal values, if x is this code
    bint nominal
    bint by_value      # nominal: one branch for each value
    double gain


cdef struct Scratch:   # room for the counts of every label, for the search
    double* parent
    double* left
    double* right
    int32_t* present   # labels that have values
    Py_ssize_t room


cdef inline bint has_gain(const Split* s) noexcept nogil:
    """Is the gain more than rounding?"""
    return s.gain > 1e-10


cdef inline int32_t branches_of(Arena* a, const Split* s) noexcept nogil:
    """How many branches the split has."""
    return a.codes[s.feature] if s.by_value else 2


cdef int make_scratch(Scratch* s, Py_ssize_t labels) except -1
cdef void free_scratch(Scratch* s) noexcept
cdef Py_ssize_t scratch_bytes(const Scratch* s) noexcept

cdef Split null_split() noexcept nogil
cdef Split best_split(
    Arena* a, int32_t node, int32_t feature, const Criterion* criterion, double least, Scratch* s) noexcept nogil
cdef void branch_counts(
    Arena* a, int32_t node, const Split* split, int32_t branch, Py_ssize_t k, double* out) noexcept nogil
cdef Py_ssize_t labels_at(Arena* a, int32_t node) noexcept nogil
