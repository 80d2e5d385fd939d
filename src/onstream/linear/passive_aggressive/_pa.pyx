"""Passive-aggressive steps: the smallest change of the weights that removes a loss.

Each state turns an example into a loss and the curvature q; `step` makes of them tau, the length of
the step, as the variant says (core/rules/pa.pxd). Sections are those of Crammer et al., JMLR 7, 2006.
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.float cimport DBL_MAX
from libc.math cimport INFINITY, copysign, fabs, sqrt

from ...core.example cimport LEARNED, NO_MEMORY, OVERFLOW, Example, feature, onstream_dot, sqnorm
from ...core.memory cimport release, resize, roomier
from ...core.rules.pa cimport StepSize, step_size
from ...core.scores cimport margin
from ...core.weights cimport Weights, add, add_pair
from .._state cimport LinearClassifierState, LinearRegressorState
from ..targets cimport deviation_with

from ..user_functions import cost_of


# -- labels ----------------------------------------------------------------------------------------

cdef class PAState(LinearClassifierState):
    cdef double C
    cdef StepSize step

    def __init__(self, bint intercept, str variant, double C):
        self.C = C
        self.step = step_size(variant)

    def minds_scales(self):
        return True

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef double C = self.C * e.weight, loss, norm
        cdef int q = 0
        # Hinge loss of the margin (section 3); with more labels over the best wrong one (section 7).
        loss = 1.0 - margin(e, f, self.w.k, &q)
        if loss <= 0.0:
            return LEARNED
        norm = sqnorm(e) + self.w.intercept
        if not norm < INFINITY:
            return OVERFLOW
        if norm == 0.0:
            return LEARNED
        # w += tau y x; of two rows each moves, so the squared length counts twice.
        if self.w.k == 1:
            return add(self.w, e, e.y * self.step(loss, norm, C), 1.0)
        return add_pair(self.w, e, e.label, q, self.step(loss, 2.0 * norm, C), 1.0)


cdef class CostState(PAState):
    cdef object cost       # function of the user; None: 1 for every mistake
    cdef bint max_loss     # move the label with the largest loss, not the one predicted
    cdef double* roots     # sqrt(cost(y, r)) at y * room + r
    cdef Py_ssize_t known  # labels whose costs were asked for
    cdef Py_ssize_t room   # labels that fit

    def __init__(self, bint intercept, str variant, double C, cost, bint max_loss):
        PAState.__init__(self, intercept, variant, C)
        self.cost, self.max_loss = cost, max_loss
        self.calls_user_code = cost is not None

    def __dealloc__(self):
        release(self.roots)

    cdef int update(self, const Example* e, const double* f) noexcept nogil:
        cdef double norm = sqnorm(e) + self.w.intercept
        cdef double C = self.C * e.weight, loss
        cdef int y = e.label, r
        if not norm < INFINITY:
            return OVERFLOW
        if self.n_labels < 2 or norm == 0.0:
            return LEARNED
        # The margin over r must be the root of what saying r costs (section 8).
        if self.w.k == 1:  # f is the difference of the two rows, so it moves by both their steps
            r = 1 - y
            if not self.max_loss and self.binary_choice(f[0]) == y:
                return LEARNED
            loss = self.root(y, r) - e.y * f[0]
            return add(self.w, e, 2.0 * e.y * self.step(loss, 2.0 * norm, C), 1.0) if loss > 0.0 else LEARNED
        r = self.largest_loss(f, y) if self.max_loss else self.decide(f) if self.seen else 0
        if r == y:
            return LEARNED
        loss = f[r] - f[y] + self.root(y, r)
        return add_pair(self.w, e, y, r, self.step(loss, 2.0 * norm, C), 1.0) if loss > 0.0 else LEARNED

    cdef int largest_loss(self, const double* f, int y) noexcept nogil:
        """The label with the largest loss; y, whose loss is 0, if no other is larger."""
        cdef int r, best = y
        cdef double loss, most = 0.0
        for r in range(<int> self.w.k):
            loss = f[r] - f[y] + self.root(y, r)
            if r != y and loss > most:
                best, most = r, loss
        return best

    cdef double root(self, int y, int r) noexcept nogil:
        return 1.0 if self.roots == NULL else self.roots[y * self.room + r]

    cdef int set_labels(self, Py_ssize_t n) except -1:
        if self.cost is not None:
            self.make_room(n)
            self.known = min(self.known, n)
            while self.known < n:
                self.ask_costs(self.known)
                self.known += 1
        return LinearClassifierState.set_labels(self, n)

    cdef int make_room(self, Py_ssize_t n) except -1:
        cdef Py_ssize_t room, y, r
        cdef double* roots
        if n <= self.room:
            return 0
        room = roomier(self.room, n)
        roots = <double*> resize(NULL, 0, room * room * sizeof(double))
        for y in range(self.known):
            for r in range(self.known):
                roots[y * room + r] = self.roots[y * self.room + r]
        release(self.roots)
        self.roots, self.room = roots, room
        return 0

    cdef int ask_costs(self, Py_ssize_t new) except -1:
        """Call the user's function for a new label with each label before it."""
        cdef Py_ssize_t old
        names = self.labels.names
        for old in range(new):
            self.roots[new * self.room + old] = sqrt(cost_of(self.who, self.cost, names[new], names[old]))
            self.roots[old * self.room + new] = sqrt(cost_of(self.who, self.cost, names[old], names[new]))
        return 0

    def restore_own(self, fields):
        LinearClassifierState.restore_own(self, fields)
        self.known = min(self.known, self.n_labels)

    def memory(self):
        return LinearClassifierState.memory(self) + self.room * self.room * sizeof(double)


