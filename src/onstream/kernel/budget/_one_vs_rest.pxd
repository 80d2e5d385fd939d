# A BudgetMachine's words, besides its own below. Of the example being learned: `row` (its kernel with
# every support), `self_k` (its kernel with itself). Of f: `a` (coefficients), `s` (supports, `s.n` of
# them), `budget` (most of them).

from ...core.example cimport Example
from .._expansion cimport Expansion
from .._state cimport KernelClassifierState


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
    cdef BudgetMachine copy(self)


cdef class OneVsRestState(KernelClassifierState):
    cdef object kind          # class of the machines
    cdef tuple parameters     # of the machines
    # `expansions` are the machines: one up to two labels, one per label beyond.
    cdef list before          # the single machine, until the third label is committed
    cdef void** each          # the same, for use without the GIL
    cdef Py_ssize_t k         # how many
    cdef Py_ssize_t room      # how many fit
    cdef double* f            # scores of the example being learned

    cdef BudgetMachine machine(self)
    cdef int set_machines(self, list machines) except -1
