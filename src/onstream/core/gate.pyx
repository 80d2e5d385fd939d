"""Readers and one writer: concurrent predictions are safe while a block is being learned.

The counters are guarded by the GIL. Work on one example keeps the GIL, so it only has to look
(`to_learn`, `to_read`, and `tell` when it has learned); work on a block releases it, so it signs in and out. A learner owns the
model for a whole `learn_many` (`begin_learning`), but writes block by block (`begin_write`), so
that a prediction waits for at most one block. Whoever has waited looks again: others may have been
faster.
"""

from threading import get_ident
from time import sleep


cdef class Gate:
    def __cinit__(self, str who):
        self.who = who
        self.owner = 0
        self.readers = self.looking = self.writers_waiting = self.ones_waiting = self.waiting = 0
        self.inside = {}
        self.writing = self.learning = False
        self.changed = None

    cdef int to_learn(self) except -1:
        """Wait until this thread, which keeps the GIL, may change the model.

        New blocks of reading let it pass, unless another thread is inside learn_many: its blocks
        come first, and wait for those who read.
        """
        if self.learning or self.readers or self.writing:
            self.ones_waiting += 1
            try:
                while self.learning or self.readers or self.writing:
                    self.wait("learn")
            except:
                self.ones_waiting -= 1
                self.tell()
                raise
            self.ones_waiting -= 1
        return 0

    cdef int begin_learning(self) except -1:
        while self.learning:
            self.wait("begin_learning")
        self.owner = get_ident()  # may fail; nobody is shut out then
        self.learning = True
        return self.tell()

    cdef int end_learning(self) except -1:
        self.learning = False
        return self.tell()

    cdef int begin_write(self) except -1:
        while self.looking:  # those who waited during the block before come first
            sleep(0.00005)
        if self.readers or self.writing:
            self.writers_waiting += 1
            try:
                while self.readers or self.writing:
                    self.wait("write")
            finally:
                self.writers_waiting -= 1
        self.writing = True
        return 0

    cdef int end_write(self) except -1:
        self.writing = False
        return self.tell()

    cdef int to_read(self) except -1:
        """Wait until this thread, which keeps the GIL, may read the model."""
        while self.writing:
            self.look("look")
        return 0

    cdef int begin_read(self) except -1:
        thread = get_ident()
        while not self.free("read") and thread not in self.inside:
            self.look("read")
        self.readers += 1
        self.inside[thread] = self.inside.get(thread, 0) + 1
        return 0

    cdef int end_read(self) except -1:
        thread = get_ident()
        self.readers -= 1
        if self.inside[thread] > 1:
            self.inside[thread] -= 1
        else:
            del self.inside[thread]
        return self.tell()

    cdef int look(self, str wish) except -1:
        """Wait as a reader: the next block waits for those."""
        self.looking += 1
        try:
            return self.wait(wish)
        finally:
            self.looking -= 1

    cdef bint free(self, str wish) noexcept:
        """May a thread do what it wishes?"""
        if wish == "learn":
            return not (self.learning or self.readers or self.writing)
        if wish == "begin_learning":
            return not self.learning
        if wish == "write":
            return not (self.readers or self.writing)
        if wish == "look":
            return not self.writing
        return not (self.writing or self.writers_waiting or (self.ones_waiting and not self.learning))

    cdef int wait(self, str wish) except -1:
        """Sleep, without the GIL, until the wish is free."""
        if wish != "write" and self.learning and self.owner == get_ident():
            raise RuntimeError(
                f"{self.who}: it is learning just now; a function or a mapping that it calls "
                f"meanwhile must not teach it or wait for it."
            )
        if self.inside and get_ident() in self.inside:
            raise RuntimeError(
                f"{self.who}: it is predicting just now; a mapping that it reads meanwhile must "
                f"not teach it."
            )
        if self.changed is None:
            import threading

            changed = threading.Condition()
            if self.changed is None:
                self.changed = changed
        with self.changed:
            self.waiting += 1
            try:
                while not self.free(wish):
                    self.changed.wait()
            finally:
                self.waiting -= 1
        return 0

    cdef int tell(self) except -1:
        """Wake the sleepers. Nobody asleep: nothing to do, and nothing paid."""
        if self.waiting:
            with self.changed:
                self.changed.notify_all()
        return 0
