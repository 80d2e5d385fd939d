from libc.stdint cimport int32_t, int64_t

from .door cimport Door, Row
from .example cimport Example
from .gate cimport Gate
from .sources cimport Source

cdef enum Output:
    NOTHING
    LABEL   # classifier: the number of the label
    PROBA   # classifier: one probability per label
    SCORE   # the decision value; regressor: the prediction


cdef struct Task:
    const int32_t* numbers  # label of each row; NULL: nothing to learn, or a regressor
    const double* targets   # target of each row
    const double* weights   # importance of each row; NULL: 1
    Output output           # what is wanted of each row
    double* numeric         # where scores or probabilities go, `columns` a row
    int32_t* picks          # where labels go
    Py_ssize_t columns


cdef class State:
    cdef readonly str who        # class name of the learner, for error messages
    cdef Door entrance           # where examples come in
    cdef Step front             # the first of the steps that they pass then; None: none
    cdef Door door               # features as the learner sees them: those of the last step
    cdef readonly Gate gate      # who may come in now
    cdef readonly int64_t seen   # examples learned
    cdef readonly int64_t start  # `seen` when the schedule of rates began
    cdef bint scripted           # `prepare` calls functions of the user
    cdef State heir              # what a merge has put in its place: whoever waited goes on there

    # The interface of the compiled world: no GIL, no Python.
    cdef Py_ssize_t outputs(self) noexcept nogil
    cdef void score(self, const Example* e, double* out) noexcept nogil
    cdef int learn(self, const Example* e) noexcept nogil
    cdef int score_learn(self, const Example* e, double* out) noexcept nogil

    # The same through the steps before the learner: what everybody else calls.
    cdef void outer_score(self, const Example* e, double* out) noexcept nogil
    cdef int outer_learn(self, const Example* e) noexcept nogil
    cdef int outer_score_learn(self, const Example* e, double* out) noexcept nogil
    cdef int outer_reserve(self, Py_ssize_t width) except -1
    cdef int outer_rollback(self) except -1

    # What a kind of learner adds.
    cdef int reserve(self, Py_ssize_t width) except -1
    cdef int prepare(self, Py_ssize_t rows) except -1
    cdef object plain_target(self, object y)
    cdef bint target(self, object y, bint welcome, Example* e) except -1
    cdef int retract(self) except -1
    cdef int settle(self) except -1
    cdef int expect_labels(self, Py_ssize_t more) except -1
    cdef Py_ssize_t burden(self) noexcept
    cdef object backup(self)
    cdef int reinstate(self, object saved) except -1
    cdef void aim(self, const Task* task, Py_ssize_t i, Example* e) noexcept nogil
    cdef void answer(self, const double* scores, const Task* task, Py_ssize_t i) noexcept nogil

    cdef tuple targets(self, object y, Py_ssize_t rows, object weights)
    cdef object answers(self, Output output, Py_ssize_t rows, Py_ssize_t newcomers, Task* task)
    cdef Py_ssize_t next_newcomer(self, const Task* task, Py_ssize_t start, Py_ssize_t stop) noexcept
    cdef int meet(self, Source source, Py_ssize_t i, object label, Task* task) except -1

    cdef void score_known(self, const Example* e, Py_ssize_t known, double* out) noexcept nogil
    cdef object checked_before(self, Source source)
    cdef int check_or_reinstate(self, Source source, Py_ssize_t start, Py_ssize_t stop, object saved) except -1
    cdef Py_ssize_t heavy_rows(self, const Task* task, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef int learn_one(self, object x, object y, object w) except -1
    cdef int try_learn(self, object x, object y, double weight) except -1
    cdef Row* scored(self, object x) except NULL
    cdef int load(self, Source source, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef int forget_unfinished(self) except -1
    cdef int learn_block(self, Source source, Py_ssize_t start, Py_ssize_t stop, Task* task) except -1
    cdef Py_ssize_t run(self, Source source, Py_ssize_t start, Py_ssize_t stop, const Task* task, double* scratch) noexcept nogil


cdef class Step(State):
    cdef Step next               # the step after this one; None: the last
    cdef Door made               # features that this step makes; None: it keeps those it gets
    cdef bint wants_nan          # as a first step: NaN is a missing value

    cdef Door own_entrance(self, str who)
    cdef int wire(self, Door door) except -1
    cdef void pass_score(self, const Example* e, State last, double* out) noexcept nogil
    cdef int pass_learn(self, const Example* e, State last) noexcept nogil
    cdef Py_ssize_t pass_room(self, Py_ssize_t width) except -1
    cdef int pass_shrink(self, Py_ssize_t width) except -1
