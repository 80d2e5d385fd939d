"""What kernel learners share: scores from supports, promotion to more labels, structured examples.

Three kinds of state. `KernelClassifierState` has one set of supports with a coefficient for each
label (perceptrons, PA, MIRA). `OneVsRestState` has a binary `Machine` for each label, with supports
of its own, for budgets that are defined for two labels only. `KernelRegressorState` learns numbers.
"""

cimport numpy as cnp
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.float cimport DBL_MAX
from libc.math cimport fabs
from libc.stdint cimport int32_t
from libc.string cimport memcpy

import numpy as np

from ..core.door cimport Row
from ..core.example cimport LEARNED, OVERFLOW, Example, onstream_dot
from ..core.memory cimport release, resize
from ..core.state cimport NOTHING, ClassifierState, Output, RegressorState, State, Task
from .supports cimport Program, Supports, eights, grown, restrided

from ..core.fields import Fields
from ..core.plain import in_row, plain_weight
from .supports import prepared_object

cnp.import_array()

cdef double LARGEST = 1e300
cdef enum:
    ON_STACK = 512  # kernel values of a prediction that need no allocation


cdef double kernel_sum(const double* row, const double* a, Py_ssize_t n) noexcept nogil:
    """The sum of a_i K(x_i, x), no further than the largest double."""
    cdef double f = onstream_dot(row, a, n)
    if fabs(f) <= DBL_MAX:
        return f
    return DBL_MAX if f > 0.0 else -DBL_MAX if f < 0.0 else 0.0


cdef void scores_of(Supports s, const double* a, Py_ssize_t stride, Py_ssize_t k, const Example* e, double* out) noexcept nogil:
    """Scores of an example for k rows of coefficients. Changes nothing, so it has its own room."""
    cdef double stack[ON_STACK]
    cdef double* row = stack
    cdef double length = 0.0
    cdef Py_ssize_t r
    if s.room > ON_STACK:
        row = <double*> PyMem_RawMalloc(s.room * sizeof(double))
    if row != NULL:
        if s.program.vectors:
            length = onstream_dot(e.values, e.values, e.n)
        s.row(e, length, row)
    for r in range(k):
        out[r] = kernel_sum(row, a + r * stride, s.n) if row != NULL else 0.0
    if row != stack:
        PyMem_RawFree(row)


cdef bint bounded(double f) noexcept nogil:
    return fabs(f) < DBL_MAX


# -- one coefficient per label ---------------------------------------------------------------------


