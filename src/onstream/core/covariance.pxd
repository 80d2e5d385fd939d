from .example cimport Example


cdef class Covariance:
    cdef Py_ssize_t offset  # 1 if there is an intercept, in row 0; feature i is row i + offset
    cdef Py_ssize_t d       # rows in use
    cdef Py_ssize_t room    # rows that fit
    cdef double* P          # room x room, symmetric
    cdef double* u          # P x, set by `multiply`
    cdef double* g          # gain, or a scaled copy of u
    cdef double kept        # mu / (mu + w x'P x): share of x'P x left after the step, set by `gain`
    cdef bint rounded       # rounding could spoil the plain step: use Joseph's form

    cdef int reserve(self, Py_ssize_t width) except -1
    cdef void extend(self, Py_ssize_t d, double fresh) noexcept nogil
    cdef bint is_new_row(self, Py_ssize_t i, double fresh) noexcept nogil
    cdef double along(self, const Example* e, const double* v) noexcept nogil
    cdef double multiply(self, const Example* e) noexcept nogil
    cdef double gain(self, double xu, double mu, double weight) noexcept nogil
    cdef double spread(self, const Example* e) noexcept nogil
    cdef bint can_shrink(self, double xu, double c, double step, double bound) noexcept nogil
    cdef void shrink(self, double c) noexcept nogil
    cdef void shrink_safely(self, const Example* e, double c) noexcept nogil
