from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from ..core.example cimport Example
from ..tree.arena.arena cimport View
from ._committee cimport RowBlock
from ._member cimport Member


cdef class Chain(Member):
    cdef list boosters        # stage by stage, `bag` of each
    cdef void** at            # the same, for loops without the GIL
    cdef readonly Py_ssize_t stages
    cdef Py_ssize_t bag       # trees of a stage, whose mean is its answer
    cdef double rate          # share of it that is added
    cdef double share         # of the features that a stage sees
    cdef int32_t label        # that it tells from the others; NONE: it predicts numbers
    cdef int64_t seen         # examples learned
    cdef int32_t first        # features there were at the first of them
    cdef double* sums         # of the block: what the stages so far say of each row, once learned,
    cdef uint8_t* lost        # and whether it could not learn it
    cdef uint64_t* names      # hash of each feature's name
    cdef uint8_t* hidden      # of each feature and stage: it does not see it
    cdef Py_ssize_t room      # features with room in both
    cdef Py_ssize_t n_names
    cdef bint some_hidden
    cdef bint marked          # a tree was replaced in this block

    cdef void keep_to(self, Py_ssize_t max_bytes) noexcept
    cdef bint fits(self, Py_ssize_t max_bytes) noexcept
    cdef void begin(self, const Example* e) noexcept
    cdef int find_hidden(self, Py_ssize_t start) except -1
    cdef bint open(self, const Example* e, Py_ssize_t stage, View* v) noexcept nogil
    cdef double target(self, const Example* e, double sum) noexcept nogil
    cdef void write_vote(self, double sum, double* out) noexcept nogil
    cdef int teach(self, const Example* e, uint64_t t, Py_ssize_t stage, Py_ssize_t row, double* said) noexcept nogil
    cdef int add(self, const Example* e, Py_ssize_t stage, double* said) noexcept nogil
    cdef void pass_rows(
        self, RowBlock* b, double* votes, Py_ssize_t stage, Py_ssize_t stop, Py_ssize_t first, Py_ssize_t last
    ) noexcept nogil
