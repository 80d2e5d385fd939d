"""A transformer's state, and the chain of steps: alone, before a learner, or as part of a union.

A subclass implements `learn`, `transform` and `undo` (of the last `learn`) on an `Example`, without
the GIL.
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int32_t

from .encoder cimport Encoder
from .example cimport LEARNED, NO_MEMORY, NUMBER, Example, feature, onstream_peak
from .memory cimport resize
from .state cimport State

cdef enum:
    PER_VALUE = 16  # bytes of a value in a pool: a double and two int32


cdef bint fill_pool(Pool* pool, Py_ssize_t room) noexcept nogil:
    """Allocate room for values; False: no memory."""
    room = max(1, room)
    pool.values = <double*> PyMem_RawMalloc(room * PER_VALUE)
    if pool.values == NULL:
        return False
    spread(pool, room)
    return True


cdef void spread(Pool* pool, Py_ssize_t room) noexcept nogil:
    """Lay out the arrays of a pool in its memory."""
    pool.ids = <int32_t*> (pool.values + room)
    pool.codes = pool.ids + room
    pool.n = pool.part = 0


cdef class TransformerState(State):
    """A state that turns examples into examples, alone or before a learner.

    Learning holds the writer's lock, so a step then writes into buffers of its own. Predictions may
    come from many threads, so they allocate memory for each example.
    """

    def __dealloc__(self):
        PyMem_RawFree(self.out.values)

    # -- what a kind of transformer adds -----------------------------------------------------------

    cdef Py_ssize_t most(self, Py_ssize_t n) noexcept nogil:
        """The most features that come out of n."""
        return n

    cdef int transform(self, const Example* e, Example* out, Pool* pool) noexcept nogil:
        """Fill `out`, a copy of the example, with memory of the pool. Changes nothing else. LEARNED,
        or NO_MEMORY."""
        return LEARNED

    cdef Py_ssize_t width_out(self, Py_ssize_t width) noexcept nogil:
        """The width of what comes out when `width` features came in."""
        return width if self.output_features is None else self.output_features.width

    def keeps_nominal(self):
        """Does a nominal value stay one?"""
        return True

    def scales(self):
        """Do its outputs have a common scale, whatever came in?"""
        return False

    def hashes(self):
        """Are its features slots of a hash?"""
        return False

    cdef void undo(self) noexcept nogil:
        """Undo the last `learn`."""

    cdef Encoder own_encoder(self, str who):
        """The encoder that this step needs as the first one; None: any."""
        return None

    def selects(self):
        """The features that this step takes as the first one; None: all."""
        return None

    # -- from step to step ------------------------------------------------------------------------

    cdef int apply(self, const Example* e, Example* out, Pool* pool) noexcept nogil:
        cdef int status
        out[0] = e[0]
        status = self.transform(e, out, pool)
        out.peak = onstream_peak(out.values, out.n)
        out.width = self.width_out(e.width)
        return status

    cdef int pass_score(self, const Example* e, State last, double* out) noexcept nogil:
        """Scores of the final learner `last` for the transformed example."""
        cdef Pool pool
        cdef Example made
        cdef int status
        if not fill_pool(&pool, self.most(e.n)):
            return NO_MEMORY
        status = self.apply(e, &made, &pool)
        if status == LEARNED:
            if self.next is not None:
                status = self.next.pass_score(&made, last, out)
            else:
                status = last.score(&made, out)
        PyMem_RawFree(pool.values)
        return status

    cdef int pass_learn(self, const Example* e, State last) noexcept nogil:
        """Learn, transform, pass on. All steps and `last` learn the example, or none does."""
        cdef Example made
        cdef int status
        if not self.make_out(self.most(e.n)):
            return NO_MEMORY
        status = self.learn(e)
        if status != LEARNED:
            return status
        status = self.apply(e, &made, &self.out)
        if status == LEARNED:
            if self.next is not None:
                status = self.next.pass_learn(&made, last)
            elif last is not None:
                status = last.learn(&made)
        if status != LEARNED:
            self.undo()
        else:
            self.seen += 1
        return status

    cdef int pass_score_learn(self, const Example* e, State last, double* out) noexcept nogil:
        """Scores by what is known, then `pass_learn`."""
        cdef Example made
        cdef int status
        if not self.constant:
            status = self.pass_score(e, last, out)
            return status if status != LEARNED else self.pass_learn(e, last)
        if not self.make_out(self.most(e.n)):
            return NO_MEMORY
        status = self.apply(e, &made, &self.out)  # once for both
        if status == LEARNED:
            if self.next is not None:
                status = self.next.pass_score_learn(&made, last, out)
            else:
                status = last.score_learn(&made, out)
        self.seen += status == LEARNED
        return status

    cdef bint make_out(self, Py_ssize_t room) noexcept nogil:
        """Make room for a transformed example, while learning; False: no memory."""
        if room <= self.out_room and self.out.values != NULL:
            return True
        PyMem_RawFree(self.out.values)
        self.out_room = 2 * room
        return fill_pool(&self.out, self.out_room)

    cdef void pass_undo(self) noexcept nogil:
        """Undo the last `learn` of this step and those after it."""
        self.undo()
        self.seen -= 1
        if self.next is not None:
            self.next.pass_undo()

    cdef Py_ssize_t pass_room(self, Py_ssize_t width) except -1:
        """Make room in every step; the width of what comes out of the last."""
        self.reserve(width)
        width = self.width_out(width)
        return width if self.next is None else self.next.pass_room(width)

    cdef Py_ssize_t pass_shrink(self, Py_ssize_t width) except -1:
        """Roll features back to `width` in every step; the width of what comes out of the last."""
        self.shrink(width)
        width = self.width_out(width)
        return width if self.next is None else self.next.pass_shrink(width)

    cdef Py_ssize_t pass_most(self, Py_ssize_t n) noexcept nogil:
        n = self.most(n)
        return n if self.next is None else self.next.pass_most(n)

    # -- the output of the last step ---------------------------------------------------------------

    cdef int collect_into(self, const Example* e, TransformerState last, Pool* pool) noexcept nogil:
        """Append to the pool the example as transformed by this step, those after it, and `last`."""
        cdef Pool own
        cdef Py_ssize_t i
        cdef Example made
        cdef int status
        if not fill_pool(&own, self.most(e.n)):
            return NO_MEMORY
        status = self.apply(e, &made, &own)
        if status == LEARNED and self.next is not None:
            status = self.next.collect_into(&made, last, pool)
        elif status == LEARNED and last is not None:
            status = last.collect_into(&made, None, pool)
        elif status == LEARNED:
            for i in range(made.n):
                if made.values[i] == made.values[i]:  # NaN is missing
                    pool.ids[pool.n] = feature(&made, i)
                    pool.codes[pool.n] = made.codes[i] if made.codes != NULL else NUMBER
                    pool.values[pool.n] = made.values[i]
                    pool.n += 1
        PyMem_RawFree(own.values)
        return status

    # -- parts of a union ----------------------------------------------------------------------------

    cdef int collect_all(self, const Example* e, TransformerState union, Pool* pool) noexcept nogil:
        """The same for this part and its siblings, with the features numbered by the union."""
        cdef Py_ssize_t start = pool.n
        cdef int status = self.collect_into(e, None, pool)
        union.renumber(pool, start)
        pool.part += 1
        if status == LEARNED and self.sibling is not None:
            status = self.sibling.collect_all(e, union, pool)
        return status

    cdef void renumber(self, Pool* pool, Py_ssize_t start) noexcept nogil:
        """Replace the ids of part `pool.part`, from `start` on, by those of the union."""

    cdef int learn_all(self, const Example* e) noexcept nogil:
        """This part and its siblings learn the example, or none does."""
        cdef int status = self.pass_learn(e, None)
        if status == LEARNED and self.sibling is not None:
            status = self.sibling.learn_all(e)
            if status != LEARNED:
                self.pass_undo()
        return status

    cdef Py_ssize_t most_all(self, Py_ssize_t n) noexcept nogil:
        return self.pass_most(n) + (0 if self.sibling is None else self.sibling.most_all(n))

    cdef void undo_all(self) noexcept nogil:
        self.pass_undo()
        if self.sibling is not None:
            self.sibling.undo_all()

    cdef Encoder last_features(self):
        return self.output_features if self.output_features is not None else self.features

    def makes(self):
        """Does it make features of its own?"""
        return self.output_features is not None

    cdef object name_out(self, int32_t id):
        """Name of an output feature; a slot, if it is hashed."""
        cdef Encoder features = self.last_features()
        return id if features.bits >= 0 or id < features.implicit else features.names[id - features.implicit]

    # -- state ---------------------------------------------------------------------------------------

    def export_step(self):
        """The state of a step, as part of a pipeline's."""
        return {"seen": self.seen, **self.export_own()}

    def restore_step(self, fields):
        """Restore what `export_step` exported."""
        self.seen = fields.integer("seen", 0, 2**61)
        self.restore_own(fields)

    def own_bytes(self):
        """Bytes in use, without those of the features."""
        return PER_VALUE * self.out_room

    def memory(self):
        return State.memory(self) + self.own_bytes()


cdef Py_ssize_t collect(TransformerState front, TransformerState last, const Example* e, Pool* pool) except -1:
    """Fill the pool with an example as transformed by the steps from `front` on (None: no steps),
    then by `last`. The caller frees the pool."""
    cdef Py_ssize_t room = e.n if front is None else front.pass_most(e.n)
    room = max(1, last.most(room))
    pool.values = <double*> resize(pool.values, 0, room * PER_VALUE)
    spread(pool, room)
    if (last.collect_into(e, None, pool) if front is None else front.collect_into(e, last, pool)) != LEARNED:
        raise MemoryError(f"{last.who}: no memory to transform an example.")
    return pool.n
