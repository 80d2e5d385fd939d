"""The members of an ensemble, and how they go over many rows: one after the other, or in threads.

A block of rows is copied once; then each member goes over all of it, alone. So the result is the
same for any number of threads, and the same as that of a loop over single examples.
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport NAN
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from sys import getsizeof

from ..core.batch cimport BatchModel
from ..core.encoder cimport Encoder
from ..core.example cimport LEARNED, NUMBER, Example
from ..core.sources cimport Source
from ..core.task cimport Task
from ..core.work cimport Work
from ..tree._state cimport TreeState
from ._ballots cimport Ballots
from ._member cimport SKIPPED, Member, vote_size
from ._reading cimport also_read, reading

cdef enum:
    VALUES = 1 << 16    # of all rows of a block
    FLAT = 2048         # widest example that is laid out by feature
    FEW_ROWS = 32       # for which no thread is started
    VOTES = 1 << 19     # numbers of all votes of a block

cdef double LARGEST_VALUE = 1e120  # a tree takes larger numbers as this one
cdef double ORDINARY = 1e100  # examples with larger values, weights or targets are learned one at a time


cdef class Committee:
    def __cinit__(self, list members, *, Py_ssize_t n_jobs):
        cdef Py_ssize_t m
        self.members, self.n, self.n_jobs = members, len(members), n_jobs
        self.at = <void**> PyMem_RawMalloc(max(1, self.n) * sizeof(void*))
        if self.at == NULL:
            raise MemoryError("onstream: no memory for an ensemble")
        for m in range(self.n):
            self.at[m] = <void*> members[m]
        self.look()

    def __dealloc__(self):
        PyMem_RawFree(self.at)

    cpdef int look(self) except -1:
        """What kinds of models are there? To be asked again when a member became another kind."""
        self.flat, self.room = True, 0
        for member in self.members:
            for model in member.models():
                self.flat &= (<BatchModel> model).front is None and isinstance(model.state, TreeState)
        return 0

    # -- features and labels ------------------------------------------------------------------

    def configure(self, Encoder encoder):
        """Set the options of the encoder: it keeps what any member wants to see."""
        for member in self.members:
            also_read(encoder, reading(member.models()[0]))

    cdef int connect(self, Encoder features, Encoder encoder) except -1:
        for member in self.members:
            member.connect(features, encoder)
        return self.look()

    cdef int make_room(self, Py_ssize_t width) except -1:
        cdef Member member
        if self.flat and width <= self.room:  # trees do not ask for more than the number of features
            return 0
        for member in self.members:
            member.make_room(width)
        self.room = width
        return 0

    cdef int drop_room(self, Py_ssize_t width) except -1:
        cdef Member member
        self.room = min(self.room, width)
        for member in self.members:
            member.drop_room(width)
        return 0

    # -- one example ----------------------------------------------------------------------------

    cdef int vote(self, Py_ssize_t m, const Example* e, double* out) noexcept nogil:
        """The vote of one member."""
        cdef int status
        if self.away:
            self.ballots.read(0, m, out, self.width)
            return LEARNED
        status = (<Member> self.at[m]).vote(e, out)
        if status == LEARNED and self.ballots is not None:
            self.ballots.add(out, self.width)
        return status

    cdef void end_row(self) noexcept nogil:
        """All have voted for a row."""
        if self.ballots is not None:
            self.ballots.end_row(self.width)

    # -- blocks ---------------------------------------------------------------------------------

    cdef bint open_block(
        self, RowBlock* b, Py_ssize_t rows, Py_ssize_t outputs, bint wanted, bint learning
    ) noexcept nogil:
        """An empty block with room for up to `rows` rows, fewer if votes are long; False: no memory.
        A vote takes `outputs` numbers, and scratch memory."""
        b.size = vote_size(outputs)
        rows = min(rows, max(1, VOTES // (self.n * b.size)))
        b.most, b.n, b.used, b.room = rows, 0, 0, VALUES
        b.votes, b.learning, b.status = NULL, learning, LEARNED
        b.rows = <Example*> PyMem_RawMalloc(rows * sizeof(Example))
        b.values = <double*> PyMem_RawMalloc(VALUES * (sizeof(double) + 2 * sizeof(int32_t)))
        if wanted:
            b.votes = <double*> PyMem_RawMalloc(self.n * rows * b.size * sizeof(double))
        if b.rows == NULL or b.values == NULL or (wanted and b.votes == NULL):
            self.close_block(b)
            return False
        b.ids = <int32_t*> (b.values + VALUES)
        b.codes = b.ids + VALUES
        return True

    cdef void close_block(self, RowBlock* b) noexcept nogil:
        PyMem_RawFree(b.rows)
        PyMem_RawFree(b.values)
        PyMem_RawFree(b.votes)

    cdef void one_row(self, RowBlock* b, Example* e, double* votes, Py_ssize_t outputs) noexcept nogil:
        """A block of one row to learn, where it is. It is not closed."""
        b.rows, b.n, b.votes, b.size = e, 1, votes, vote_size(outputs)
        b.learning, b.status = True, LEARNED

    cdef Py_ssize_t fill(
        self, RowBlock* b, Source source, Py_ssize_t start, Py_ssize_t stop, const Task* task,
        Py_ssize_t known, double first_sign,
    ) noexcept nogil:
        """Copy rows into the block: those that fit, and of rows to learn (`task` is not NULL) those
        before one that needs the general loop. Returns how many."""
        cdef Example e
        cdef Py_ssize_t i
        e.codes, e.weight = NULL, 1.0
        for i in range(start, min(stop, start + b.most)):
            source.row(i, &e)
            if task != NULL:
                if task.weights != NULL:
                    e.weight = task.weights[i]
                if e.width > known or not 0.0 < e.weight < ORDINARY or not e.peak < ORDINARY:
                    break
                if task.numbers != NULL:
                    e.label = task.numbers[i]
                    e.y = first_sign if e.label == 0 else -first_sign
                else:
                    e.label, e.y = -1, task.targets[i]
                    if not -ORDINARY < e.y < ORDINARY:
                        break
            if not self.add_row(b, &e):
                break
        return b.n

    cdef bint add_row(self, RowBlock* b, const Example* e) noexcept nogil:
        """Copy an example into the block. False: there is no room."""
        cdef Example* own = &b.rows[b.n]
        cdef Py_ssize_t n = e.n, i, f
        cdef double* values = b.values + b.used
        cdef int32_t* codes = b.codes + b.used
        own[0] = e[0]
        if self.flat and e.ids != NULL:  # by feature, as a tree lays it out
            n = 0
            for i in range(e.n):
                n = max(n, e.ids[i] + 1)
            if n <= FLAT and b.used + n <= b.room:
                for f in range(n):
                    values[f], codes[f] = NAN, NUMBER
                for i in range(e.n):
                    f = e.ids[i]
                    values[f] = e.values[i]
                    if values[f] > LARGEST_VALUE:  # not true of NaN
                        values[f] = LARGEST_VALUE
                    elif values[f] < -LARGEST_VALUE:
                        values[f] = -LARGEST_VALUE
                    if e.codes != NULL:
                        codes[f] = e.codes[i]
                own.ids, own.values, own.n = NULL, values, n
                own.codes = codes if e.codes != NULL else NULL
                own.peak = min(e.peak, LARGEST_VALUE)
                b.used += n
                b.n += 1
                return True
            n = e.n
        if b.used + n > b.room:
            return False
        memcpy(values, e.values, n * sizeof(double))
        own.values = values
        if e.ids != NULL:
            memcpy(b.ids + b.used, e.ids, n * sizeof(int32_t))
            own.ids = b.ids + b.used
        if e.codes != NULL:
            memcpy(codes, e.codes, n * sizeof(int32_t))
            own.codes = codes
        b.used += n
        b.n += 1
        return True

    cdef double* vote_of(self, RowBlock* b, Py_ssize_t m, Py_ssize_t row) noexcept nogil:
        """Where the vote of member m for a row is."""
        return b.votes + (m * b.n + row) * b.size

    cdef void go_over(self, Py_ssize_t m, RowBlock* b, Py_ssize_t start) noexcept nogil:
        """Member m votes for the rows from `start` on, and learns them if the block is to be learned."""
        cdef Py_ssize_t r
        cdef double* out = NULL
        cdef int status
        for r in range(start, b.n):
            if b.votes != NULL:
                out = self.vote_of(b, m, r)
            if b.learning:
                teach(<Member> self.at[m], b, r, out)
            else:
                status = (<Member> self.at[m]).vote(&b.rows[r], out)
                if status != LEARNED:
                    b.status = status

    cdef void advance(self, RowBlock* b) noexcept nogil:
        """Every member goes over the whole block."""
        cdef Py_ssize_t m
        if self.away:
            self.read_votes(b)
            return
        if b.learning and b.n == 1:
            self.learn_single(b)
            return
        if self.n_jobs > 1 and self.n > 1 and b.n >= FEW_ROWS:
            with gil:
                self.advance_in_threads(b)
            return
        for m in range(self.n):
            self.go_over(m, b, 0)

    cdef void learn_single(self, RowBlock* b) noexcept nogil:
        """Every member learns one row; if some cannot, and no other does, the block is left without a
        row."""
        cdef Py_ssize_t m
        cdef int status, failed = LEARNED
        cdef bint changed = False
        for m in range(self.n):
            status = teach(<Member> self.at[m], b, 0, NULL if b.votes == NULL else self.vote_of(b, m, 0))
            if status == LEARNED:
                changed = True
            elif status != SKIPPED:
                failed = status
        if failed != LEARNED and not changed:
            b.n, b.status = 0, failed
            self.refusals()  # the example is refused: nobody misses it

    cdef void advance_in_threads(self, RowBlock* b) noexcept:
        """The same in threads, this one among them, that end with the block. No signal is handled
        meanwhile: nothing may be raised while they work."""
        cdef Shift shift = Shift(self)
        cdef Work work
        helpers = []
        shift.block = b
        try:
            while len(helpers) < min(self.n_jobs, self.n) - 1:
                work = Work(shift.work)
                work.start()
                helpers.append(work)
        except (RuntimeError, MemoryError):
            pass  # fewer threads do the same work
        shift.work()
        for work in helpers:
            work.wait()

    cdef void read_votes(self, RowBlock* b) noexcept nogil:
        """What members elsewhere have voted for the rows of the block."""
        cdef Py_ssize_t m, r
        if b.votes == NULL:
            return
        for m in range(self.n):
            for r in range(b.n):
                self.ballots.read(r, m, self.vote_of(b, m, r), self.width)

    cdef void answered(self, RowBlock* b, Py_ssize_t row) noexcept nogil:
        """The votes for a row of the block are about to be added up."""
        cdef Py_ssize_t m
        if self.ballots is None:
            return
        if not self.away:
            for m in range(self.n):
                self.ballots.add(self.vote_of(b, m, row), self.width)
        self.end_row()

    cdef int64_t refusals(self) noexcept nogil:
        """How many examples members could not learn since this was asked last."""
        cdef Py_ssize_t m
        cdef int64_t refused = 0
        if self.away:
            return 0
        for m in range(self.n):
            refused += (<Member> self.at[m]).refused
            (<Member> self.at[m]).refused = 0
        return refused

    # -- in several processes -------------------------------------------------------------------

    def keep(self, Py_ssize_t first, Py_ssize_t stop):
        """Let go of all members but these."""
        cdef Py_ssize_t m
        self.members = self.members[first:stop]
        self.n = len(self.members)
        for m in range(self.n):
            self.at[m] = <void*> self.members[m]

    def send_away(self, bint shells=False):
        """Let go of all members: what they vote comes from `ballots`, nothing is learned here. Their
        shells may stay, for who judges them."""
        if not shells:
            self.members = []
        self.away, self.ballots = True, Ballots(self.n, ())

    # -- to and from arrays ---------------------------------------------------------------------

    def export(self):
        return {str(m): member.export() for m, member in enumerate(self.members)}

    def restore(self, fields):
        for m, member in enumerate(self.members):
            own = fields.child(str(m))
            member.restore(own)
            own.done()
        fields.done()

    def memory(self):
        return getsizeof(self) + 8 * self.n + sum([member.memory() for member in self.members])


cdef int teach(Member member, RowBlock* b, Py_ssize_t row, double* out) noexcept nogil:
    """Let a member vote for a row, and learn it. One that cannot learn it votes all the same."""
    cdef int status = member.learn(&b.rows[row], b.first + row, row, out)
    cdef Py_ssize_t r
    if out != NULL and status != LEARNED and status != SKIPPED:
        if member.vote(&b.rows[row], out) != LEARNED:  # no memory for that either: no vote
            for r in range(member.n_labels):
                out[r] = 0.0
            if member.n_labels == 0:
                out[0] = NAN
    return status


cdef class Shift:
    """A block that several threads work on: each takes the next member that nobody has taken."""
    cdef Committee committee
    cdef RowBlock* block
    cdef Py_ssize_t taken

    def __cinit__(self, Committee committee):
        self.committee = committee

    cpdef int work(self) except -1:
        cdef Py_ssize_t m
        while self.taken < self.committee.n:
            m = self.taken  # the GIL is held: nobody else takes this one
            self.taken += 1
            with nogil:
                self.committee.go_over(m, self.block, 0)
        return 0
