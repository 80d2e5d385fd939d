from libc.stdint cimport int64_t


cdef class DetectorState:
    """What a detector knows. Compiled code calls `push`, which needs no GIL."""

    cdef public str who         # name of the detector, for error messages
    cdef double low             # values below are refused
    cdef double high            # values above are refused
    cdef bint only_ends         # only `low` and `high` themselves are values
    cdef readonly int64_t seen  # values taken so far
    cdef readonly bint drift    # the last value made a change sure
    cdef readonly bint warning  # the last value made a change likely

    cdef void push(self, double v) noexcept nogil
    cdef double coerce(self, object v) except? -1.0
    cdef bint fits(self, double v) noexcept nogil


cdef class DetectorBase:
    cdef public DetectorState _state  # None until the constructor has run
