from ..core.example cimport Example
from ..core.state cimport ClassifierState, Output, RegressorState, State
from .supports cimport Program, Supports


cdef class KernelClassifierState(ClassifierState):
    cdef Supports s           # shared by all labels
    cdef Py_ssize_t budget    # most supports; 0: any number
    cdef Py_ssize_t k         # coefficients of a support: 1, or one per label
    cdef Py_ssize_t room      # supports that `a` and `row` have room for
    cdef Py_ssize_t label_room
    cdef double* a            # label-major: that of support i for label r is a[r * room + i]
    cdef double* before       # the single coefficients, until the third label is settled
    cdef double* row          # kernel row of the example being learned
    cdef double* f            # its scores
    cdef double* steps        # its coefficients, once it is a support
    cdef double length        # its squared length
    cdef double self_k        # its kernel with itself

    cdef int update(self, const Example* e, const double* f) noexcept nogil
    cdef int store(self, const Example* e) noexcept nogil
    cdef Py_ssize_t slot(self) noexcept nogil
    cdef void placed(self, Py_ssize_t slot) noexcept nogil
    cdef bint make_room(self, Py_ssize_t supports, const Example* e) noexcept nogil


cdef class KernelRegressorState(RegressorState):
    cdef Supports s
    cdef Py_ssize_t budget
    cdef Py_ssize_t room
    cdef double* a
    cdef double* row
    cdef double length
    cdef double self_k

    cdef int update(self, const Example* e, double f) noexcept nogil
    cdef int store(self, const Example* e, double step) noexcept nogil
    cdef Py_ssize_t slot(self) noexcept nogil
    cdef void placed(self, Py_ssize_t slot) noexcept nogil
    cdef bint make_room(self, Py_ssize_t supports, const Example* e) noexcept nogil


cdef class Machine:
    cdef tuple arguments      # what it was made with, but for the kernel
    cdef Supports s
    cdef Py_ssize_t budget
    cdef Py_ssize_t room      # places of the arrays below
    cdef double* a            # signed coefficients
    cdef double* row          # kernel row of the example being learned
    cdef double* other        # room for another one
    cdef double length        # of the example being learned
    cdef double self_k
    cdef bint acts            # `commit` has something to do

    cdef double score(self, const Example* e) noexcept nogil
    cdef int plan(self, const Example* e, double y, double* f) noexcept nogil
    cdef int decide(self, const Example* e, double y, double f) noexcept nogil
    cdef void commit(self, const Example* e) noexcept nogil
    cdef bint grow(self, Py_ssize_t supports, const Example* e) noexcept nogil
    cdef void negate(self) noexcept nogil
    cdef Machine twin(self)


cdef class OneVsRestState(ClassifierState):
    cdef Program program
    cdef object kind          # class of the machines
    cdef tuple arguments      # of the machines
    cdef list machines        # one up to two labels, one per label beyond
    cdef object before        # the single machine, until the third label is settled
    cdef void** each          # the machines again, for use without the GIL
    cdef Py_ssize_t k         # how many
    cdef double* f

    cdef Machine machine(self)


cdef double kernel_sum(const double* row, const double* a, Py_ssize_t n) noexcept nogil
