"""A readers-writer lock: predictions are safe while another thread learns a block.

The counters are guarded by the GIL. Work on one example keeps the GIL, so reading only has to wait
until no block is being written (`wait_readable`); work on a block releases the GIL, so it acquires
and releases the lock. `learn_many` owns the model from start to end (`acquire_learner`) but writes
chunk by chunk (`acquire_write`), so a prediction waits for at most one chunk. Learning one example
owns the model, too (`acquire_one`): a warning, or a finaliser called by garbage collection, may let
other threads run in between. A thread that has waited checks again, since another may have been
faster.

Threads that wait sleep on locks of their own, not on a `threading.Condition`: that is written in
Python, so Ctrl-C could end it halfway, and some would sleep for ever. Here no bytecode runs.

After a fork the child has only one thread, and locks held by the others would never be released.
So a fork waits until no model is half changed, and a lock resets itself in the child.
"""

import os
from _thread import allocate_lock
from time import sleep

from cpython.pythread cimport PyThread_get_thread_ident

PATIENCE = 60.0  # seconds that a fork waits for writers, and writers for a fork
NAP = 0.0002

cdef long forks = 0  # number of forks that led to this process
cdef int forking = 0  # threads that are about to fork
cdef unsigned long forker = 0  # the latest of them
cdef set writing = set()  # locks held for writing a block
cdef unsigned long ones[64]  # threads that learn one example each (the first 64)
cdef int n_ones = 0


cdef class RWLock:
    def __cinit__(self, str who):
        self.who = who
        self.reader_threads = {}
        self.sleepers = []
        self.forks = forks

    @property
    def waiting(self):
        """The number of threads that wait."""
        return len(self.sleepers)

    cdef int acquire_one(self) except -1:
        """Acquire the model for one example; the GIL is kept.

        A waiting single-example writer goes before new bulk readers, except while another thread
        is inside `learn_many`.
        """
        global n_ones
        if self.forks != forks:
            self.after_fork()
        if forking:
            let_fork()
        if self.learning or self.readers or self.writing:
            self.waiting_single_writers += 1
            try:
                while self.learning or self.readers or self.writing:
                    self.wait("learn")
            except:
                self.waiting_single_writers -= 1
                self.notify()
                raise
            self.waiting_single_writers -= 1
        self.owner = PyThread_get_thread_ident()
        self.learning = self.single = True
        if n_ones < 64:
            ones[n_ones] = self.owner
            n_ones += 1
        return 0

    cdef int release_one(self) except -1:
        global n_ones
        cdef int i
        for i in range(n_ones - 1, -1, -1):  # usually the last
            if ones[i] == self.owner:
                n_ones -= 1
                ones[i] = ones[n_ones]
                break
        self.learning = self.single = False
        return self.notify()

    cdef int acquire_learner(self) except -1:
        if self.forks != forks:
            self.after_fork()
        while self.learning:
            self.wait("acquire_learner")
        self.owner = PyThread_get_thread_ident()
        self.learning = True
        return self.notify()

    cdef int release_learner(self) except -1:
        self.learning = False
        return self.notify()

    cdef int acquire_write(self) except -1:
        if self.forks != forks:
            self.after_fork()
        while self.waiting_readers:  # readers that waited during the last chunk go first
            sleep(0.00005)
        if forking:
            let_fork()
        while self.readers or self.writing:
            self.waiting_writers += 1
            try:
                self.wait("write")
            finally:
                self.waiting_writers -= 1
            if forking:
                let_fork()
        writing.add(self)
        self.writing = True
        return 0

    cdef int release_write(self) except -1:
        self.writing = False
        writing.discard(self)
        return self.notify()

    cdef int wait_readable(self) except -1:
        """Wait until no block is being written; the GIL is kept."""
        if self.forks != forks:
            self.after_fork()
        while self.writing:
            self.wait_as_reader("look")
        return 0

    cdef int acquire_read(self) except -1:
        if self.forks != forks:
            self.after_fork()
        thread = PyThread_get_thread_ident()
        while not self.may("read") and thread not in self.reader_threads:
            self.wait_as_reader("read")
        self.readers += 1
        self.reader_threads[thread] = self.reader_threads.get(thread, 0) + 1
        return 0

    cdef int release_read(self) except -1:
        thread = PyThread_get_thread_ident()
        self.readers -= 1
        if self.reader_threads[thread] > 1:
            self.reader_threads[thread] -= 1
        else:
            del self.reader_threads[thread]
        return self.notify()

    cdef int wait_as_reader(self, str wish) except -1:
        """Wait as a reader: the next chunk to write lets it go first."""
        self.waiting_readers += 1
        try:
            return self.wait(wish)
        finally:
            self.waiting_readers -= 1

    cdef bint may(self, str wish) noexcept:
        """May a thread now do what it wishes?"""
        if wish == "learn":
            return not (self.learning or self.readers or self.writing)
        if wish == "acquire_learner":
            return not self.learning
        if wish == "write":
            return not (self.readers or self.writing)
        if wish == "look":
            return not self.writing
        if self.writing or self.single or self.waiting_writers:
            return False
        return self.learning or not self.waiting_single_writers

    cdef int wait(self, str wish) except -1:
        """Sleep, without the GIL, until the wish may be granted."""
        thread = PyThread_get_thread_ident()
        if wish != "write" and self.learning and self.owner == thread:
            raise RuntimeError(
                f"{self.who}: it is learning just now; a function or a mapping that it calls "
                f"meanwhile must not teach it or wait for it."
            )
        if self.reader_threads and thread in self.reader_threads:
            raise RuntimeError(
                f"{self.who}: it is predicting just now; a mapping that it reads meanwhile must "
                f"not teach it."
            )
        sleepers, own = self.sleepers, allocate_lock()
        own.acquire()
        sleepers.append(own)
        try:
            while not self.may(wish):
                own.acquire()  # until `notify` releases it
        finally:
            sleepers.remove(own)
        return 0

    cdef int notify(self) except -1:
        """Wake the waiting threads, if there are any, so that each looks whether it may go on."""
        if self.sleepers and self.forks == forks:
            for own in self.sleepers[:]:
                if own.locked():
                    own.release()
        return 0

    cdef int after_fork(self) except -1:
        """Reset in a forked child, which has only the thread that forked."""
        thread = PyThread_get_thread_ident()
        if (self.writing or self.single) and self.owner != thread:
            raise RuntimeError(
                f"{self.who}: another thread was teaching it when the process forked, so that this "
                f"copy is half changed. Load it anew, or fork while nobody teaches it."
            )
        self.forks = forks
        if self.learning and self.owner != thread:
            self.learning = False
            self.unfinished = True
        self.reader_threads = {thread: self.reader_threads[thread]} if thread in self.reader_threads else {}
        self.readers = self.reader_threads.get(thread, 0)
        self.waiting_readers = self.waiting_writers = self.waiting_single_writers = 0
        self.sleepers = []
        return 0


