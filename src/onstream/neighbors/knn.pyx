"""Nearest neighbours over a window: the label, or the number, of the most similar examples."""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport fabs
from libc.stdint cimport int32_t
from libc.string cimport memset

import numpy as np

from ..core.classifier cimport ClassifierState
from ..core.example cimport LEARNED, NO_MEMORY, OVERFLOW, Example
from ..core.memory cimport release, resize
from ..core.state cimport State
from ..drift._adwin cimport Adwin, adwin_bytes, adwin_export, adwin_free, adwin_push, adwin_restore, adwin_start
from .window cimport STANDARD, Window

from ..base.checks import choice, number, whole
from ..base.errors import NotMergeable
from ..base.classifier import ProbabilisticClassifier
from ..base.regressor import Regressor

cdef double LARGEST = 1e120   # larger values are refused
cdef double HEAVIEST = 1e100  # and heavier examples


class Neighbours:
    """Parameters and checks that all nearest-neighbour learners have."""

    def _check_common(self, k, window, scale, weights, metric):
        self.k = whole(self, "k", k, least=1, most=2**20)
        self.window = whole(self, "window", window, least=1, most=2**31 - 16)
        if scale is not None and scale not in ("minmax", "standard"):
            raise ValueError(
                f"{type(self).__name__}: scale must be 'minmax', 'standard' or None, got {scale!r:.80}."
            )
        self.scale = scale
        self.weights = choice(self, "weights", weights, ("uniform", "distance"))
        self.metric = metric
        if not callable(metric):
            choice(self, "metric", metric, ("euclidean", "manhattan", "cosine"))

    def merge(self, other):
        """Refused: two windows of latest examples have no common order."""
        raise NotMergeable(
            f"{type(self).__name__}: two windows of latest examples have no common order, so they "
            f"cannot become one."
        )

    def _asked(self, answer):
        """An answer, unless the user's metric failed on the way."""
        if callable(self.metric):
            self._model.state.window_of().check()
        return answer


class KNNClassifier(Neighbours, ProbabilisticClassifier):
    """k nearest neighbours among the latest examples (Cover & Hart, IEEE IT 13, 1967).

    It remembers the last `window` examples and answers with the label that most of the k nearest
    have; on a tie, the one whose example is nearest, then the label that came first. At equal
    distances the oldest examples count first. The search is exact. A feature that is left out is 0.

    Parameters
    ----------
    k : int >= 1, default 5
        Neighbours that vote; raise it when labels are noisy.
    window : int >= 1, default 1000
        Examples it remembers; lower it to follow drift. Work grows with it.
    scale : {"minmax", "standard"} or None, default "minmax"
        Divide each feature by its range, or its standard deviation, in the window; a constant
        feature counts nothing. None compares values as they are.
    weights : {"uniform", "distance"}, default "uniform"
        One vote each, or votes of 1 / (distance + 1e-12), so that an exact match decides.
    metric : {"euclidean", "manhattan", "cosine"} or callable, default "euclidean"
        How far two examples are apart. A callable takes two arrays, scaled, and gives a number >= 0.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : KNNClassifier or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = KNNClassifier(k=1)
    >>> model.learn_many([[0.0, 0.0], [1.0, 1.0], [0.0, 9.0]], ["low", "low", "high"])
    >>> model.predict_one([0.0, 8.0])
    'high'
    """

    def __init__(
        self, *, k=5, window=1000, scale="minmax", weights="uniform", metric="euclidean",
        labels=None, max_labels=10_000, init=None, reset_schedule=False,
    ):
        self._check_common(k, window, scale, weights, metric)
        self.max_labels = whole(self, "max_labels", max_labels, least=2, most=2**31 - 1)
        self._begin(labels, init, reset_schedule)

    def _new_state(self):
        cdef KNNClassifierState state = KNNClassifierState(self.window, self.metric, self.scale)
        state.k, state.by_distance = self.k, self.weights == "distance"
        return state

    def predict_one(self, x):
        """The label of `x`; None before any example was learned. Changes nothing."""
        return self._asked(ProbabilisticClassifier.predict_one(self, x))

    def score_one(self, x):
        """Share of the votes for the label coded +1 less that for the other; of more than two
        labels, label to share."""
        return self._asked(ProbabilisticClassifier.score_one(self, x))

    def predict_proba_one(self, x):
        """Share of the votes of each label, as a dict; {} before any label is known."""
        return self._asked(ProbabilisticClassifier.predict_proba_one(self, x))

    def predict_many(self, X):
        """The label of every row, in the labels' own dtype (object, with None, before any)."""
        return self._asked(ProbabilisticClassifier.predict_many(self, X))

    def score_many(self, X):
        """Scores: shape (n,) up to two labels, (n, k) in the order of `labels` beyond."""
        return self._asked(ProbabilisticClassifier.score_many(self, X))

    def predict_proba_many(self, X):
        """Shares of the votes of every row, shape (n, k), in the order of `labels`."""
        return self._asked(ProbabilisticClassifier.predict_proba_many(self, X))

    def predict_learn_many(self, X, y, w=None, output="label"):
        """Test, then train: what was predicted for each row before it was learned."""
        return self._asked(ProbabilisticClassifier.predict_learn_many(self, X, y, w, output))


