# A BudgetMachine's words, besides its own below. Of the example being learned: `row` (its kernel with
# every support), `self_k` (its kernel with itself). Of f: `a` (coefficients), `s` (supports, `s.n` of
# them), `budget` (most of them).

from ...core.example cimport Example
from .._expansion cimport Expansion


cdef class BudgetMachine(Expansion):
    cdef tuple parameters     # what it was made with, but for the kernel
    cdef bint pending         # `commit` has something to do
    cdef double tau           # planned: coefficient of the new support
    cdef double* other        # room for another kernel row

    cdef int plan(self, const Example* e, double y, double* f) noexcept nogil
    cdef int decide(self, const Example* e, double y, double f) noexcept nogil
    cdef void commit(self, const Example* e) noexcept nogil
    cdef bint make_room(self, const Example* e) noexcept nogil
    cdef void place(self, Py_ssize_t slot, const Example* e, double coefficient) noexcept nogil
    cdef double f_at(self, Py_ssize_t i) noexcept nogil
    cdef void negate(self) noexcept nogil
    cdef void renew(self) noexcept nogil
    cdef BudgetMachine copy(self)
