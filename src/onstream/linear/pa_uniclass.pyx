"""Passive-aggressive uniclass prediction: the ball that examples keep falling into."""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.float cimport DBL_MAX
from libc.math cimport INFINITY, sqrt

from ..core.example cimport LEARNED, NO_MEMORY, OVERFLOW, Example, feature, onstream_dot
from ..core.weights cimport Weights, add
from ..core.rules.pa cimport StepSize, step_size
from ._state cimport LinearRegressorState

from ..base.checks import number, positive
from ..base.unsupervised import Unsupervised
from .aggressiveness import check_pa
from .mixing import mix_regressors, shares
from .base import Linear


class PAUniclass(Linear, Unsupervised):
    """Passive-aggressive uniclass prediction (Crammer et al., JMLR 7, 2006, section 6).

    It has no labels: it keeps a ball, and moves its center towards every example outside, by the
    smallest step that takes the example in. The answer to an example is whether it lies inside,
    its score the radius minus its distance from the center. What an example does not mention is
    0; features that were never learned do not count in an answer.

    Parameters
    ----------
    variant : {"PA-I", "PA", "PA-II"}, default "PA-I"
        How far one example may pull: "PA" all the way, "PA-I" at most C, "PA-II" softened by C.
        "PA" suits clean data only.
    C : float > 0, default 1.0
        Aggressiveness of PA-I and PA-II; lower it when there are outliers.
    epsilon : float >= 0, default 0.1
        Radius of the ball, where it is not learned. Raise it to call more examples normal.
    max_radius : float > 0 or None, default None
        Learn the radius, too: it starts at 0 and grows, to this at most. None: it is epsilon.
    hash_bits : int or None, default None
        Hash features to 2**hash_bits signed slots, so that memory stays fixed whatever the stream
        sends. None names every feature.
    hash_seed : int, default 0
        Seed of that hash.
    init : PAUniclass or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = PAUniclass(variant="PA", epsilon=1.0)
    >>> model.learn_one({"a": 3.0, "b": 4.0})
    >>> {name: round(value, 9) for name, value in model.center.items()}
    {'a': 2.4, 'b': 3.2}
    >>> model.predict_one({"a": 2.0, "b": 3.0}), model.predict_one({"a": 9.0})
    (True, False)
    """

    def __init__(
        self, *, variant="PA-I", C=1.0, epsilon=0.1, max_radius=None, hash_bits=None, hash_seed=0,
        init=None, reset_schedule=False,
    ):
        check_pa(self, variant, C)
        self.epsilon = number(self, "epsilon", epsilon, least=0.0, most=1e150)
        self.max_radius = None
        if max_radius is not None:
            self.max_radius = positive(self, "max_radius", max_radius)
            number(self, "max_radius", max_radius, most=1e150)
        self._check_common(False, hash_bits, hash_seed)
        self._begin(init, reset_schedule)

    def _new_state(self):
        cdef UniclassState state = UniclassState(False)
        state.C, state.step = self.C, step_size(self.variant)
        state.learned = self.max_radius is not None
        state.size = self.max_radius if state.learned else self.epsilon
        state.height = state.size if state.learned else 0.0
        return state

    @property
    def center(self):
        """Feature to value: the middle of the ball. With `hash_bits` the keys are slots."""
        fields = self._view()
        return self._named(fields, fields["weights"][:, 0])

    @property
    def weights(self):
        """The same as `center`."""
        return self.center

    @property
    def radius(self):
        """The radius of the ball now."""
        return (<UniclassState> self._model.readable_state()).radius()

    def _merged(self, mine, theirs):
        a, b = shares(mine, theirs)
        height = a * mine["height"] + b * theirs["height"]
        return {**mix_regressors(mine, theirs), "height": min(height, self._model.state.most_height)}


cdef class UniclassState(LinearRegressorState):
    cdef double C
    cdef StepSize step      # from loss and curvature to the step
    cdef bint learned   # is the radius?
    cdef double size    # radius of the ball; if it is learned, of one in a space of one more axis
    cdef double height  # of the center along that axis, where examples are 0

    @property
    def most_height(self):
        return self.size if self.learned else 0.0

    cdef double radius(self) noexcept nogil:
        """Of the ball as the examples' space cuts it."""
        return sqrt((self.size - self.height) * (self.size + self.height))

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        cdef double square = squared_distance(self.w, e)
        if square < 0.0:
            return NO_MEMORY
        out[0] = max(self.radius() - sqrt(square), -DBL_MAX)
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
        pull = self.step(loss, 1.0, self.C * e.weight) / distance  # q = 1
        status = add(self.w, e, pull, 1.0 - pull)
        if status == LEARNED:
            self.height *= 1.0 - pull
        return status

    # -- state ------------------------------------------------------------------------------------

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
