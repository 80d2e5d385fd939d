cdef class Inverse:
    cdef Py_ssize_t room   # supports that fit
    cdef double* values    # room x room
    cdef double* d         # coordinates of an example's projection on the supports
    cdef double gap        # squared distance of the example from their span

    cdef bint fit(self, Py_ssize_t room) noexcept nogil
    cdef void project(self, const double* row, double self_k, Py_ssize_t n) noexcept nogil
    cdef void enlarge(self, Py_ssize_t n) noexcept nogil
