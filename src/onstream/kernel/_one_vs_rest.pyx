"""Budgets that are defined for two labels only: a binary machine for each label, against the rest."""

from ..core.example cimport LEARNED, NO_MEMORY, OVERFLOW, Example
from ..core.memory cimport release, resize
from ._expansion cimport Expansion
from ._objects cimport ObjectClassifierState
from ._supports cimport Program, grown

from ..core.state_reader import StateReader


cdef class Machine(Expansion):
    """A binary kernel machine: `plan` decides what to do with an example and checks it, `commit`
    does it, and cannot fail. So either all machines of a learner learn an example or none."""

    def __cinit__(self, Program program, budget, *args):
        self.s.wants_gram = not program.vectors  # rows of supports will be asked for, too
        self.arguments = (budget, *args)
        self.other = NULL
        self.acts = False

    def __dealloc__(self):
        release(self.other)

    cdef int plan(self, const Example* e, double y, double* f) noexcept nogil:
        """Score, then decide. OVERFLOW: the example must be refused."""
        self.acts = False
        return self.decide(e, y, f[0]) if self.meet(e, f) else OVERFLOW

    cdef int decide(self, const Example* e, double y, double f) noexcept nogil:
        """What follows from the example; sets `acts` and makes room."""
        return LEARNED

    cdef void commit(self, const Example* e) noexcept nogil:
        """Do it."""

    cdef bint grow(self, Py_ssize_t supports, const Example* e) noexcept nogil:
        cdef Py_ssize_t old = self.room
        return Expansion.grow(self, supports, e) and grown(
            <void**> &self.other, old * sizeof(double), self.room * sizeof(double))

    cdef void negate(self) noexcept nogil:
        """Speak for the other label. Signed numbers change their sign."""
        cdef Py_ssize_t i
        for i in range(self.s.n):
            self.a[i] = 0.0 - self.a[i]

    cdef Machine twin(self):
        """A copy, with the same parameters."""
        cdef Machine other = type(self)(self.s.program, *self.arguments)
        fields = StateReader(self.export())
        other.restore(fields, 2**31 - 1, "twin")
        fields.done()
        return other

    def memory(self):
        return Expansion.memory(self) + 8 * self.room


cdef class OneVsRestState(ObjectClassifierState):
    """Learners that are defined for two labels: beyond, one machine per label, against the rest."""

    def __cinit__(self, Program program, kind, *arguments):
        self.kind, self.arguments = kind, arguments
        self.program = program
        self.machines = []
        self.before = None
        self.each = NULL
        self.k = self.room = 0
        self.share = 1.0
        self.f = <double*> resize(NULL, 0, sizeof(double))

    def __init__(self, *args, **kwargs):
        self.set_machines([self.machine()])

    def __dealloc__(self):
        release(self.each)
        release(self.f)

    cdef Machine machine(self):
        """A new machine with the learner's parameters."""
        return self.kind(self.program, *self.arguments)

    def set_machines(self, list machines):
        cdef Py_ssize_t r
        if len(machines) > self.room:
            self.f = <double*> resize(self.f, 0, len(machines) * sizeof(double))
            self.each = <void**> resize(self.each, 0, len(machines) * sizeof(void*))
            self.room = len(machines)
        self.machines = machines
        self.k = len(machines)
        for r in range(self.k):
            self.each[r] = <void*> machines[r]

    cdef Py_ssize_t outputs(self) noexcept nogil:
        return self.k

    cdef int set_labels(self, Py_ssize_t n) except -1:
        """The third label makes two machines of one, -f and +f, and starts with a new one."""
        cdef Machine one, two
        cdef list machines = self.machines, before = self.before
        if n > 2 and self.k == 1:
            before = machines
            one, two = (<Machine> machines[0]).twin(), (<Machine> machines[0]).twin()
            (one if self.first_sign < 0.0 else two).negate()
            machines = [one, two]
        elif n == 2 and self.k > 1:
            machines, before = before, None
        if n > 2:
            machines = machines[:n] + [self.machine() for _ in range(n - len(machines))]
        self.set_machines(machines)  # all or none, if memory fails
        self.before = before
        return 0

    cdef int commit_label(self) except -1:
        self.before = None
        return 0

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        cdef Py_ssize_t r
        for r in range(self.k):
            if (<Machine> self.each[r]).score(e, &out[r]) != LEARNED:
                return NO_MEMORY
        return LEARNED

    cdef int learn(self, const Example* e) noexcept nogil:
        return self.score_learn(e, self.f)

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        cdef Py_ssize_t r
        cdef double y
        cdef int status = LEARNED, one
        for r in range(self.k):  # all of them, since `out` is what each says
            y = e.y if self.k == 1 else 1.0 if e.label == r else -1.0
            one = (<Machine> self.each[r]).plan(e, y, &out[r])
            status = one if one != LEARNED else status
        if status == LEARNED:
            for r in range(self.k):
                if (<Machine> self.each[r]).acts:
                    (<Machine> self.each[r]).commit(e)
        return status

    def stores(self):
        return [store for machine in self.machines for store in machine.stores()]

    def machine_views(self):
        """The machines themselves, for tests."""
        return list(self.machines)

    def coefficients(self):
        return [pair for machine in self.machines for pair in machine.coefficients()]

    def export_own(self):
        machines = {f"machine {r}": machine.export() for r, machine in enumerate(self.machines)}
        return {**ObjectClassifierState.export_own(self), **machines}

    def restore_own(self, fields):
        ObjectClassifierState.restore_own(self, fields)
        machines = []
        for r in range(self.n_labels if self.n_labels > 2 else 1):
            child = fields.child(f"machine {r}")
            machine = self.machine()
            machine.restore(child, self.features.width, self.who)
            child.done()
            machines.append(machine)
        self.set_machines(machines)

    def memory(self):
        held = sum(machine.memory() + 16 for machine in self.machines)
        return ObjectClassifierState.memory(self) + held
