from libc.stdint cimport int64_t

from .encoder cimport Encoder
from .example cimport Example
from .sources cimport Source
from .task cimport Task


cdef class State:
    cdef public str who          # name of the learner, for error messages
    cdef Encoder features        # the features as this state sees them
    cdef readonly int64_t seen   # examples learned
    cdef readonly int64_t start  # `seen` when the schedule of rates began
    cdef bint behind_steps       # steps of a pipeline stand before it
    cdef bint calls_user_code    # functions of the user, in `prepare` or when labels are added
    cdef bint tests_first        # learning needs the score from before the steps learned: `tested`
    cdef bint doubtful           # `doubt` has a warning
    cdef bint runs               # it has a loop of its own for blocks: `run`
    cdef bint learns_rows        # it learns many rows at a time: `learn_rows`
    cdef Py_ssize_t together     # rows that it scores or learns at a time; 0: one by one

    # What an algorithm implements: without the GIL, on one example.
    cdef Py_ssize_t outputs(self) noexcept nogil
    cdef int reserve(self, Py_ssize_t width) except -1
    cdef int score(self, const Example* e, double* out) noexcept nogil
    cdef int learn(self, const Example* e) noexcept nogil
    cdef int score_learn(self, const Example* e, double* out) noexcept nogil

    # What a few of them need.
    cdef int connect(self, Encoder features, Encoder encoder) except -1
    cdef int shrink(self, Py_ssize_t width) except -1
    cdef int catch_up(self) except -1
    cdef Py_ssize_t prepare(self, Py_ssize_t rows) except -1
    cdef void tested(self, const double* scores) noexcept nogil
    cdef Py_ssize_t backup_bytes(self) noexcept
    cdef Py_ssize_t run(self, Source source, Py_ssize_t start, Py_ssize_t stop, const Task* task, Py_ssize_t known) noexcept nogil
    cdef Py_ssize_t learn_rows(
        self, Source source, Py_ssize_t start, Py_ssize_t stop, const Task* task, Py_ssize_t known, double* out
    ) noexcept nogil
    cdef int score_rows(self, Source source, Py_ssize_t start, Py_ssize_t n, double* out) noexcept nogil
