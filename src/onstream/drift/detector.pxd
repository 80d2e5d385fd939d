from libc.stdint cimport int64_t


cdef class DetectorState:
    """What a detector knows. The compiled world calls `push`, which needs no GIL."""

    cdef str who             # class name of the detector, for error messages
    cdef double low          # values below are refused
    cdef double high         # values above are refused
    cdef bint whole          # only `low` and `high` themselves are values
    cdef readonly int64_t seen  # values taken so far
    cdef readonly bint drift    # the last value made a change sure
    cdef readonly bint warning  # the last value made a change likely

    cdef void push(self, double v) noexcept nogil
    cdef double plain(self, object v) except? -1.0
    cdef bint fits(self, double v) noexcept nogil
