# Which threads may use a model while the GIL is released.

cdef class RWLock:
    cdef str who             # class name of the learner, for error messages
    cdef unsigned long owner  # thread that is learning
    cdef int readers         # threads that read without the GIL
    cdef dict reader_threads         # these threads, with the number of times each holds the lock
    cdef int waiting_readers         # threads that wait to read
    cdef readonly bint writing  # a thread writes a block without the GIL
    cdef bint learning       # a thread is inside learn_many or learns one example
    cdef bint single            # it learns one example
    cdef int waiting_writers  # threads that wait to write: new readers wait for them
    cdef int waiting_single_writers    # threads that wait to learn one example
    cdef list sleepers       # locks on which threads wait, one for each
    cdef long forks          # value of the global `forks` when last used
    cdef bint unfinished     # forked while another thread was learning, which is not in this process

    cdef int acquire_one(self) except -1
    cdef int release_one(self) except -1
    cdef int acquire_learner(self) except -1
    cdef int release_learner(self) except -1
    cdef int acquire_write(self) except -1
    cdef int release_write(self) except -1
    cdef int wait_readable(self) except -1
    cdef int acquire_read(self) except -1
    cdef int release_read(self) except -1
    cdef int wait_as_reader(self, str wish) except -1
    cdef bint may(self, str wish) noexcept
    cdef int wait(self, str wish) except -1
    cdef int notify(self) except -1
    cdef int after_fork(self) except -1