class KNNADWINClassifier(KNNClassifier):
    """k nearest neighbours in a window that shrinks when errors become more (Losing et al., 2016).

    As `KNNClassifier`; besides, each example is predicted before it is remembered, ADWIN watches
    the errors, and when it finds a change, the oldest examples are forgotten until the window is
    as short as ADWIN's.

    Parameters
    ----------
    k : int >= 1, default 5
        Neighbours that vote; raise it when labels are noisy.
    window : int >= 1, default 1000
        Examples it remembers at most.
    delta : float in (0, 1), default 0.002
        Of ADWIN: raise it to forget sooner.
    scale : {"minmax", "standard"} or None, default "minmax"
        Divide each feature by its range, or its standard deviation, in the window; a constant
        feature counts nothing. None compares values as they are.
    weights : {"uniform", "distance"}, default "uniform"
        One vote each, or votes of 1 / (distance + 1e-12), so that an exact match decides.
    metric : {"euclidean", "manhattan", "cosine"} or callable, default "euclidean"
        How far two examples are apart. A callable takes two arrays, scaled, and gives a number >= 0.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : KNNADWINClassifier or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = KNNADWINClassifier()
    >>> for i in range(600):
    ...     model.learn_one({"x": i % 10}, (i % 10 < 5) == (i < 400))
    >>> model.width < 300
    True
    """

    def __init__(
        self, *, k=5, window=1000, delta=0.002, scale="minmax", weights="uniform",
        metric="euclidean", labels=None, max_labels=10_000, init=None, reset_schedule=False,
    ):
        self.delta = number(self, "delta", delta, above=0.0, most=1.0 - 1e-9)
        self._check_common(k, window, scale, weights, metric)
        self.max_labels = whole(self, "max_labels", max_labels, least=2, most=2**31 - 1)
        self._begin(labels, init, reset_schedule)

    def _new_state(self):
        cdef KNNADWINState state = KNNADWINState(self.window, self.metric, self.scale)
        state.k, state.by_distance = self.k, self.weights == "distance"
        state.adwin.delta = self.delta
        return state

    @property
    def width(self):
        """How many examples are remembered now."""
        return self._model.readable_state().window_of().n


