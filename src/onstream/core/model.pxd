from .door cimport Door, Row
from .example cimport Example
from .gate cimport Gate
from .sources cimport Source
from .state cimport State
from .task cimport Output, Task
from .transformer cimport TransformerState


cdef class Model:
    cdef readonly str who         # class name of the learner, for error messages
    cdef readonly Gate lock       # who may read or change it now
    cdef Door encoder             # user input -> Example
    cdef TransformerState front   # the first of the steps before the state; None: none
    cdef readonly State state     # what was learned; a merge puts another in its place

    # Through the steps to the state.
    cdef int score(self, const Example* e, double* out) noexcept nogil
    cdef int learn(self, const Example* e) noexcept nogil
    cdef int score_learn(self, const Example* e, double* out) noexcept nogil
    cdef int tested_learn(self, const Example* e, double* out) noexcept nogil
    cdef int reserve(self, Py_ssize_t width) except -1
    cdef int rollback(self) except -1
    cdef int connect(self, Door own, list steps) except -1
    cdef int adopt(self, Model other) except -1

    # What a kind of learner adds: one target,
    cdef object plain_target(self, object y)
    cdef bint target(self, object y, bint welcome, Example* e) except -1
    cdef int retract(self) except -1
    cdef int settle(self) except -1
    # a column of targets,
    cdef tuple targets(self, object y, Py_ssize_t rows, object weights)
    cdef void aim(self, const Task* task, Py_ssize_t i, Example* e) noexcept nogil
    cdef int expect_labels(self, Py_ssize_t more) except -1
    cdef Py_ssize_t next_newcomer(self, const Task* task, Py_ssize_t start, Py_ssize_t stop) noexcept
    cdef int meet(self, Source source, Py_ssize_t i, object label, Task* task) except -1
    # and answers.
    cdef object answers(self, Output output, Py_ssize_t rows, Py_ssize_t newcomers, Task* task)
    cdef void answer(self, const double* scores, const Task* task, Py_ssize_t i) noexcept nogil
    cdef object decoded(self, Output output, object answers)

    # One example.
    cpdef int learn_one(self, object x, object y, object w) except -1
    cdef int try_learn(self, object x, object y, double weight) except -1
    cdef Row* scored(self, object x) except NULL
    cpdef double score_one(self, object x) except? -1.0
    cdef int forget_unfinished(self) except -1
    cdef int warn(self) except -1

    # Many.
    cdef object checked_before(self, Source source)
    cdef int check_or_reinstate(self, Source source, Py_ssize_t start, Py_ssize_t stop, object saved) except -1
    cdef object backup(self)
    cdef int reinstate(self, object saved) except -1
    cdef int end_block(self) except -1
    cdef int load(self, Source source, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef int learn_block(self, Source source, Py_ssize_t start, Py_ssize_t stop, Task* task) except -1
    cdef Py_ssize_t run(self, Source source, Py_ssize_t start, Py_ssize_t stop, const Task* task, double* scratch, int* status) noexcept nogil
    cdef int score_known(self, const Example* e, Py_ssize_t known, double* out) noexcept nogil


cdef object refused_block_row(str who, Py_ssize_t row, int status)
cdef Py_ssize_t heavy_rows(const Task* task, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