cdef class KernelClassifierState(ClassifierState):
    def __cinit__(self, str who, hash_bits, hash_seed, max_labels, kernel, budget=None, *args, **kwargs):
        self.s = Supports(Program(kernel, who))
        self.budget = budget or 0
        self.k = 1
        self.room = self.label_room = 0
        self.a = self.before = self.row = NULL
        self.f = <double*> resize(NULL, 0, sizeof(double))
        self.steps = <double*> resize(NULL, 0, sizeof(double))

    def __dealloc__(self):
        release(self.a)
        release(self.before)
        release(self.row)
        release(self.f)
        release(self.steps)

    cdef Py_ssize_t outputs(self) noexcept nogil:
        return self.k

    cdef int set_labels(self, Py_ssize_t n) except -1:
        """The third label splits f into -f/2 and +f/2 and starts at 0; any other starts at 0."""
        cdef Py_ssize_t k = n if n > 2 else 1, i
        cdef double part = self.first_sign * self.share
        self.f = <double*> resize(self.f, 0, max(1, n) * sizeof(double))
        self.steps = <double*> resize(self.steps, 0, max(1, n) * sizeof(double))
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
            self.settle()
        for r in range(max(self.k, 2 if self.k == 1 else self.k), k):
            for i in range(self.room):
                self.a[r * self.room + i] = 0.0
        self.k = k
        return 0

    cdef int settle(self) except -1:
        release(self.before)
        self.before = NULL
        return 0

    cdef void score(self, const Example* e, double* out) noexcept nogil:
        scores_of(self.s, self.a, self.room, self.k, e, out)

    cdef int learn(self, const Example* e) noexcept nogil:
        return self.score_learn(e, self.f)

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        cdef Py_ssize_t r
        cdef bint fine = self.s.measure(e, &self.length, &self.self_k)
        self.s.row(e, self.length, self.row)
        for r in range(self.k):
            out[r] = kernel_sum(self.row, self.a + r * self.room, self.s.n)
            fine &= bounded(out[r])
        return self.update(e, out) if fine else OVERFLOW

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        """Learn from the example and its scores: LEARNED, or OVERFLOW and nothing is changed."""
        return OVERFLOW

    cdef Py_ssize_t slot(self) noexcept nogil:
        """Where the next support goes; -1: nowhere. Changes nothing."""
        return self.s.n

    cdef void placed(self, Py_ssize_t slot) noexcept nogil:
        """The next support went there."""

    cdef int store(self, const Example* e) noexcept nogil:
        """Make the example a support with the coefficients in `steps`."""
        cdef Py_ssize_t slot = self.slot(), r
        for r in range(self.k):
            if not fabs(self.steps[r]) < LARGEST:
                return OVERFLOW
        if slot < 0:
            return LEARNED
        if not self.make_room(slot + 1, e):
            return OVERFLOW
        self.s.put(slot, e, self.length, self.self_k, self.row)
        for r in range(self.k):
            self.a[r * self.room + slot] = self.steps[r]
        self.placed(slot)
        return LEARNED

    cdef bint make_room(self, Py_ssize_t supports, const Example* e) noexcept nogil:
        cdef Py_ssize_t room = self.room
        if supports > room:
            room = eights(min(2 * supports, self.budget) if self.budget else 2 * supports)
        if not self.s.fit(room, e):
            return False
        if room > self.room:
            self.label_room = max(1, self.label_room)
            if not grown(<void**> &self.row, self.room * sizeof(double), room * sizeof(double)):
                return False
            if self.room == 0:
                if not grown(<void**> &self.a, 0, self.label_room * room * sizeof(double)):
                    return False
            elif not restrided(&self.a, self.label_room, self.room, room):
                return False
            self.room = room
        return True

    # structured examples
    cdef int learn_one(self, object x, object y, object w) except -1:
        if self.s.program.vectors:
            return ClassifierState.learn_one(self, x, y, w)
        return learn_object(self, x, y, w)

    cdef Row* scored(self, object x) except NULL:
        if self.s.program.vectors:
            return ClassifierState.scored(self, x)
        return score_object(self, x)

    def learn_many(self, X, y, w, Output output):
        if self.s.program.vectors:
            return ClassifierState.learn_many(self, X, y, w, output)
        return learn_objects(self, X, y, w, output)

    def predict_many(self, X, Output output):
        if self.s.program.vectors:
            return ClassifierState.predict_many(self, X, output)
        return predict_objects(self, X, output)

    def stores(self):
        """Every set of supports."""
        return [self.s]

    def program(self):
        return self.s.program

    # views and files
    def coefficients(self):
        """One row per label, or one."""
        return [(self.s, floats(self.a + r * self.room, self.s.n)) for r in range(self.k)]

    def export(self):
        rows = [floats(self.a + r * self.room, self.s.n) for r in range(self.k)]
        return {
            **ClassifierState.export(self), "gamma_width": self.s.program.width,
            "supports": self.s.export(), "coefficients": np.array(rows).reshape(self.k, self.s.n),
        }

    def restore(self, fields):
        cdef Example e
        cdef Py_ssize_t r, i
        ClassifierState.restore(self, fields)
        restore_supports(self.s, fields, self.budget, self.door.width, self.who)
        rows = fields.array("coefficients", (self.k, self.s.n))
        e.ids, e.n, e.width = NULL, 0, 0
        if not self.make_room(self.s.n, &e):
            raise MemoryError
        for r in range(self.k):
            for i in range(self.s.n):
                self.a[r * self.room + i] = rows[r, i]

    def memory(self):
        arrays = self.label_room * self.room + self.room + 2 * max(1, self.n_labels)
        return ClassifierState.memory(self) + self.s.memory() + 8 * arrays


def restore_supports(Supports s, fields, Py_ssize_t budget, Py_ssize_t width, str who):
    """The supports of a file, and the width that gamma=None stands for."""
    gamma_width = fields.integer("gamma_width", 0, 2**31 - 1)
    if gamma_width:
        s.program.set_width(gamma_width)
    s.restore(fields.child("supports"), budget or 2**31 - 1, width, who)