class KNNRegressor(Neighbours, Regressor):
    """Mean target of the k nearest among the latest examples (Cover, IEEE IT 14, 1968).

    See `KNNClassifier`; the search is the same.

    Parameters
    ----------
    k : int >= 1, default 5
        Neighbours that count; raise it when targets are noisy.
    window : int >= 1, default 1000
        Examples it remembers; lower it to follow drift. Work grows with it.
    scale : {"minmax", "standard"} or None, default "minmax"
        Divide each feature by its range, or its standard deviation, in the window; a constant
        feature counts nothing. None compares values as they are.
    weights : {"uniform", "distance"}, default "uniform"
        All neighbours alike, or by 1 / (distance + 1e-12), so that an exact match decides.
    metric : {"euclidean", "manhattan", "cosine"} or callable, default "euclidean"
        How far two examples are apart. A callable takes two arrays, scaled, and gives a number >= 0.
    init : KNNRegressor or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = KNNRegressor(k=2)
    >>> model.learn_many([[0.0], [1.0], [9.0]], [10.0, 20.0, 90.0])
    >>> model.predict_one([0.5])
    15.0
    """

    def __init__(
        self, *, k=5, window=1000, scale="minmax", weights="uniform", metric="euclidean",
        init=None, reset_schedule=False,
    ):
        self._check_common(k, window, scale, weights, metric)
        self._begin(init, reset_schedule)

    def _new_state(self):
        cdef KNNRegressorState state = KNNRegressorState(self.window, self.metric, self.scale)
        state.k, state.by_distance = self.k, self.weights == "distance"
        return state

    def predict_one(self, x):
        """The prediction for `x`; 0.0 before any example was learned. Changes nothing."""
        return self._asked(Regressor.predict_one(self, x))

    def score_one(self, x):
        """The same as `predict_one`."""
        return self.predict_one(x)

    def predict_many(self, X):
        """The prediction for every row."""
        return self._asked(Regressor.predict_many(self, X))

    def score_many(self, X):
        """The same as `predict_many`."""
        return self.predict_many(X)

    def predict_learn_many(self, X, y, w=None, output="label"):
        """Test, then train: what was predicted for each row before it was learned."""
        return self._asked(Regressor.predict_learn_many(self, X, y, w, output))


# -- neighbours ------------------------------------------------------------------------------------

cdef struct Found:
    Py_ssize_t* slots
    double* distances
    Py_ssize_t n
    Py_ssize_t few_slots[32]   # enough for most
    double few_distances[32]


cdef int search(Window window, const Example* e, Py_ssize_t k, Found* f) noexcept nogil:
    """The nearest examples: LEARNED, or NO_MEMORY; `finish` in any case."""
    f.slots, f.distances, f.n = f.few_slots, f.few_distances, 0
    k = min(k, window.n)
    if k > 32:
        f.slots = <Py_ssize_t*> PyMem_RawMalloc(k * sizeof(Py_ssize_t))
        f.distances = <double*> PyMem_RawMalloc(k * sizeof(double))
        if f.slots == NULL or f.distances == NULL:
            return NO_MEMORY
    if k:
        f.n = window.nearest(e, k, f.slots, f.distances)
    return LEARNED if f.n >= 0 else NO_MEMORY


cdef void finish(Found* f) noexcept nogil:
    if f.slots != f.few_slots:
        PyMem_RawFree(f.slots)
    if f.distances != f.few_distances:
        PyMem_RawFree(f.distances)


cdef bint too_large(const Example* e) noexcept nogil:
    """Is a value too large to be remembered? The peak may be that of a whole block."""
    cdef Py_ssize_t i
    if e.peak > LARGEST:
        for i in range(e.n):
            if fabs(e.values[i]) > LARGEST:
                return True
    return False


cdef inline double vote(double distance, double weight, bint by_distance) noexcept nogil:
    return weight / (distance + 1e-12) if by_distance else weight


# -- classification ---------------------------------------------------------------------------------


