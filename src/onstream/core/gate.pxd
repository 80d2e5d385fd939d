# Who may touch a model while the GIL is released.

cdef class Gate:
    cdef str who             # class name of the learner, for error messages
    cdef unsigned long owner  # thread that is learning
    cdef int readers         # threads that read without the GIL
    cdef dict inside         # which threads these are, and how often
    cdef int looking         # threads that wait to read
    cdef bint writing        # a thread writes a block without the GIL
    cdef bint learning       # a thread is inside learn_many or learns one example
    cdef bint one            # it learns one example
    cdef int writers_waiting  # threads that wait to write: new readers let them pass
    cdef int ones_waiting    # threads that wait to learn one example
    cdef readonly int waiting  # threads asleep on `changed`
    cdef object changed      # threading.Condition, made when first needed
    cdef long forks          # forks that had led to this process when it was last looked at
    cdef bint unfinished     # a fork came while another thread, which is not here, was learning

    cdef int begin_one(self) except -1
    cdef int end_one(self) except -1
    cdef int begin_learning(self) except -1
    cdef int end_learning(self) except -1
    cdef int begin_write(self) except -1
    cdef int end_write(self) except -1
    cdef int to_read(self) except -1
    cdef int begin_read(self) except -1
    cdef int end_read(self) except -1
    cdef int look(self, str wish) except -1
    cdef bint free(self, str wish) noexcept
    cdef int wait(self, str wish) except -1
    cdef int tell(self) except -1
    cdef int after_fork(self) except -1


cdef class Reading:
    cdef Gate gate


cdef class Learning:
    cdef Gate gate


cdef class Writing:
    cdef Gate gate
