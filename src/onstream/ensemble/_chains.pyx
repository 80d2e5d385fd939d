"""The chains of an ensemble, and how they go over a block of rows: alone, or as a relay of threads.

Each thread has some of the stages, of all chains, and a few rows go through all of them in order:
while one thread has the first rows, the one before it has the next ones. So every tree learns the same rows
in the same order, whatever the number of threads.
"""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from cpython.pythread cimport (
    WAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock, PyThread_release_lock,
    PyThread_type_lock,
)

from _thread import start_new_thread

from ..core.encoder cimport Encoder
from ._chain cimport Chain
from ._committee cimport Committee, RowBlock

cdef enum:
    FEW_ROWS = 32   # for which no thread is started
    BATONS = 8      # parts of a block, for each thread
    LEAST_PART = 4  # rows


cdef class Chains(Committee):
    """Chains, one for each label; they go over a block in threads that take one part of the stages each."""

    cdef int connect(self, Encoder features, Encoder encoder) except -1:
        Committee.connect(self, features, encoder)
        self.flat = True
        return 0

    cdef void advance(self, RowBlock* b) noexcept nogil:
        cdef Py_ssize_t c
        if b.n == 0:
            return
        if b.learning and b.n == 1:
            self.learn_single(b)
        else:
            if b.learning:
                for c in range(self.n):
                    if (<Chain> self.at[c]).seen == 0:
                        with gil:
                            (<Chain> self.at[c]).begin(&b.rows[0])
            if self.n_jobs > 1 and b.n >= FEW_ROWS:
                with gil:
                    relay(self, b, min(self.n_jobs, (<Chain> self.at[0]).stages))
            else:
                self.pass_rows(b, 0, 1, 0, b.n)
        if b.learning:
            for c in range(self.n):
                if (<Chain> self.at[c]).marked:
                    with gil:
                        (<Chain> self.at[c]).tidy()

    cdef void pass_rows(
        self, RowBlock* b, Py_ssize_t lane, Py_ssize_t lanes, Py_ssize_t first, Py_ssize_t last
    ) noexcept nogil:
        """Let the stages of a lane go over some rows, in every chain."""
        cdef Py_ssize_t c, stages = (<Chain> self.at[0]).stages
        for c in range(self.n):
            (<Chain> self.at[c]).pass_rows(
                b, NULL if b.votes == NULL else self.vote_of(b, c, 0),
                stages * lane // lanes, stages * (lane + 1) // lanes, first, last)


cdef class Relay:
    cdef Chains chains
    cdef RowBlock* block
    cdef Py_ssize_t lanes            # threads
    cdef Py_ssize_t parts            # of the block
    cdef Py_ssize_t rows             # of a part
    cdef Py_ssize_t n_gates
    cdef PyThread_type_lock* gates   # of each lane and part: locked until the lane is done with it
    cdef PyThread_type_lock start    # locked until all threads are there

    def __cinit__(self, Chains chains, Py_ssize_t lanes, Py_ssize_t n):
        cdef Py_ssize_t i
        self.chains = chains
        self.rows = max(LEAST_PART, (n + lanes * BATONS - 1) // (lanes * BATONS))
        self.parts = (n + self.rows - 1) // self.rows
        self.gates = <PyThread_type_lock*> PyMem_RawCalloc(lanes * self.parts, sizeof(PyThread_type_lock))
        self.start = PyThread_allocate_lock()
        if self.gates == NULL or self.start == NULL:
            raise MemoryError("onstream: no memory for threads")
        PyThread_acquire_lock(self.start, WAIT_LOCK)
        for i in range(lanes * self.parts):
            self.gates[i] = PyThread_allocate_lock()
            if self.gates[i] == NULL:
                raise MemoryError("onstream: no memory for threads")
            PyThread_acquire_lock(self.gates[i], WAIT_LOCK)
            self.n_gates += 1

    def __dealloc__(self):
        cdef Py_ssize_t i
        for i in range(self.n_gates):
            PyThread_free_lock(self.gates[i])
        PyMem_RawFree(self.gates)
        if self.start != NULL:
            PyThread_free_lock(self.start)

    def run(self, Py_ssize_t lane):
        """Another thread: wait for the start, and let the next one start."""
        with nogil:
            PyThread_acquire_lock(self.start, WAIT_LOCK)
            PyThread_release_lock(self.start)
            self.work(lane)

    cdef void work(self, Py_ssize_t lane) noexcept nogil:
        cdef Py_ssize_t part
        for part in range(self.parts):
            if lane > 0:
                PyThread_acquire_lock(self.gates[(lane - 1) * self.parts + part], WAIT_LOCK)
            self.chains.pass_rows(
                self.block, lane, self.lanes, part * self.rows, min((part + 1) * self.rows, self.block.n))
            PyThread_release_lock(self.gates[lane * self.parts + part])

    cdef void finish(self) noexcept nogil:
        """Wait until the last lane is through."""
        cdef Py_ssize_t part
        for part in range(self.parts):
            PyThread_acquire_lock(self.gates[(self.lanes - 1) * self.parts + part], WAIT_LOCK)


cdef void relay(Chains chains, RowBlock* b, Py_ssize_t lanes) noexcept:
    """Let all chains go over a block in up to `lanes` threads, this one among them. No signal is
    handled meanwhile: nothing may be raised while they work."""
    cdef Relay run
    try:
        run = Relay(chains, lanes, b.n)
    except MemoryError:
        chains.pass_rows(b, 0, 1, 0, b.n)
        return
    run.block, run.lanes = b, 1
    try:
        while run.lanes < lanes:
            start_new_thread(run.run, (run.lanes,))
            run.lanes += 1
    except (RuntimeError, MemoryError):
        pass  # fewer threads do the same work
    PyThread_release_lock(run.start)
    with nogil:
        run.work(0)
        run.finish()
