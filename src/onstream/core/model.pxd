from .encoder cimport Encoder, RowBuffer
from .example cimport Example
from .rwlock cimport RWLock
from .state cimport State
from .transformer cimport TransformerState


cdef class Model:
    cdef readonly str who         # class name of the learner, for error messages
    cdef readonly RWLock lock     # which threads may read or change it now
    cdef Encoder encoder          # user input -> Example
    cdef TransformerState front   # the first of the steps before the state; None: no steps
    cdef readonly State state     # what was learned; replaced by merge and restore

    # Through the steps to the state.
    cdef int score(self, const Example* e, double* out) noexcept nogil
    cdef int learn(self, const Example* e) noexcept nogil
    cdef int score_learn(self, const Example* e, double* out) noexcept nogil
    cdef int tested_learn(self, const Example* e, double* out) noexcept nogil
    cdef int reserve(self, Py_ssize_t width) except -1
    cdef int rollback(self) except -1
    cdef int connect(self, Encoder own, list steps) except -1
    cdef int adopt(self, Model other) except -1
    cdef int share(self, Encoder features, Encoder encoder) except -1

    # What a kind of learner adds: targets.
    cdef object coerce_target(self, object y)
    cdef bint encode_target(self, object y, bint may_add, Example* e) except -1
    cdef int rollback_label(self) except -1
    cdef int commit_label(self) except -1
    cdef int expect_labels(self, Py_ssize_t more) except -1

    # One example. Blocks: batch.pxd.
    cpdef int learn_one(self, object x, object y, object w) except -1
    cdef int try_learn(self, object x, object y, double weight) except -1
    cdef RowBuffer* scored(self, object x) except NULL
    cpdef double score_one(self, object x) except? -1.0
    cdef int forget_unfinished(self) except -1
    cdef int warn(self) except -1
