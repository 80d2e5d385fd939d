"""Budgets that are defined for two labels only: a binary machine for each label, against the rest."""

from ...core.example cimport LEARNED, NO_MEMORY, OVERFLOW, Example
from ...core.memory cimport release, resize
from .._expansion cimport Expansion, kernel_sum
from .._state cimport KernelClassifierState
from .._supports cimport CompiledKernel, grown

from ...core.state_reader import StateReader


cdef class BudgetMachine(Expansion):
    """A binary kernel learner. A subclass says by `decide` what an example changes: it checks all that
    may fail and plans the rest; `commit` does it, and cannot fail. So either all machines of a learner
    learn an example or none."""

    def __cinit__(self, CompiledKernel compiled, budget, *parameters):
        self.s.wants_gram = not compiled.vectors  # `row_of` supports will be asked for, too
        self.parameters = (budget, *parameters)

    def __dealloc__(self):
        release(self.other)

    cdef int plan(self, const Example* e, double y, double* f) noexcept nogil:
        """Score, then decide. Not LEARNED: the example must be refused."""
        self.pending = False
        return self.decide(e, y, f[0]) if self.score_for_update(e, f) else OVERFLOW

    cdef int decide(self, const Example* e, double y, double f) noexcept nogil:
        """Plan what follows from the example: set `pending`, and make room."""
        return LEARNED

    cdef void commit(self, const Example* e) noexcept nogil:
        """Do it."""

    cdef bint make_room(self, const Example* e) noexcept nogil:
        """Make room for the example as a support. False: no memory."""
        return self.grow(min(self.s.n + 1, self.budget) if self.budget else self.s.n + 1, e)

    cdef void place(self, Py_ssize_t slot, const Example* e, double coefficient) noexcept nogil:
        """Write the example to a slot; the next free one is `s.n`."""
        self.s.put(slot, e, self.length, self.self_k, self.row)
        self.a[slot] = coefficient

    cdef double f_at(self, Py_ssize_t i) noexcept nogil:
        """f at support i, whose kernel row `other` becomes."""
        self.s.row_of(i, self.other)
        return kernel_sum(self.other, self.a, self.s.n)

    cdef bint grow(self, Py_ssize_t supports, const Example* e) noexcept nogil:
        cdef Py_ssize_t old = self.room
        return Expansion.grow(self, supports, e) and grown(&self.other, old, self.room)

    cdef void negate(self) noexcept nogil:
        """Make -f of f: all signed numbers change their sign."""
        cdef Py_ssize_t i
        for i in range(self.s.n):
            self.a[i] = 0.0 - self.a[i]

    cdef void renew(self) noexcept nogil:
        """The kernel's gamma has changed: compute again what was kept of kernel values."""

    cdef BudgetMachine copy(self):
        cdef BudgetMachine other = type(self)(self.s.compiled, *self.parameters)
        fields = StateReader(self.export())
        other.restore(fields, 2**31 - 1, "copy")
        fields.done()
        return other

    def memory(self):
        return Expansion.memory(self) + 8 * self.room


cdef class OneVsRestState(KernelClassifierState):
    """`expansions` are the machines: one up to two labels, one per label beyond."""

    cdef object kind          # class of the machines
    cdef tuple parameters     # of the machines
    cdef list before          # the single machine, until the third label is committed
    cdef void** each          # the machines, for use without the GIL
    cdef Py_ssize_t k         # how many
    cdef Py_ssize_t room      # how many fit
    cdef double* f            # scores of the example being learned

    def __cinit__(self, CompiledKernel compiled, kind, *parameters):
        self.compiled, self.kind, self.parameters = compiled, kind, parameters
        self.expansions = []
        self.share = 1.0
        self.f = <double*> resize(NULL, 0, sizeof(double))

    def __init__(self, *args):
        self.set_machines([self.machine()])

    def __dealloc__(self):
        release(self.each)
        release(self.f)

    cdef BudgetMachine machine(self):
        """A new machine with the learner's parameters."""
        return self.kind(self.compiled, *self.parameters)

    cdef int set_machines(self, list machines) except -1:
        """Use these machines; nothing is changed if memory fails."""
        cdef Py_ssize_t r
        if len(machines) > self.room:
            self.f = <double*> resize(self.f, 0, len(machines) * sizeof(double))
            self.each = <void**> resize(self.each, 0, len(machines) * sizeof(void*))
            self.room = len(machines)
        self.expansions = machines
        self.k = len(machines)
        for r in range(self.k):
            self.each[r] = <void*> machines[r]
        return 0

    cdef Py_ssize_t outputs(self) noexcept nogil:
        return self.k

    cdef int set_labels(self, Py_ssize_t n) except -1:
        """The third label makes two machines of one, -f and +f, and starts with a new one."""
        cdef BudgetMachine one, two
        cdef list machines = self.expansions, before = self.before
        if n > 2 and self.k == 1:
            before = machines
            one, two = (<BudgetMachine> machines[0]).copy(), (<BudgetMachine> machines[0]).copy()
            (one if self.first_sign < 0.0 else two).negate()
            machines = [one, two]
        elif n == 2 and self.k > 1:
            machines, before = before, None
        if n > 2:
            machines = machines[:n] + [self.machine() for _ in range(n - len(machines))]
        self.set_machines(machines)
        self.before = before
        return 0

    cdef int commit_label(self) except -1:
        self.before = None
        return 0

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        cdef Py_ssize_t r
        for r in range(self.k):
            if (<BudgetMachine> self.each[r]).score(e, &out[r]) != LEARNED:
                return NO_MEMORY
        return LEARNED

    cdef int learn(self, const Example* e) noexcept nogil:
        return self.score_learn(e, self.f)

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        cdef Py_ssize_t r
        cdef double y
        cdef int status = LEARNED, one
        if not self.compiled.hold(e):
            return NO_MEMORY
        for r in range(self.k):  # all of them, since each writes its score
            y = e.y if self.k == 1 else 1.0 if e.label == r else -1.0
            one = (<BudgetMachine> self.each[r]).plan(e, y, &out[r])
            status = one if one != LEARNED else status
        if status == LEARNED:
            for r in range(self.k):
                if (<BudgetMachine> self.each[r]).pending:
                    (<BudgetMachine> self.each[r]).commit(e)
            if self.compiled.watch(e):
                for r in range(self.k):
                    (<BudgetMachine> self.each[r]).renew()
        return status

    def export_own(self):
        machines = {f"machine {r}": machine.export() for r, machine in enumerate(self.expansions)}
        return {**KernelClassifierState.export_own(self), **machines}

    def restore_own(self, fields):
        KernelClassifierState.restore_own(self, fields)
        machines = []
        for r in range(self.n_labels if self.n_labels > 2 else 1):
            child = fields.child(f"machine {r}")
            machine = self.machine()
            machine.restore(child, self.features.width, self.who)
            child.done()
            machines.append(machine)
        self.set_machines(machines)

    def memory(self):
        held = sum(machine.memory() + 16 for machine in self.expansions)
        return KernelClassifierState.memory(self) + held