cdef class KNNClassifierState(ClassifierState):
    cdef Window window
    cdef Py_ssize_t k
    cdef bint by_distance
    cdef int32_t* label     # of each slot
    cdef double* weight     # of each slot

    def __cinit__(self, room, metric, scale):
        self.window = Window(room, metric, scale)
        self.label, self.weight = NULL, NULL
        self.label = <int32_t*> resize(NULL, 0, self.window.room * sizeof(int32_t))
        self.weight = <double*> resize(NULL, 0, self.window.room * sizeof(double))

    def __dealloc__(self):
        release(self.label)
        release(self.weight)

    def window_of(self):
        return self.window

    cdef int reserve(self, Py_ssize_t width) except -1:
        return self.window.set_features(width)

    cdef Py_ssize_t outputs(self) noexcept nogil:
        """The scores, and one number more: the label, since a tie is decided by the distance."""
        return (self.n_labels if self.n_labels > 2 else 1) + 1

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        cdef Found f
        cdef Py_ssize_t i
        cdef int32_t r, best = 0, labels = self.n_labels
        cdef double both[2]
        cdef double total = 0.0, v, away
        cdef double* votes = out
        if labels <= 2:
            votes = both
        if search(self.window, e, self.k, &f) != LEARNED:
            finish(&f)
            return NO_MEMORY
        memset(votes, 0, max(labels, 2) * sizeof(double))
        for i in range(f.n):
            v = vote(f.distances[i], self.weight[f.slots[i]], self.by_distance)
            votes[self.label[f.slots[i]]] += v
            total += v
        if f.n:  # most votes; of those the nearest, then the oldest label
            best, away = self.label[f.slots[0]], f.distances[0]
            for i in range(1, f.n):
                r = self.label[f.slots[i]]
                if votes[r] > votes[best] or (
                    votes[r] == votes[best] and r < best and f.distances[i] == away
                ):
                    best, away = r, f.distances[i]
        if total > 0.0:
            for r in range(labels):
                votes[r] /= total
        if labels <= 2:
            out[0] = self.first_sign * (both[0] - both[1]) if labels == 2 else 0.0
        out[labels if labels > 2 else 1] = best
        finish(&f)
        return LEARNED

    cdef int32_t decide(self, const double* scores) noexcept nogil:
        if self.seen == 0:
            return -1
        return <int32_t> scores[self.n_labels if self.n_labels > 2 else 1]

    cdef void link(self, const double* scores, double* out) noexcept nogil:
        cdef Py_ssize_t r
        cdef double total = 0.0
        if self.n_labels == 2:
            out[0] = 0.5 + 0.5 * self.first_sign * scores[0]
            out[1] = 1.0 - out[0]
        else:
            for r in range(self.n_labels):
                total += scores[r]
            for r in range(self.n_labels):
                out[r] = scores[r] if total > 0.0 else 1.0 / self.n_labels

    cdef int learn(self, const Example* e) noexcept nogil:
        cdef Py_ssize_t at
        if too_large(e) or e.weight > HEAVIEST:
            return OVERFLOW
        at = self.window.insert(e)
        self.label[at] = e.label
        self.weight[at] = e.weight
        return LEARNED

    def export_own(self):
        cdef Py_ssize_t i, n = self.window.n, at
        chosen, weights = np.empty(n, dtype=np.int64), np.empty(n)
        for i in range(n):
            at = self.window.slot(i)
            chosen[i], weights[i] = self.label[at], self.weight[at]
        return {**exported(self.window, self.features.width), "chosen": chosen, "weights": weights}

    def restore_own(self, fields):
        cdef Py_ssize_t i, n
        n = restored(self.window, fields, self.features.width, self.seen)
        chosen = fields.integers("chosen", (n,), 0, max(0, self.n_labels - 1))
        weights = fields.array("weights", (n,))
        if (weights <= 0.0).any() or (n and not self.n_labels):
            raise ValueError("an example has no weight, or no label")
        for i in range(n):
            self.label[i], self.weight[i] = chosen[i], weights[i]

    def memory(self):
        held = self.window.bytes() + self.window.room * (sizeof(int32_t) + sizeof(double))
        return ClassifierState.memory(self) + held


cdef class KNNADWINState(KNNClassifierState):
    cdef Adwin adwin
    cdef bint asked      # has this row been predicted already, before any step learned it?
    cdef int32_t guess   # its label, then

    def __cinit__(self, *args):
        adwin_start(&self.adwin, 0.002)
        self.tests_first = True
        self.asked = False

    def __dealloc__(self):
        adwin_free(&self.adwin)

    cdef int learn(self, const Example* e) noexcept nogil:
        """Predict, tell ADWIN of the error, remember; on a change forget the oldest."""
        cdef double few[16]
        cdef double* out = few
        cdef int status
        if self.asked:
            return self.remember(e)
        if self.outputs() > 16:
            out = <double*> PyMem_RawMalloc(self.outputs() * sizeof(double))
            if out == NULL:
                return NO_MEMORY
        status = self.score_learn(e, out)
        if out != few:
            PyMem_RawFree(out)
        return status

    cdef int score_learn(self, const Example* e, double* out) noexcept nogil:
        if self.score(e, out) != LEARNED:
            return NO_MEMORY
        self.guess = self.decide(out)
        return self.remember(e)

    cdef void tested(self, const double* scores) noexcept nogil:
        """Steps before it learn the row before they hand it on: the prediction comes first."""
        self.asked = scores != NULL
        if self.asked:
            self.guess = self.decide(scores)

    cdef int remember(self, const Example* e) noexcept nogil:
        """Learn the example, of which `guess` was said."""
        if KNNClassifierState.learn(self, e) != LEARNED:
            return OVERFLOW
        if self.guess >= 0 and adwin_push(&self.adwin, self.guess != e.label):
            while self.window.n > self.adwin.width:
                self.window.drop_oldest()
        return LEARNED

    def export_own(self):
        return {**KNNClassifierState.export_own(self), "adwin": adwin_export(&self.adwin)}

    def restore_own(self, fields):
        KNNClassifierState.restore_own(self, fields)
        inner = fields.child("adwin")
        adwin_restore(&self.adwin, inner)
        inner.done()

    def memory(self):
        return KNNClassifierState.memory(self) + adwin_bytes(&self.adwin)


