from libc.stdint cimport int32_t


cdef class Ballots:
    cdef Py_ssize_t n        # members
    cdef double* votes
    cdef Py_ssize_t used     # of `room` numbers
    cdef Py_ssize_t room
    cdef int32_t* widths     # numbers of a vote, for each row
    cdef Py_ssize_t rows     # that were answered, of `row_room`
    cdef Py_ssize_t row_room
    cdef Py_ssize_t at       # of `used` numbers: where the next row to be answered begins
    cdef bint cast           # votes are read, not noted
    cdef bint failed         # there is no memory, or a vote is not there

    cdef void add(self, const double* vote, Py_ssize_t width) noexcept nogil
    cdef void read(self, Py_ssize_t ahead, Py_ssize_t m, double* out, Py_ssize_t width) noexcept nogil
    cdef void end_row(self, Py_ssize_t width) noexcept nogil
