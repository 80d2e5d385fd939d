cdef class StatisticState:
    cdef public str who     # name of the statistic, for error messages
    cdef readonly double n  # sum of the weights taken so far

    cdef void push(self, double v, double w) noexcept
    cdef object value(self)
    cdef int absorb(self, StatisticState other) except -1
    cdef int update(self, object v, object w) except -1
    cdef object get(self)
    cdef double bounded(self, object fields, str name, double most) except? -1.0


cdef class StatisticBase:
    cdef public StatisticState _state  # None until the constructor has run
