"""Work that no signal breaks off, such as Ctrl-C: signals are handled in the main thread only, which
waits here while another thread works. The signal is handled later, where nothing is half done.
"""

from cpython.pythread cimport (
    WAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock, PyThread_release_lock,
    PyThread_type_lock,
)

from _thread import start_new_thread


def undisturbed(call):
    """What `call()` returns, or raises."""
    work = Work(call)
    try:
        start_new_thread(work.run, ())
    except RuntimeError:  # no more threads: a signal may break it off
        return call()
    return work.wait()


cdef class Work:
    cdef object call
    cdef object found
    cdef object error
    cdef PyThread_type_lock busy  # held until it is done

    def __cinit__(self, call):
        self.call = call
        self.busy = PyThread_allocate_lock()
        if self.busy == NULL:
            raise MemoryError("onstream: no memory for a thread")
        PyThread_acquire_lock(self.busy, WAIT_LOCK)

    def __dealloc__(self):
        if self.busy != NULL:
            PyThread_free_lock(self.busy)

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
