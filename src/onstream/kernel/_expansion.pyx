"""f(x) = sum of a_i K(x_i, x): supports with a coefficient each, or with one for each label.

On a budget, a subclass says where the next support goes once all slots are taken.
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.float cimport DBL_MAX
from libc.math cimport fabs
from libc.stdint cimport int64_t, uint64_t

from ..core.arrays cimport fill, floats, matrix
from ..core.example cimport LEARNED, NO_MEMORY, OVERFLOW, SAFE, Example, onstream_dot
from ..core.memory cimport release, resize
from ._supports cimport CompiledKernel, Supports, draw, eights, grown, restrided


cdef enum:
    ON_STACK = 512  # kernel values of a prediction that need no allocation


cdef class Expansion:
    def __cinit__(self, CompiledKernel compiled, budget=None, *args):
        self.s = Supports(compiled)
        self.budget = budget or 0
        self.k = self.label_room = 1

    def __dealloc__(self):
        release(self.a)
        release(self.before)
        release(self.row)

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        """f of each label at the example. Changes nothing, so it has its own room."""
        cdef double stack[ON_STACK]
        cdef double* row = stack
        cdef double length = 0.0
        cdef Py_ssize_t r
        if self.s.room > ON_STACK:
            row = <double*> PyMem_RawMalloc(self.s.room * sizeof(double))
            if row == NULL:
                return NO_MEMORY
        if self.s.compiled.vectors:
            length = onstream_dot(e.values, e.values, e.n)
        self.s.row(e, length, row)
        for r in range(self.k):
            out[r] = kernel_sum(row, self.a + r * self.room, self.s.n)
        if row != stack:
            PyMem_RawFree(row)
        return LEARNED

    cdef bint score_for_update(self, const Example* e, double* out) noexcept nogil:
        """The same for an example to be learned: keeps its `row`, `length` and `self_k`. False: it is
        too large."""
        cdef Py_ssize_t r
        cdef bint fine = self.s.measure(e, &self.length, &self.self_k)
        self.s.row(e, self.length, self.row)
        for r in range(self.k):
            out[r] = kernel_sum(self.row, self.a + r * self.room, self.s.n)
            fine &= fabs(out[r]) < DBL_MAX
        return fine

    cdef bint vanishes(self) noexcept nogil:
        """Is f zero at every support? Overwrites the kernel row. False for objects: they have no row."""
        cdef Py_ssize_t i, r
        if self.s.n and not self.s.compiled.vectors:
            return False
        for i in range(self.s.n):
            self.s.row_of(i, self.row)
            for r in range(self.k):
                if kernel_sum(self.row, self.a + r * self.room, self.s.n) != 0.0:
                    return False
        return True

    cdef Py_ssize_t next_slot(self) noexcept nogil:
        """The slot of the next support; -1: none. Changes nothing."""
        return self.s.n

    cdef void placed(self, Py_ssize_t slot) noexcept nogil:
        """Note that the next support has gone there."""

    cdef int store(self, const Example* e, const double* tau) noexcept nogil:
        """Make the example that was scored a support; tau: its coefficient for each label."""
        cdef Py_ssize_t slot = self.next_slot(), r
        for r in range(self.k):
            if not fabs(tau[r]) < SAFE:
                return OVERFLOW
        if slot < 0:
            return LEARNED
        if not self.grow(slot + 1, e):
            return NO_MEMORY
        self.s.put(slot, e, self.length, self.self_k, self.row)
        for r in range(self.k):
            self.a[r * self.room + slot] = tau[r]
        self.placed(slot)
        return LEARNED

    cdef bint grow(self, Py_ssize_t supports, const Example* e) noexcept nogil:
        """Make room for `supports` of them, and for the example's features. False: no memory."""
        cdef Py_ssize_t room = self.room
        if supports > room:
            room = eights(max(supports, min(2 * supports, self.budget)) if self.budget else 2 * supports)
        if not self.s.fit(room, e):
            return False
        if room > self.room:
            if not grown(&self.row, self.room, room):
                return False
            if self.room == 0:
                if not grown(&self.a, 0, self.label_room * room):
                    return False
            elif not restrided(&self.a, self.label_room, self.room, room):
                return False
            self.room = room
        return True

    cdef int set_rows(self, Py_ssize_t k, double part) except -1:
        """Set the coefficients for k labels, or for one f. The third label splits f into part * f and
        -part * f, and starts at 0; any other starts at 0."""
        cdef Py_ssize_t i, r
        if k > self.label_room:
            label_room = k if k <= 8 else max(k, self.label_room + self.label_room // 2)
            self.a = <double*> resize(
                self.a, self.label_room * self.room * sizeof(double),
                label_room * self.room * sizeof(double))
            self.label_room = label_room
        if k > 1 and self.k == 1:
            self.before = <double*> resize(NULL, 0, self.room * sizeof(double))
            for i in range(self.s.n):
                self.before[i] = self.a[i]
                self.a[self.room + i] = -part * self.a[i] + 0.0
                self.a[i] = part * self.a[i] + 0.0  # never -0.0
        elif k == 1 and self.k > 1:
            for i in range(self.s.n):
                self.a[i] = self.before[i]
            self.commit_label()
        for r in range(max(self.k, 2), k):
            for i in range(self.room):
                self.a[r * self.room + i] = 0.0
        self.k = k
        return 0

    cdef int commit_label(self) except -1:
        """Forget the coefficients before the third label: it stays."""
        release(self.before)
        self.before = NULL
        return 0

    # -- views and files -----------------------------------------------------------------------------

    def stores(self):
        """Every set of examples that a new one is compared with."""
        return [self.s]

    def coefficients(self):
        """The supports with the coefficients of each label, or of the one f."""
        return [(self.s, floats(self.a + r * self.room, self.s.n)) for r in range(self.k)]

    def export(self):
        table = matrix(self.a, self.k, self.s.n, self.room)
        return {"supports": self.s.export(), "coefficients": table if self.by_label else table[0]}

    def restore(self, fields, width, who):
        """Take over what was exported (a `StateReader`), over `width` features."""
        cdef Example e
        self.s.restore(fields.child("supports"), self.budget or 2**31 - 1, width, who)
        shape = [self.k, self.s.n] if self.by_label else [self.s.n]
        table = fields.array("coefficients", tuple(shape))
        e.ids, e.n, e.width = NULL, 0, 0
        if not self.grow(self.s.n, &e):
            raise MemoryError
        fill(self.a, table.reshape(self.k, self.s.n), self.room)

    def memory(self):
        return self.s.memory() + 8 * (self.label_room * self.room + self.room) + 200


cdef double kernel_sum(const double* row, const double* a, Py_ssize_t n) noexcept nogil:
    """The sum of a_i K(x_i, x), no further than the largest double."""
    cdef double f = onstream_dot(row, a, n)
    if fabs(f) <= DBL_MAX:
        return f
    return DBL_MAX if f > 0.0 else -DBL_MAX if f < 0.0 else 0.0


# -- full budgets: which support makes room --------------------------------------------------------


cdef class StopWhenFull(Expansion):
    """Full: no support is added any more: `Stoptron`."""

    cdef Py_ssize_t next_slot(self) noexcept nogil:
        return self.s.n if self.s.n < self.budget else -1


cdef class DropRandom(Expansion):
    """Full: a support drawn at random makes room: `RandomizedPerceptron`."""

    cdef uint64_t seed
    cdef int64_t draws

    def __cinit__(self, CompiledKernel compiled, budget, seed):
        self.seed = seed

    cdef Py_ssize_t next_slot(self) noexcept nogil:
        if self.s.n < self.budget:
            return self.s.n
        return <Py_ssize_t> ((draw(self.seed, self.draws) >> 32) * <uint64_t> self.budget >> 32)

    cdef void placed(self, Py_ssize_t slot) noexcept nogil:
        self.draws += self.s.n == self.budget

    def export(self):
        return {**Expansion.export(self), "draws": self.draws}

    def restore(self, fields, width, who):
        Expansion.restore(self, fields, width, who)
        self.draws = fields.integer("draws", 0)


cdef class DropOldest(Expansion):
    """Full: the oldest support makes room: `LeastRecentPerceptron`. The slots are a ring."""

    cdef int64_t oldest
    cdef bint full

    cdef Py_ssize_t next_slot(self) noexcept nogil:
        return self.s.n if self.s.n < self.budget else self.oldest

    cdef void placed(self, Py_ssize_t slot) noexcept nogil:
        if self.full:
            self.oldest = (slot + 1) % self.budget
        self.full = self.s.n == self.budget

    def export(self):
        return {**Expansion.export(self), "oldest": self.oldest}

    def restore(self, fields, width, who):
        Expansion.restore(self, fields, width, who)
        self.oldest = fields.integer("oldest", 0, self.budget - 1)
        self.full = self.s.n == self.budget
