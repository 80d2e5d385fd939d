from .encoder cimport Encoder, RowBuffer
from .example cimport Example
from .rwlock cimport RWLock
from .sources cimport Source
from .state cimport State
from .task cimport Output, Task
from .transformer cimport TransformerState


cdef class Model:
    cdef readonly str who         # class name of the learner, for error messages
    cdef readonly RWLock lock       # who may read or change it now
    cdef Encoder encoder             # user input -> Example
    cdef TransformerState front   # the first of the steps before the state; None: none
    cdef readonly State state     # what was learned; a merge puts another in its place

    # Through the steps to the state.
    cdef int score(self, const Example* e, double* out) noexcept nogil
    cdef int learn(self, const Example* e) noexcept nogil
    cdef int score_learn(self, const Example* e, double* out) noexcept nogil
    cdef int tested_learn(self, const Example* e, double* out) noexcept nogil
    cdef int reserve(self, Py_ssize_t width) except -1
    cdef int rollback(self) except -1
    cdef int connect(self, Encoder own, list steps) except -1
    cdef int adopt(self, Model other) except -1

    # What a kind of learner adds: one target,
    cdef object coerce_target(self, object y)
    cdef bint encode_target(self, object y, bint may_add, Example* e) except -1
    cdef int rollback_label(self) except -1
    cdef int commit_label(self) except -1
    # a column of targets,
    cdef tuple encode_targets(self, object y, Py_ssize_t rows, object weights)
    cdef void set_target(self, const Task* task, Py_ssize_t i, Example* e) noexcept nogil
    cdef int expect_labels(self, Py_ssize_t more) except -1
    cdef Py_ssize_t next_new_label(self, const Task* task, Py_ssize_t start, Py_ssize_t stop) noexcept
    cdef int learn_new_label(self, Source source, Py_ssize_t i, object label, Task* task) except -1
    # and answers.
    cdef object allocate_outputs(self, Output output, Py_ssize_t rows, Py_ssize_t new_labels, Task* task)
    cdef void write_output(self, const double* scores, const Task* task, Py_ssize_t i) noexcept nogil
    cdef object decode_outputs(self, Output output, object answers)

    # One example.
    cpdef int learn_one(self, object x, object y, object w) except -1
    cdef int try_learn(self, object x, object y, double weight) except -1
    cdef RowBuffer* scored(self, object x) except NULL
    cpdef double score_one(self, object x) except? -1.0
    cdef int forget_unfinished(self) except -1
    cdef int warn(self) except -1

    # Many.
    cdef object checked_before(self, Source source)
    cdef int check_or_restore(self, Source source, Py_ssize_t start, Py_ssize_t stop, object saved) except -1
    cdef object backup(self)
    cdef int restore_backup(self, object saved) except -1
    cdef int end_block(self) except -1
    cdef int load(self, Source source, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef int learn_block(self, Source source, Py_ssize_t start, Py_ssize_t stop, Task* task) except -1
    cdef Py_ssize_t run(self, Source source, Py_ssize_t start, Py_ssize_t stop, const Task* task, double* scratch, int* status) noexcept nogil
    cdef int score_known(self, const Example* e, Py_ssize_t known, double* out) noexcept nogil


cdef object refused_block_row(str who, Py_ssize_t row, int status)
cdef Py_ssize_t count_weighted_rows(const Task* task, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
