"""Naive Bayes over counts: how often a word occurs, or whether."""

from libc.math cimport log
from libc.stdint cimport int32_t
from libc.string cimport memset

import numpy as np

from ..core.arrays cimport doubles
from ..core.example cimport LEARNED, OVERFLOW, Example, feature
from ..core.memory cimport release, resize, roomier
from .state cimport LOG_ZERO, NaiveBayesState, full, holds, less, log_or_zero

from ..base.checks import number
from .merging import merge_counting
from .state import NaiveBayes


class MultinomialNB(NaiveBayes):
    """Naive Bayes over counts, such as words (McCallum & Nigam, 1998).

    P(t | label) = (c_tk + alpha) / (sum of c_k + alpha V), where c_tk sums up the feature t over
    the examples with that label and V counts the features seen: names by a value above 0, columns
    of arrays by being there. An example is as many draws as its values say. Values of 0 or below
    are no counts: they are left out, and those below 0 are warned of. A string is the feature
    `name=value`.

    Parameters
    ----------
    alpha : float >= 0, default 1.0
        Added to every count (Laplace); lower it to trust rare words more.
    prior_alpha : float >= 0, default 0.0
        Added to the count of every label.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : MultinomialNB or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = MultinomialNB()
    >>> model.learn_one({"free": 2, "offer": 1}, "spam")
    >>> model.learn_one({"meeting": 1, "offer": 1}, "ham")
    >>> model.predict_one({"free": 1})
    'spam'
    """

    def __init__(
        self, *, alpha=1.0, prior_alpha=0.0, labels=None, max_labels=10_000, init=None,
        reset_schedule=False,
    ):
        self.alpha = number(self, "alpha", alpha, least=0.0, most=1e30)
        self._check_common(prior_alpha, max_labels)
        self._begin(labels, init, reset_schedule)

    def _new_state(self):
        cdef CountingState state = MultinomialState(self.prior_alpha)
        state.alpha = self.alpha
        return state

    def _merged(self, mine, theirs):
        return merge_counting(type(self).__name__, mine, theirs)


class BernoulliNB(NaiveBayes):
    """Naive Bayes over presence and absence (McCallum & Nigam, 1998).

    P(t present | label) = (n_tk + alpha) / (N_k + 2 alpha), where n_tk counts the examples with
    that label in which t is present: has a value above 0. Features that are absent speak, too, by
    ln(1 - p); their sum over all features (those present once, and columns of arrays) is kept for
    each label. A string is the feature `name=value`.

    Parameters
    ----------
    alpha : float >= 0, default 1.0
        Added to every count (Laplace); lower it to trust rare words more.
    prior_alpha : float >= 0, default 0.0
        Added to the count of every label.
    labels : list or None, default None
        Labels known beforehand. Others may still come.
    max_labels : int, default 10_000
        More labels than this are refused: most likely y is a number to be predicted.
    init : BernoulliNB or None, default None
        Start from what this model has learned.
    reset_schedule : bool, default False
        No effect here: there is no schedule.

    Examples
    --------
    >>> model = BernoulliNB()
    >>> model.learn_one({"free": 2, "offer": 1}, "spam")
    >>> model.learn_one({"meeting": 1, "offer": 1}, "ham")
    >>> model.predict_one({"offer": 1, "meeting": 1})
    'ham'
    """

    takes_counts = True  # Pipeline: nothing that makes counts negative may stand before it

    def __init__(
        self, *, alpha=1.0, prior_alpha=0.0, labels=None, max_labels=10_000, init=None,
        reset_schedule=False,
    ):
        self.alpha = number(self, "alpha", alpha, least=0.0, most=1e30)
        self._check_common(prior_alpha, max_labels)
        self._begin(labels, init, reset_schedule)

    def _new_state(self):
        cdef CountingState state = BernoulliState(self.prior_alpha)
        state.alpha = self.alpha
        return state

    def _merged(self, mine, theirs):
        return merge_counting(type(self).__name__, mine, theirs)


