from libc.stdint cimport int32_t, int64_t, uint64_t

from ..core.encoder cimport Encoder
from ..core.example cimport Example
from ..core.sources cimport Source
from ..core.task cimport Task
from ._ballots cimport Ballots
from ._member cimport Member

cdef enum:
    TOGETHER = 256  # most rows that members go over at a time

cdef struct RowBlock:
    Example* rows
    Py_ssize_t n
    Py_ssize_t most    # rows that fit
    uint64_t first     # number of the first among all examples
    double* values     # memory of the rows: their values,
    int32_t* ids       # features
    int32_t* codes     # and nominal values
    Py_ssize_t used    # of `room` values
    Py_ssize_t room
    double* votes      # of each member, of each row; NULL: nobody asks
    Py_ssize_t size    # numbers of a vote
    bint learning
    int status         # why a member could not vote; LEARNED: all could


cdef class Committee:
    cdef readonly list members
    cdef void** at           # the members, for loops without the GIL
    cdef Py_ssize_t n        # how many
    cdef Py_ssize_t n_jobs   # threads
    cdef Py_ssize_t room     # features that all members have room for
    cdef bint flat           # all are trees without steps: they get examples by feature
    cdef Py_ssize_t width    # numbers of a vote
    cdef public Ballots ballots  # where votes are noted, or come from; None: nobody asks
    cdef bint away           # the members are elsewhere
    cdef public object relay  # is called after each turn of a selection whose members are elsewhere

    cpdef int look(self) except -1
    cdef bint open_block(self, RowBlock* b, Py_ssize_t rows, Py_ssize_t outputs, bint wanted, bint learning) noexcept nogil
    cdef Py_ssize_t fill(
        self, RowBlock* b, Source source, Py_ssize_t start, Py_ssize_t stop, const Task* task,
        Py_ssize_t known, double first_sign,
    ) noexcept nogil
    cdef void one_row(self, RowBlock* b, Example* e, double* votes, Py_ssize_t outputs) noexcept nogil
    cdef bint add_row(self, RowBlock* b, const Example* e) noexcept nogil
    cdef void advance(self, RowBlock* b) noexcept nogil
    cdef void read_votes(self, RowBlock* b) noexcept nogil
    cdef void answered(self, RowBlock* b, Py_ssize_t row) noexcept nogil
    cdef void end_row(self) noexcept nogil
    cdef void learn_single(self, RowBlock* b) noexcept nogil
    cdef void advance_in_threads(self, RowBlock* b) noexcept
    cdef void go_over(self, Py_ssize_t m, RowBlock* b, Py_ssize_t start) noexcept nogil
    cdef double* vote_of(self, RowBlock* b, Py_ssize_t m, Py_ssize_t row) noexcept nogil
    cdef void close_block(self, RowBlock* b) noexcept nogil
    cdef int64_t refusals(self) noexcept nogil
    cdef int vote(self, Py_ssize_t m, const Example* e, double* out) noexcept nogil
    cdef int make_room(self, Py_ssize_t width) except -1
    cdef int drop_room(self, Py_ssize_t width) except -1
    cdef int connect(self, Encoder features, Encoder encoder) except -1
