from libc.stdint cimport int32_t

from ..core.batch cimport BatchModel
from ..core.encoder cimport Encoder
from ..core.example cimport Example
from ..core.state cimport State
from ..core.transformer cimport Pool, TransformerState


cdef struct Translation:
    int32_t id    # the feature that comes out, and one more, so that 0 says: none yet
    double value  # of a nominal value


cdef struct Origin:
    Translation number    # of the numbers of a feature
    Translation* values   # of each of its nominal values
    Py_ssize_t room


cdef class ReadingState(TransformerState):
    cdef bint names       # it turns nominal values into numbers; otherwise it only drops gaps
    cdef bint shared      # some features come from two origins: as a number, and as name=value
    cdef Origin* origins  # of each feature
    cdef Py_ssize_t rows
    cdef list met         # (feature, nominal value or NUMBER), as they were met
    cdef Py_ssize_t kept  # of them are committed
    cdef Py_ssize_t wide  # features that come out, those included that are uncommitted
    cdef object declared  # features whose numbers are names: a set, True or None

    cdef Translation* find(self, const Example* e, Py_ssize_t i) noexcept nogil
    cdef bint brings_new(self, const Example* e) noexcept nogil
    cdef int meet(self, Py_ssize_t f, int32_t code, object text) except -1
    cdef bint grow(self, const Example* e, State last) noexcept
    cdef int meet_example(self, const Example* e, State last) except -1
    cdef int meet_all(self) except -1
    cdef int keep_met(self) except -1
    cdef int take_back(self, State last) noexcept
    cdef Py_ssize_t merge(self, Pool* pool, Py_ssize_t n) noexcept nogil


cdef int also_read(Encoder encoder, Encoder wanted) except -1
cdef Encoder reading(BatchModel model)
cdef int adapt(BatchModel model, Encoder features, Encoder encoder) except -1