cdef class CountingState(NaiveBayesState):
    cdef double alpha
    cdef Py_ssize_t room     # features that fit
    cdef double* table       # room x room_labels: c_tk, or n_tk
    cdef double* totals      # of each feature, all labels together
    cdef double* sums        # of each label, all features together
    cdef double distinct     # features whose total is not 0, besides columns of arrays
    cdef bint minds_negative  # values below 0 are to be told of, once
    cdef Py_ssize_t below    # feature of such a value, which was left out
    cdef double below_value

    def __cinit__(self, *args):
        self.room = 0
        self.minds_negative = False
        self.distinct = 0.0
        self.table = self.totals = self.sums = NULL

    def __dealloc__(self):
        release(self.table)
        release(self.totals)
        release(self.sums)

    cdef int more_labels(self, Py_ssize_t old, Py_ssize_t new) except -1:
        cdef Py_ssize_t i
        cdef double* table
        self.sums = <double*> resize(self.sums, old * sizeof(double), new * sizeof(double))
        table = <double*> resize(NULL, 0, self.room * new * sizeof(double))  # last: nothing fails now
        for i in range(self.room * old):
            table[i // old * new + i % old] = self.table[i]
        release(self.table)
        self.table = table
        return 0

    cdef int reserve(self, Py_ssize_t width) except -1:
        cdef Py_ssize_t room, k = self.room_labels
        if width > self.room:
            room = width if self.room == 0 else roomier(self.room, width)
            self.table = <double*> resize(
                self.table, self.room * k * sizeof(double), room * k * sizeof(double))
            self.totals = <double*> resize(
                self.totals, self.room * sizeof(double), room * sizeof(double))
            self.room = room
        return 0

    cdef double amount(self, double x) noexcept nogil:
        """What a value counts."""
        return x

    cdef Py_ssize_t columns(self, Py_ssize_t width) noexcept nogil:
        """How many of the first features are columns of arrays, if so many features are known. These
        are declared: they count though they may never have been above 0."""
        return 0 if self.behind_steps else min(self.features.implicit, width)

    cdef bint counts_for(self, Py_ssize_t id, Py_ssize_t columns) noexcept nogil:
        """Does this feature say anything? Without smoothing, an empty column does not."""
        return id < self.room and (self.totals[id] > 0.0 or (id < columns and self.alpha > 0.0))

    cdef int absorb(self, const Example* e, double w) noexcept nogil:
        cdef Py_ssize_t i, id, columns = self.columns(e.width)
        cdef double c
        for i in range(e.n):
            if e.values[i] > 0.0:
                id = feature(e, i)
                c = w * self.amount(e.values[i])
                self.distinct += id >= columns and self.totals[id] == 0.0 and c > 0.0
                self.totals[id] += c
                self.table[id * self.room_labels + e.label] += c
                self.sums[e.label] += c
            elif e.values[i] < 0.0 and self.minds_negative:
                self.below, self.below_value = feature(e, i), e.values[i]
                self.doubtful, self.minds_negative = True, False
        return LEARNED

    cdef int expel(self, const Example* e, double w) noexcept nogil:
        cdef Py_ssize_t i, id, columns = self.columns(e.width)
        cdef double c
        for i in range(e.n):
            id = feature(e, i)
            if e.values[i] > 0.0 and (id >= self.features.width or not holds(
                    self.table[id * self.room_labels + e.label], w * self.amount(e.values[i]))):
                return OVERFLOW
        for i in range(e.n):
            if e.values[i] > 0.0:
                id = feature(e, i)
                c = w * self.amount(e.values[i])
                self.totals[id] = less(self.totals[id], c)
                self.distinct -= id >= columns and self.totals[id] == 0.0
                self.sums[e.label] = less(self.sums[e.label], c)
                id = id * self.room_labels + e.label
                self.table[id] = less(self.table[id], c)
        return LEARNED

    def export_own(self):
        cdef Py_ssize_t i, k, width = self.features.width
        self.reserve(width)
        table = np.zeros((width, self.n_labels))
        cdef double* out = doubles(table)
        for i in range(width):
            for k in range(self.n_labels):
                out[i * self.n_labels + k] = self.table[i * self.room_labels + k]
        totals = np.array([self.totals[i] for i in range(width)], dtype=np.float64)
        sums = np.array([self.sums[k] for k in range(self.n_labels)], dtype=np.float64)
        return {**NaiveBayesState.export_own(self), "table": table, "totals": totals, "sums": sums}

    def restore_own(self, fields):
        cdef Py_ssize_t i, k
        NaiveBayesState.restore_own(self, fields)
        self.reserve(self.features.width)
        table = fields.array("table", (self.features.width, self.n_labels))
        totals = fields.array("totals", (self.features.width,))
        sums = fields.array("sums", (self.n_labels,))
        if (table < 0.0).any() or (totals < 0.0).any() or (sums < 0.0).any():
            raise ValueError("the table has a negative count")
        table = np.ascontiguousarray(table)
        cdef const double* c = doubles(table)
        for i in range(self.features.width):
            self.totals[i] = totals[i]
            self.distinct += i >= self.columns(self.features.width) and self.totals[i] > 0.0
            for k in range(self.n_labels):
                self.table[i * self.room_labels + k] = c[i * self.n_labels + k]
        for k in range(self.n_labels):
            self.sums[k] = sums[k]

    def memory(self):
        held = self.room * (self.room_labels + 1) + self.room_labels
        return NaiveBayesState.memory(self) + 8 * held


cdef class MultinomialState(CountingState):
    def __cinit__(self, *args):
        self.minds_negative = True

    def doubt(self):
        """A value below 0, which learning has left out without the GIL."""
        self.doubtful = False
        return "negative", (
            f"feature {self.features.name_of(self.below)!r:.80} is {self.below_value:g}, and a count "
            f"is not below 0: such values are left out. Pass counts (behind a hasher "
            f"signed=False), or use GaussianNB for numbers."
        )

    cdef void joints(self, const Example* e, double* out) noexcept nogil:
        cdef Py_ssize_t k, i, id, columns = self.columns(e.width)
        cdef double among, n, total
        for k in range(self.n_labels):
            total = self.log_prior(k)
            among = self.sums[k] + self.alpha * (self.distinct + columns)
            if among > 0.0:
                for i in range(e.n):
                    if e.values[i] > 0.0:
                        id = feature(e, i)
                        if not self.counts_for(id, columns):
                            continue
                        n = self.table[id * self.room_labels + k] + self.alpha
                        total += e.values[i] * log(n / among) if n > 0.0 else LOG_ZERO
            out[k] = max(total, -1e308)


cdef class BernoulliState(CountingState):
    cdef double* absent  # of each label: sum over all features of ln(1 - p), where p < 1
    cdef double* never   # of each label: features that are never absent, p = 1
    cdef char* fresh     # of each label: these are those of the table
    cdef Py_ssize_t declared  # columns that they were summed up for

    def __cinit__(self, *args):
        self.absent = self.never = NULL
        self.fresh = NULL
        self.declared = 0

    def __dealloc__(self):
        release(self.absent)
        release(self.never)
        release(self.fresh)

    cdef double amount(self, double x) noexcept nogil:
        return 1.0

    cdef int more_labels(self, Py_ssize_t old, Py_ssize_t new) except -1:
        self.absent = <double*> resize(self.absent, old * sizeof(double), new * sizeof(double))
        self.never = <double*> resize(self.never, old * sizeof(double), new * sizeof(double))
        self.fresh = <char*> resize(self.fresh, old, new)
        return CountingState.more_labels(self, old, new)

    cdef int reserve(self, Py_ssize_t width) except -1:
        CountingState.reserve(self, width)
        self.refresh(self.columns(self.features.width))  # here, where the GIL is held: predictions only read it
        return 0

    cdef int learn(self, const Example* e) noexcept nogil:
        cdef double distinct = self.distinct
        cdef int status = NaiveBayesState.learn(self, e)
        self.outdate(e.label, self.distinct != distinct)
        return status

    cdef int expel(self, const Example* e, double w) noexcept nogil:
        cdef double distinct = self.distinct
        cdef int status = OVERFLOW if self.lacks(e, w) else CountingState.expel(self, e, w)
        self.outdate(e.label, self.distinct != distinct)
        return status

    cdef bint lacks(self, const Example* e, double w) noexcept nogil:
        """Does the example lack a feature that all others with its label have?"""
        cdef Py_ssize_t i, id, lacking = 0
        cdef double all = self.counts[e.label]
        for id in range(min(self.features.width, self.room)):
            lacking += full(self.table[id * self.room_labels + e.label], all, w)
        for i in range(e.n):
            id = feature(e, i)
            if e.values[i] > 0.0 and id < self.features.width:
                lacking -= full(self.table[id * self.room_labels + e.label], all, w)
        return lacking > 0

    cdef void outdate(self, int32_t label, bint features) noexcept nogil:
        """This label's counts have changed; or the features there are, which all labels look at."""
        self.fresh[label] = False
        if features:
            memset(self.fresh, False, self.room_labels)

    cdef void refresh(self, Py_ssize_t columns) noexcept nogil:
        """Sum up ln(1 - p) for each label; features nobody has met are left out."""
        cdef Py_ssize_t i, k, terms, never
        cdef double among, logs, product, q
        if columns != self.declared:
            self.declared = columns
            for k in range(self.room_labels):
                self.fresh[k] = False
        for k in range(self.n_labels):
            if self.fresh[k]:
                continue
            among = self.counts[k] + 2.0 * self.alpha
            product, logs, terms, never = 1.0, 0.0, 0, 0
            if among > 0.0:
                for i in range(self.room):
                    if self.counts_for(i, columns):
                        q = self.counts[k] - self.table[i * self.room_labels + k] + self.alpha
                        terms += q > 0.0
                        if 1e-100 < q < 1e100:
                            product *= q
                            if not 1e-100 < product < 1e100:
                                logs += log(product)
                                product = 1.0
                        elif q > 0.0:
                            logs += log(q)
                        else:
                            never += 1
                logs += log(product) - terms * log(among)
            self.absent[k], self.never[k] = logs, never
            self.fresh[k] = True

    cdef void joints(self, const Example* e, double* out) noexcept nogil:
        cdef Py_ssize_t k, i, id, columns = self.columns(e.width)
        cdef double n, q, total, among, never
        self.refresh(columns)  # never stale for a prediction: only within a block that learns
        for k in range(self.n_labels):
            among = self.counts[k] + 2.0 * self.alpha
            total = self.log_prior(k)
            if among > 0.0:
                total += self.absent[k]
                never = self.never[k]
                for i in range(e.n):
                    id = feature(e, i)
                    if e.values[i] > 0.0 and self.counts_for(id, columns):
                        n = self.table[id * self.room_labels + k]
                        q = self.counts[k] - n + self.alpha
                        total += log_or_zero(n + self.alpha)
                        if q > 0.0:
                            total -= log(q)
                        else:  # p = 1: it was not in the sum
                            never -= 1.0
                            total -= log(among)
                total += never * LOG_ZERO
            out[k] = max(total, -1e308)

    def restore_own(self, fields):
        CountingState.restore_own(self, fields)
        if self.n_labels:
            self.outdate(0, True)
        self.refresh(self.columns(self.features.width))

    def memory(self):
        return CountingState.memory(self) + self.room_labels * (2 * sizeof(double) + 1)
