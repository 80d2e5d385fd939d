from .example cimport Example


cdef class Covariance:
    cdef Py_ssize_t offset  # 1 if there is an intercept: it stands first
    cdef Py_ssize_t d       # rows in use
    cdef Py_ssize_t room    # rows that fit
    cdef double* P          # room x room, symmetric
    cdef double* u          # P x of the example looked at last
    cdef double* g          # gain, or a scaled copy of u
    cdef double kept        # part of x'P x that the example looked at last leaves
    cdef bint rounded       # P would lose nearly all it has: Joseph's form has to be used

    cdef int reserve(self, Py_ssize_t width) except -1
    cdef void extend(self, Py_ssize_t d, double fresh) noexcept nogil
    cdef bint untouched(self, Py_ssize_t i, double fresh) noexcept nogil
    cdef double along(self, const Example* e, const double* v) noexcept nogil
    cdef double look(self, const Example* e) noexcept nogil
    cdef double gain(self, double xu, double mu, double weight) noexcept nogil
    cdef double spread(self, const Example* e) noexcept nogil
    cdef bint bears(self, double xu, double c, double step, double bound) noexcept nogil
    cdef void shrink(self, double c) noexcept nogil
    cdef void shrink_safely(self, const Example* e, double c) noexcept nogil