cdef object floats(const double* values, Py_ssize_t n):
    """C numbers as an array of its own."""
    array = np.empty(n)
    if n:
        memcpy(cnp.PyArray_DATA(<cnp.ndarray> array), values, n * sizeof(double))
    return array


# -- numbers -----------------------------------------------------------------------------------------


cdef class KernelRegressorState(RegressorState):
    def __cinit__(self, str who, hash_bits, hash_seed, kernel, budget=None, *args, **kwargs):
        self.s = Supports(Program(kernel, who))
        self.budget = budget or 0
        self.room = 0
        self.a = self.row = NULL

    def __dealloc__(self):
        release(self.a)
        release(self.row)

    cdef void score(self, const Example* e, double* out) noexcept nogil:
        scores_of(self.s, self.a, 0, 1, e, out)

    cdef int learn(self, const Example* e) noexcept nogil:
        cdef double prediction
        return self.score_learn(e, &prediction)

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        cdef bint fine = self.s.measure(e, &self.length, &self.self_k)
        self.s.row(e, self.length, self.row)
        out[0] = kernel_sum(self.row, self.a, self.s.n)
        return self.update(e, out[0]) if fine and bounded(out[0]) else OVERFLOW

    cdef int update(self, const Example* e, double f) noexcept nogil:
        """Learn from the example and its prediction: LEARNED, or OVERFLOW and nothing changed."""
        return OVERFLOW

    cdef Py_ssize_t slot(self) noexcept nogil:
        """Where the next support goes; -1: nowhere. Changes nothing."""
        return self.s.n

    cdef void placed(self, Py_ssize_t slot) noexcept nogil:
        """The next support went there."""

    cdef int store(self, const Example* e, double step) noexcept nogil:
        """Make the example a support with this coefficient."""
        cdef Py_ssize_t slot = self.slot()
        if not fabs(step) < LARGEST:
            return OVERFLOW
        if slot < 0:
            return LEARNED
        if not self.make_room(slot + 1, e):
            return OVERFLOW
        self.s.put(slot, e, self.length, self.self_k, self.row)
        self.a[slot] = step
        self.placed(slot)
        return LEARNED

    cdef bint make_room(self, Py_ssize_t supports, const Example* e) noexcept nogil:
        cdef Py_ssize_t room = self.room
        if supports > room:
            room = eights(min(2 * supports, self.budget) if self.budget else 2 * supports)
        if not (
            self.s.fit(room, e)
            and grown(<void**> &self.row, self.room * sizeof(double), room * sizeof(double))
            and grown(<void**> &self.a, self.room * sizeof(double), room * sizeof(double))
        ):
            return False
        self.room = room
        return True

    cdef int learn_one(self, object x, object y, object w) except -1:
        if self.s.program.vectors:
            return RegressorState.learn_one(self, x, y, w)
        return learn_object(self, x, y, w)

    cdef Row* scored(self, object x) except NULL:
        if self.s.program.vectors:
            return RegressorState.scored(self, x)
        return score_object(self, x)

    def learn_many(self, X, y, w, Output output):
        if self.s.program.vectors:
            return RegressorState.learn_many(self, X, y, w, output)
        return learn_objects(self, X, y, w, output)

    def predict_many(self, X, Output output):
        if self.s.program.vectors:
            return RegressorState.predict_many(self, X, output)
        return predict_objects(self, X, output)

    def stores(self):
        return [self.s]

    def program(self):
        return self.s.program

    def coefficients(self):
        return [(self.s, floats(self.a, self.s.n))]

    def export(self):
        return {
            **RegressorState.export(self), "gamma_width": self.s.program.width,
            "supports": self.s.export(), "coefficients": floats(self.a, self.s.n),
        }

    def restore(self, fields):
        cdef Example e
        cdef Py_ssize_t i
        RegressorState.restore(self, fields)
        restore_supports(self.s, fields, self.budget, self.door.width, self.who)
        row = fields.array("coefficients", (self.s.n,))
        e.ids, e.n, e.width = NULL, 0, 0
        if not self.make_room(self.s.n, &e):
            raise MemoryError
        for i in range(self.s.n):
            self.a[i] = row[i]

    def memory(self):
        return RegressorState.memory(self) + self.s.memory() + 16 * self.room


