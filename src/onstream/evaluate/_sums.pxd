from libc.stdint cimport int64_t


cdef class Sums:
    cdef readonly Py_ssize_t window  # count the last `window` examples; 0: all
    cdef readonly double alpha       # all sums shrink by this before an example is added; 1: never
    cdef readonly int64_t n          # examples added
    cdef double gain                 # weight of the next example: grows instead of shrinking all sums
    cdef double growth               # 1 / alpha
    cdef Py_ssize_t columns          # numbers per example, the last is its weight
    cdef double* tail                # window: the examples, room for twice as many
    cdef Py_ssize_t end              # window: examples in `tail`
    cdef bint stale                  # window: the sums do not know of the newest examples yet

    cdef int hold(self, Py_ssize_t columns) except -1
    cdef void add(self, const double* row) noexcept nogil
    cdef void push(self, const double* row) noexcept nogil
    cdef void fade(self) noexcept nogil
    cdef void refresh(self) noexcept nogil
    cdef void count(self, const double* row) noexcept nogil
    cdef void clear(self) noexcept nogil
    cdef void scale(self, double factor) noexcept nogil
    cdef double age(self, Sums other) noexcept
    cdef int push_rows(self, object rows) except -1


cdef double weight_of(object w) except? -1.0