# -- regression ---------------------------------------------------------------------------------------


cdef class KNNRegressorState(State):
    cdef Window window
    cdef Py_ssize_t k
    cdef bint by_distance
    cdef double* y          # of each slot
    cdef double* weight     # of each slot

    def __cinit__(self, room, metric, scale):
        self.window = Window(room, metric, scale)
        self.y, self.weight = NULL, NULL
        self.y = <double*> resize(NULL, 0, self.window.room * sizeof(double))
        self.weight = <double*> resize(NULL, 0, self.window.room * sizeof(double))

    def __dealloc__(self):
        release(self.y)
        release(self.weight)

    def window_of(self):
        return self.window

    cdef int reserve(self, Py_ssize_t width) except -1:
        return self.window.set_features(width)

    cdef int score(self, const Example* e, double* out) noexcept nogil:
        cdef Found f
        cdef Py_ssize_t i
        cdef double total = 0.0, sum = 0.0, v
        if search(self.window, e, self.k, &f) != LEARNED:
            finish(&f)
            return NO_MEMORY
        for i in range(f.n):
            v = vote(f.distances[i], self.weight[f.slots[i]], self.by_distance)
            total += v
            sum += v * self.y[f.slots[i]]
        out[0] = sum / total if total > 0.0 else 0.0
        finish(&f)
        return LEARNED

    cdef int learn(self, const Example* e) noexcept nogil:
        cdef Py_ssize_t at
        if too_large(e) or e.weight > HEAVIEST or fabs(e.y) > LARGEST:
            return OVERFLOW
        at = self.window.insert(e)
        self.y[at] = e.y
        self.weight[at] = e.weight
        return LEARNED

    def export_own(self):
        cdef Py_ssize_t i, n = self.window.n, at
        targets, weights = np.empty(n), np.empty(n)
        for i in range(n):
            at = self.window.slot(i)
            targets[i], weights[i] = self.y[at], self.weight[at]
        return {**exported(self.window, self.features.width), "targets": targets, "weights": weights}

    def restore_own(self, fields):
        cdef Py_ssize_t i, n
        n = restored(self.window, fields, self.features.width, self.seen)
        targets = fields.array("targets", (n,))
        weights = fields.array("weights", (n,))
        if (weights <= 0.0).any():
            raise ValueError("an example has no weight")
        for i in range(n):
            self.y[i], self.weight[i] = targets[i], weights[i]

    def memory(self):
        return State.memory(self) + self.window.bytes() + 2 * self.window.room * sizeof(double)


# -- state ----------------------------------------------------------------------------------------------


cdef dict exported(Window window, Py_ssize_t width):
    """The window as arrays."""
    window.set_features(width)
    fields = {"examples": window.n, "rows": window.rows(width)}
    if window.scale == STANDARD:
        sums, since = window.sums()
        fields["sums"], fields["since"] = sums[:width], since
    return fields


cdef Py_ssize_t restored(Window window, fields, Py_ssize_t width, Py_ssize_t seen) except -1:
    """The window from its arrays; how many examples there are."""
    n = fields.integer("examples", 0, min(window.room, seen))
    if seen > 0 and n == 0:
        raise ValueError("the window is empty")
    rows = fields.array("rows", (n, width))
    if (np.abs(rows) > LARGEST).any():
        raise ValueError("a value is too large")
    window.fill(rows)
    window.set_features(width)
    if window.scale == STANDARD:
        sums = fields.array("sums", (width, 2))
        if (sums[:, 1] < 0.0).any():
            raise ValueError("a variance is negative")
        window.set_sums(sums, fields.integer("since", 0, window.room))
    return n