# -- one machine per label -----------------------------------------------------------------------------


cdef class Machine:
    """A binary kernel machine: `plan` decides what to do with an example and checks it, `commit`
    does it, and cannot fail. So either all machines of a learner learn an example or none."""

    def __cinit__(self, Program program, budget, *args):
        self.s = Supports(program, True)
        self.arguments = (budget, *args)
        self.budget = budget or 0
        self.room = 0
        self.a = self.row = self.other = NULL
        self.acts = False

    def __dealloc__(self):
        release(self.a)
        release(self.row)
        release(self.other)

    cdef double score(self, const Example* e) noexcept nogil:
        cdef double f
        scores_of(self.s, self.a, 0, 1, e, &f)
        return f

    cdef int plan(self, const Example* e, double y, double* f) noexcept nogil:
        """Score, then decide. OVERFLOW: the example must be refused."""
        cdef bint fine = self.s.measure(e, &self.length, &self.self_k)
        self.acts = False
        self.s.row(e, self.length, self.row)
        f[0] = kernel_sum(self.row, self.a, self.s.n)
        return self.decide(e, y, f[0]) if fine and bounded(f[0]) else OVERFLOW

    cdef int decide(self, const Example* e, double y, double f) noexcept nogil:
        """What follows from the example; sets `acts` and makes room."""
        return LEARNED

    cdef void commit(self, const Example* e) noexcept nogil:
        """Do it."""

    cdef bint grow(self, Py_ssize_t supports, const Example* e) noexcept nogil:
        """Room for so many supports. False: no memory."""
        cdef Py_ssize_t room = self.room
        if supports > room:
            room = eights(max(supports, min(2 * supports, self.budget) if self.budget else 2 * supports))
        if not (
            self.s.fit(room, e)
            and grown(<void**> &self.row, self.room * sizeof(double), room * sizeof(double))
            and grown(<void**> &self.other, self.room * sizeof(double), room * sizeof(double))
            and grown(<void**> &self.a, self.room * sizeof(double), room * sizeof(double))
        ):
            return False
        self.room = room
        return True

    cdef void negate(self) noexcept nogil:
        """Speak for the other label. Signed numbers change their sign."""
        cdef Py_ssize_t i
        for i in range(self.s.n):
            self.a[i] = 0.0 - self.a[i]

    cdef Machine twin(self):
        """A copy, with the same parameters."""
        cdef Machine other = type(self)(self.s.program, *self.arguments)
        fields = Fields(self.export())
        other.restore(fields, 2**31 - 1, "twin")
        fields.done()
        return other

    def export(self):
        return {"supports": self.s.export(), "coefficients": floats(self.a, self.s.n)}

    def restore(self, fields, width, who):
        """Take over what was exported (a `Fields`)."""
        cdef Example e
        cdef Py_ssize_t i
        self.s.restore(fields.child("supports"), self.budget or 2**31 - 1, width, who)
        row = fields.array("coefficients", (self.s.n,))
        e.ids, e.n, e.width = NULL, 0, 0
        if not self.grow(self.s.n, &e):
            raise MemoryError
        for i in range(self.s.n):
            self.a[i] = row[i]

    def store_and_coefficients(self):
        return self.s, floats(self.a, self.s.n)

    def stores(self):
        """Every set of examples that it compares with."""
        return [self.s]

    def memory(self):
        return self.s.memory() + 24 * self.room + 200


