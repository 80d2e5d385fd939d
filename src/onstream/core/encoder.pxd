from cpython.object cimport PyObject
from libc.float cimport DBL_MAX
from libc.stdint cimport int32_t

from .example cimport Example
from .feature_index cimport FeatureIndex, NewFeatures
from .key_cache cimport KeyCache


cdef struct RowBuffer:
    int32_t* ids           # features of the row being read
    double* values         # their values
    int32_t* codes         # their nominal values
    Py_ssize_t room        # features that fit
    double* scores         # scratch memory for scores
    Py_ssize_t room_scores  # scores that fit
    Py_ssize_t columns     # columns of the array it was read from; -1: a mapping
    RowBuffer* next        # the next spare row


cdef class Encoder(FeatureIndex):
    cdef readonly bint nan_missing  # NaN means missing (set by the learner)
    cdef bint fill_sparse  # an entry that a sparse row omits is 0, not missing (likewise)
    cdef str blank_step    # name of the step for which omitted entries are missing; None: no step
    cdef RowBuffer* spare  # rows not in use
    cdef KeyCache keys     # keys of the last mapping
    cdef readonly set warned  # kinds of warnings given so far
    cdef public object good  # columns of the last frame that lacked nothing, and the width then
    cdef dict pending      # kind -> what to warn of with the first example that is learned
    cdef public Py_ssize_t misses  # successive mappings to predict of which nothing was known

    cdef RowBuffer* acquire_row(self, Py_ssize_t room, Py_ssize_t room_scores) except NULL
    cdef void release_row(self, RowBuffer* row) noexcept
    cdef int ensure_room(self, RowBuffer* row, Py_ssize_t room) except -1
    cdef object coerce(self, object x)
    cdef int read(self, object x, NewFeatures new_features, RowBuffer* row, Example* e) except -1
    cdef int read_mapping(self, dict x, NewFeatures new_features, RowBuffer* row, Example* e) except -1
    cdef int read_nominal(self, dict x, NewFeatures new_features, RowBuffer* row, Example* e) except -1
    cdef int read_array(self, object x, NewFeatures new_features, RowBuffer* row, Example* e) except -1
    cdef double peak(self, const double* values, Py_ssize_t n) noexcept
    cdef int remember(self, Py_ssize_t at, PyObject* key, int32_t id, double sign) except -1
    cpdef int warn_once(self, str kind, str message) except -1
    cpdef int bad_value(self, object name, object value, object row) except -1


cdef inline double bounded(double value) noexcept nogil:
    """The nearest finite number."""
    return min(max(value, -DBL_MAX), DBL_MAX)


cdef Py_ssize_t merge_repeats(int32_t* ids, double* values, Py_ssize_t n) except -1
