from ._committee cimport Committee, RowBlock


cdef class Chains(Committee):
    cdef void pass_rows(
        self, RowBlock* b, Py_ssize_t lane, Py_ssize_t lanes, Py_ssize_t first, Py_ssize_t last
    ) noexcept nogil
