cdef class StatisticState:
    cdef str who            # class name of the statistic, for error messages
    cdef readonly double n  # sum of the weights taken so far

    cdef void push(self, double v, double w) noexcept
    cdef object value(self)
    cdef int absorb(self, StatisticState other) except -1
