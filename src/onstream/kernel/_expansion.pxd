from ..core.example cimport Example
from ._supports cimport Supports


cdef class Expansion:
    cdef Supports s             # shared by all rows of coefficients
    cdef Py_ssize_t budget      # most supports; 0: any number
    cdef Py_ssize_t room        # supports that `a` and `row` have room for
    cdef Py_ssize_t k           # coefficients of a support: 1, or one per label
    cdef Py_ssize_t label_room  # and how many there is room for
    cdef bint by_label          # they are saved as a table, even if there is one row
    cdef double* a              # label-major: that of support i for label r is a[r * room + i]
    cdef double* before         # the single coefficients, until the third label is committed
    cdef double* row            # kernel row of the example being learned
    cdef double length          # its squared length
    cdef double self_k          # its kernel with itself

    cdef int score(self, const Example* e, double* out) noexcept nogil
    cdef bint score_for_update(self, const Example* e, double* out) noexcept nogil
    cdef bint vanishes(self) noexcept nogil
    cdef Py_ssize_t next_slot(self) noexcept nogil
    cdef void placed(self, Py_ssize_t slot) noexcept nogil
    cdef int store(self, const Example* e, const double* tau) noexcept nogil
    cdef bint grow(self, Py_ssize_t supports, const Example* e) noexcept nogil
    cdef int set_rows(self, Py_ssize_t k, double part) except -1
    cdef int commit_label(self) except -1


cdef double kernel_sum(const double* row, const double* a, Py_ssize_t n) noexcept nogil