cdef class OneVsRestState(ClassifierState):
    """Learners that are defined for two labels: beyond, one machine per label, against the rest."""

    def __cinit__(self, str who, hash_bits, hash_seed, max_labels, kernel, kind, *arguments):
        self.kind, self.arguments = kind, arguments
        self.program = Program(kernel, who)
        self.machines = []
        self.before = None
        self.each = NULL
        self.k = 0
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
        self.each = <void**> resize(self.each, 0, max(1, len(machines)) * sizeof(void*))
        self.f = <double*> resize(self.f, 0, max(1, len(machines)) * sizeof(double))
        self.machines = machines
        self.k = len(machines)
        for r in range(self.k):
            self.each[r] = <void*> machines[r]

    cdef Py_ssize_t outputs(self) noexcept nogil:
        return self.k

    cdef int set_labels(self, Py_ssize_t n) except -1:
        """The third label makes two machines of one, -f and +f, and starts with a new one."""
        cdef Machine one, two
        if n > 2 and self.k == 1:
            self.before = self.machines[0]
            one, two = (<Machine> self.machines[0]).twin(), (<Machine> self.machines[0]).twin()
            (one if self.first_sign < 0.0 else two).negate()
            self.set_machines([one, two])
        elif n == 2 and self.k > 1:
            self.set_machines([self.before])
            self.before = None
        if n > 2 and n > self.k:
            self.set_machines(self.machines + [self.machine() for _ in range(n - self.k)])
        elif n > 2 and n < self.k:
            self.set_machines(self.machines[:n])
        return 0

    cdef int settle(self) except -1:
        self.before = None
        return 0

    cdef void score(self, const Example* e, double* out) noexcept nogil:
        cdef Py_ssize_t r
        for r in range(self.k):
            out[r] = (<Machine> self.each[r]).score(e)

    cdef int learn(self, const Example* e) noexcept nogil:
        return self.score_learn(e, self.f)

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        cdef Py_ssize_t r
        cdef double y
        cdef int status = LEARNED
        for r in range(self.k):
            y = e.y if self.k == 1 else 1.0 if e.label == r else -1.0
            status |= (<Machine> self.each[r]).plan(e, y, &out[r])
        if status == LEARNED:
            for r in range(self.k):
                if (<Machine> self.each[r]).acts:
                    (<Machine> self.each[r]).commit(e)
        return status

    cdef int learn_one(self, object x, object y, object w) except -1:
        if self.program.vectors:
            return ClassifierState.learn_one(self, x, y, w)
        return learn_object(self, x, y, w)

    cdef Row* scored(self, object x) except NULL:
        if self.program.vectors:
            return ClassifierState.scored(self, x)
        return score_object(self, x)

    def learn_many(self, X, y, w, Output output):
        if self.program.vectors:
            return ClassifierState.learn_many(self, X, y, w, output)
        return learn_objects(self, X, y, w, output)

    def predict_many(self, X, Output output):
        if self.program.vectors:
            return ClassifierState.predict_many(self, X, output)
        return predict_objects(self, X, output)

    def stores(self):
        return [store for machine in self.machines for store in machine.stores()]

    def machine_views(self):
        """The machines themselves, for tests."""
        return list(self.machines)

    def coefficients(self):
        return [machine.store_and_coefficients() for machine in self.machines]

    def export(self):
        machines = {f"machine {r}": machine.export() for r, machine in enumerate(self.machines)}
        return {**ClassifierState.export(self), "gamma_width": self.program.width, **machines}

    def restore(self, fields):
        ClassifierState.restore(self, fields)
        gamma_width = fields.integer("gamma_width", 0, 2**31 - 1)
        if gamma_width:
            self.program.set_width(gamma_width)
        machines = []
        for r in range(self.n_labels if self.n_labels > 2 else 1):
            child = fields.child(f"machine {r}")
            machine = self.machine()
            machine.restore(child, self.door.width, self.who)
            child.done()
            machines.append(machine)
        self.set_machines(machines)

    def memory(self):
        held = sum(machine.memory() + 16 for machine in self.machines)
        return ClassifierState.memory(self) + held


# -- structured examples: rows of kernel values are computed here, with the GIL ------------------------