# -- forks -------------------------------------------------------------------------------------------


def forking_now():
    """The number of threads about to fork."""
    return forking


def before_fork():
    """Let no thread begin to change a model, and wait for those that do."""
    global forking, forker
    cdef double left = PATIENCE
    cdef unsigned long thread = PyThread_get_thread_ident()
    forker = thread
    forking += 1
    while left > 0.0 and others_are_changing(thread):
        sleep(NAP)
        left -= NAP


cdef bint others_are_changing(unsigned long thread) noexcept:
    """Is another thread changing a model?"""
    cdef int i
    for i in range(n_ones):
        if ones[i] != thread:
            return True
    return any([(<RWLock> lock).owner != thread for lock in writing])


cdef bint is_changing(unsigned long thread) noexcept:
    """Is this thread changing a model already?"""
    cdef int i
    for i in range(n_ones):
        if ones[i] == thread:
            return True
    return any([(<RWLock> lock).owner == thread for lock in writing])


cdef int let_fork() except -1:
    """Wait until no thread is about to fork, but not for ever: a user's fork hook may wait for us.

    A thread that is changing a model goes on, since the fork waits for it.
    """
    cdef double left = PATIENCE
    cdef unsigned long thread = PyThread_get_thread_ident()
    while forking and forker != thread and not is_changing(thread) and left > 0.0:
        sleep(NAP)
        left -= NAP
    return 0


def after_in_parent():
    """Let threads change models again."""
    global forking
    forking = max(0, forking - 1)  # it may have been imported after the fork had begun


def after_in_child():
    """Count the fork, so that every lock resets itself."""
    global forks, forking, n_ones
    forks += 1
    forking = n_ones = 0
    writing.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=before_fork, after_in_parent=after_in_parent, after_in_child=after_in_child
    )