# -- numbers ---------------------------------------------------------------------------------------

cdef class PARegressorState(LinearRegressorState):
    cdef double C
    cdef double epsilon  # errors up to this are no loss
    cdef bint softens    # PA-II
    cdef StepSize step

    def __init__(self, bint intercept, str variant, double C, double epsilon, *, bint relative=False):
        self.C, self.epsilon = C, epsilon
        self.softens = variant == "PA-II"
        self.step = step_size(variant)

    def minds_scales(self):
        return True

    cdef int update(self, const Example* e, double prediction) noexcept nogil:
        # Epsilon-insensitive loss (section 5); relative: epsilon counts deviations of the
        # targets, and C tenths of them.
        cdef double unit = deviation_with(&self.targets, e.y) if self.relative else 1.0
        cdef double error = e.y - prediction
        cdef double loss = fabs(error) - unit * self.epsilon, norm
        if loss <= 0.0:
            return LEARNED
        norm = sqnorm(e) + self.w.intercept
        if not norm < INFINITY:
            return OVERFLOW
        if norm == 0.0:
            return LEARNED
        # w += sign(error) tau x
        if self.softens:
            unit = 1.0  # PA-II adds 1 / 2C to a squared length of x
        elif self.relative:
            unit *= 0.1
        return add(self.w, e, copysign(self.step(loss, norm, unit * self.C * e.weight), error), 1.0)


cdef class MarginState(LinearRegressorState):
    """Weights that are asked for w.x >= y, y by y: x is the difference of two feature vectors
    (sections 7 and 9)."""

    cdef double C
    cdef StepSize step

    def __init__(self, bint intercept, str variant, double C):
        self.C = C
        self.step = step_size(variant)

    cdef int update(self, const Example* e, double value) noexcept nogil:
        cdef double loss = e.y - value, norm
        if loss <= 0.0:
            return LEARNED
        norm = sqnorm(e)
        if not norm < INFINITY:
            return OVERFLOW
        if norm == 0.0:
            return LEARNED
        return add(self.w, e, self.step(loss, norm, self.C * e.weight), 1.0)


# -- no target -------------------------------------------------------------------------------------

cdef class UniclassState(LinearRegressorState):
    """A ball around w. Where its radius is learned, it is the part in the examples' space of a ball in
    a space with one more axis, along which examples are 0 and the center descends (section 6)."""

    cdef double C
    cdef StepSize step
    cdef double size         # radius of the ball; if it is learned, of the ball in the larger space
    cdef double height       # of the center along the further axis; 0 if the radius is fixed
    cdef double most_height  # where it begins

    def __init__(self, bint intercept, str variant, double C, double size, bint learned):
        self.C, self.size = C, size
        self.step = step_size(variant)
        self.height = self.most_height = size if learned else 0.0

    @property
    def radius(self):
        return self.radius_here()

    cdef double radius_here(self) noexcept nogil:
        """Radius of the ball in the examples' space."""
        return sqrt((self.size - self.height) * (self.size + self.height))

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        cdef double square = squared_distance(self.w, e)
        if square < 0.0:
            return NO_MEMORY
        out[0] = max(self.radius_here() - sqrt(square), -DBL_MAX)
        return LEARNED

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        return self.learn(e) if self.score(e, out) == LEARNED else NO_MEMORY

    cdef int learn(self, const Example* e) noexcept nogil:
        cdef double square = squared_distance(self.w, e)
        cdef double distance = sqrt(square + self.height * self.height)
        cdef double loss = distance - self.size, pull
        cdef int status
        if square < 0.0:
            return NO_MEMORY
        if not distance < INFINITY:
            return OVERFLOW
        if loss <= 0.0:
            return LEARNED
        # w += tau (x - w) / |x - w|, with q = 1 (section 6)
        pull = self.step(loss, 1.0, self.C * e.weight) / distance
        status = add(self.w, e, pull, 1.0 - pull)
        if status == LEARNED:
            self.height *= 1.0 - pull
        return status

    def export_own(self):
        return {**LinearRegressorState.export_own(self), "height": self.height}

    def restore_own(self, fields):
        LinearRegressorState.restore_own(self, fields)
        self.height = fields.number("height", 0.0, self.most_height)


cdef double squared_distance(Weights w, const Example* e) noexcept nogil:
    """|x - w|^2 over all features. Not by |x|^2 - 2 w.x + |w|^2, which cancels. -1: no memory."""
    cdef double* apart = <double*> PyMem_RawMalloc((w.rows + 1) * sizeof(double))
    cdef double total
    cdef Py_ssize_t i
    if apart == NULL:
        return -1.0
    for i in range(w.rows):
        apart[i] = w.scale * w.v[i]
    for i in range(e.n):
        apart[feature(e, i)] -= e.values[i]
    total = onstream_dot(apart, apart, w.rows)
    PyMem_RawFree(apart)
    return total