cdef object object_values(State state, item):
    """[K(x, x), the row of the first store, of the second, ...] of a prepared object."""
    values = []
    stores = state.stores()
    kernel = (<Supports> stores[0]).program.kernel
    values.append(kernel.self_value(item[1]))
    for store in stores:
        values += store.values(item, len(values))
    array = np.array(values, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ValueError(f"{state.who}: the kernel of this example is not finite.")
    return array


cdef void fill(Example* e, object values) noexcept:
    e.ids = NULL
    e.values = <const double*> cnp.PyArray_DATA(<cnp.ndarray> values)
    e.n = cnp.PyArray_SIZE(<cnp.ndarray> values)
    e.peak = 0.0
    e.width = 0


cdef int learn_object(State state, object x, object y, object w) except -1:
    cdef double weight = plain_weight(state.who, w)
    y = state.plain_target(y)
    item = prepared_object((<Supports> state.stores()[0]).program.kernel, state.who, x)
    state.gate.begin_learning()
    try:
        state.gate.begin_write()
        try:
            return learn_prepared(state, item, y, weight, None)
        finally:
            state.gate.end_write()
    finally:
        state.gate.end_learning()


cdef int learn_prepared(State state, item, y, double weight, values) except -1:
    """Learn a prepared object; this thread may write. `values`: its kernel values, if known."""
    cdef Example e
    cdef bint newcomer = False
    e.weight = weight
    newcomer = state.target(y, weight > 0.0, &e)
    if weight == 0.0:
        return 0
    try:
        if values is None or newcomer:  # a new label may bring machines of its own
            values = object_values(state, item)
        fill(&e, values)
        if state.learn(&e) != LEARNED:
            raise ValueError(
                f"{state.who}: learning this example would overflow the range of floats. "
                f"Normalise the kernel."
            )
    except:
        if newcomer:
            state.retract()
        raise
    for store in state.stores():
        store.settle(item)
    state.seen += 1
    if newcomer:
        state.settle()
    return 0


cdef Row* score_object(State state, object x) except NULL:
    cdef Row* row
    cdef Example e
    item = prepared_object((<Supports> state.stores()[0]).program.kernel, state.who, x)
    state.gate.begin_read()
    try:
        values = object_values(state, item)
        fill(&e, values)
        row = state.door.take(16, 2 * state.outputs() + 2)
        state.score(&e, row.scores)
        return row
    finally:
        state.gate.end_read()


cdef list prepared_objects(State state, X):
    """Every object of a list."""
    kernel = (<Supports> state.stores()[0]).program.kernel
    if hasattr(X, "columns") or isinstance(X, (str, bytes, dict)) or not (
        hasattr(X, "__iter__") and hasattr(X, "__len__")
    ):
        raise TypeError(
            f"{state.who}: X must be a list of examples for {kernel!r}, got {type(X).__name__}; "
            f"of a table pass one column."
        )
    items = []
    for i, x in enumerate(X):
        try:
            items.append(prepared_object(kernel, state.who, x))
        except (TypeError, ValueError) as error:
            raise in_row(error, state.who, i) from None
    return items


cdef object learn_objects(State state, X, y, w, Output output):
    """Test each row if an output is wanted, then train; the same as one by one."""
    cdef Task task
    cdef Example e
    cdef Row* row
    cdef Py_ssize_t i
    items = prepared_objects(state, X)
    weights = None
    if w is not None:
        weights = np.array([plain_weight(state.who, v) for v in w])
        if len(weights) != len(items):
            raise ValueError(f"{state.who}: X has {len(items):,} rows, w has {len(weights):,}.")
    state.gate.begin_learning()
    try:
        targets, newcomers = state.targets(y, len(items), weights)
        names = None
        if targets.dtype == np.int32:
            names = [*state.label_names(), *newcomers]
        answers = state.answers(output, len(items), len(newcomers), &task)
        for i in range(len(items)):
            weight = 1.0 if weights is None else weights[i]
            values = None
            state.gate.begin_write()
            try:
                if output != NOTHING:
                    values = object_values(state, items[i])
                    fill(&e, values)
                    row = state.door.take(16, 2 * state.outputs() + 2)
                    state.score(&e, row.scores)
                    state.answer(row.scores, &task, i)
                    state.door.give(row)
                if weight > 0.0:
                    try:
                        target = targets[i] if names is None else names[targets[i]]
                        learn_prepared(state, items[i], target, weight, values)
                    except ValueError as error:
                        raise in_row(error, state.who, i) from None
            finally:
                state.gate.end_write()
        return answers
    finally:
        state.gate.end_learning()


cdef object predict_objects(State state, X, Output output):
    cdef Task task
    cdef Example e
    cdef Row* row
    cdef Py_ssize_t i
    items = prepared_objects(state, X)
    state.gate.begin_read()
    try:
        answers = state.answers(output, len(items), 0, &task)
        for i in range(len(items)):
            values = object_values(state, items[i])
            fill(&e, values)
            row = state.door.take(16, 2 * state.outputs() + 2)
            state.score(&e, row.scores)
            state.answer(row.scores, &task, i)
            state.door.give(row)
        return answers
    finally:
        state.gate.end_read()
