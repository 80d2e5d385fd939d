"""Work in a thread of its own that ends with what called it.

Signals such as Ctrl-C are handled in the main thread only. While that waits here, nothing breaks the
work off; the signal is handled later, where nothing is half done.
"""

from cpython.pythread cimport (
    WAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock, PyThread_release_lock,
)

from _thread import start_new_thread


cdef class Work:
    def __cinit__(self, call):
        self.call = call
        self.busy = PyThread_allocate_lock()
        if self.busy == NULL:
            raise MemoryError("onstream: no memory for a thread")
        PyThread_acquire_lock(self.busy, WAIT_LOCK)

    def __dealloc__(self):
        if self.busy != NULL:
            PyThread_free_lock(self.busy)

    cdef int start(self) except -1:
        start_new_thread(self.run, ())
        return 0

    def run(self):
        try:
            self.found = self.call()
        except BaseException as error:
            self.error = error
        PyThread_release_lock(self.busy)

    cdef object wait(self):
        with nogil:
            PyThread_acquire_lock(self.busy, WAIT_LOCK)
        if self.error is not None:
            raise self.error
        return self.found


def undisturbed(call):
    """What `call()` returns, or raises; no signal breaks it off."""
    cdef Work work = Work(call)
    try:
        work.start()
    except RuntimeError:  # no more threads: a signal may break it off
        return call()
    return work.wait()
