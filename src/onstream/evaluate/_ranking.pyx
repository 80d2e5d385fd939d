"""How well scores put one label above the others: what the area under the ROC curve is made of.

Over a window the area is exact. Over all examples, or fading, scores fall into 1024 bins, which
costs a fixed memory and an error that is known: pairs in one bin count one half.
"""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t

import copy

import numpy as np

from ..core.arrays cimport doubles, int32s

from ._label_codes cimport LabelCodes
from ._sums import restored
from .columns import HEAVIEST
from ..core.coding import first_sign


BINS = 1024
cdef double MOST = HEAVIEST


cdef class Ranking:
    """Of each label: weights of its examples and of all others, by score of that label."""

    cdef readonly Py_ssize_t window
    cdef readonly double alpha
    cdef readonly bint proba     # scores are probabilities, binned as they are
    cdef readonly object label_codes
    cdef readonly object bins    # label, [others, own], bin
    cdef readonly long long n
    cdef double gain
    cdef list tail               # window: (label, scores by label, weight)
    cdef readonly bint single    # one score per example so far: positive for label 0, negative against it

    def __init__(self, window=0, alpha=1.0, proba=False):
        self.window, self.alpha, self.proba = window, alpha, proba
        self.label_codes = LabelCodes()
        self.bins = np.zeros((0, 2, BINS))
        self.gain = 1.0
        self.tail = []
        self.single = True

    def check(self, labels, y):
        """Refuse labels that are of another kind than those so far; nothing becomes known."""
        known = len(self.label_codes.labels)
        try:
            for label in (*labels, *y):
                self.label_codes.of(label)
        finally:
            self.label_codes.forget(known)

    def add_single(self, y, scores, w):
        """y: at most two labels; scores: of the label coded +1."""
        if not self.single or len({*self.label_codes.labels, *y}) > 2:
            raise ValueError(
                "one score for an example is enough for two labels only; give one per label.")
        self.label_codes.encode_true(y)
        first = self.label_codes.labels[0]
        own = scores if self.label_codes.coded == first else 1.0 - scores if self.proba else -scores
        self.add_rows([first], y, own[:, None], w, True)

    def several(self, known):
        """From now on every label has its scores; `known` labels were met before."""
        if self.single and known > 1:
            a, b = self.label_codes.labels[:2]
            self.tail = [(y, {a: s[None], b: -s[None]}, w) for y, s, w in self.tail]
            if len(self.bins):
                self.grow()
                self.bins[1] = self.bins[0, ::-1, ::-1]
        self.single = False

    def add_plain(self, y, score, w):
        """The usual case: one score, a float, for one of two known labels. False: it is something
        else, and nothing happened."""
        cdef LabelCodes codes = self.label_codes
        cdef double s, weight
        cdef double* bins
        cdef int32_t own
        if type(score) is not float or type(w) is not float or type(y) not in (bool, int, str):
            return False
        s, weight = score, w
        if self.window or not self.single or len(self.bins) != 2 or len(codes.labels) != 2:
            return False
        if not -INFINITY < s < INFINITY or not 0.0 < weight <= MOST:
            return False
        if self.proba and not 0.0 <= s <= 1.0:
            return False
        number = codes.numbers.get(y)
        if number is None:
            return False
        own = number
        if first_sign(codes.labels) < 0.0:  # the score is against the first label
            s = 1.0 - s if self.proba else -s
        bins = doubles(self.bins)
        weight *= self.gain
        bins[(own == 0) * 1024 + bin_of(s, self.proba)] += weight
        bins[(2 + (own == 1)) * 1024] += weight  # the other label has no score: it ranks last
        self.count_and_fade()
        return True

    cdef int count_and_fade(self) except -1:
        self.n += 1
        if self.alpha != 1.0:
            self.gain /= self.alpha
            if self.gain > 1e150:
                self.bins *= 1.0 / self.gain
                self.gain = 1.0
        return 0

    def add_columns(self, labels, y, scores, w, start, stop):
        """Add rows start ... stop-1."""
        self.add_rows(labels, y[start:stop], scores[start:stop], None if w is None else w[start:stop])

    def add_rows(self, labels, y, scores, w, single=False):
        """y: labels; scores: an array (rows, labels); w: an array or None."""
        cdef Py_ssize_t i, r, rows = len(y), k = len(labels), bin
        cdef double weight, s
        cdef double* bins
        cdef const double* values
        cdef const int32_t* columns
        cdef int32_t own
        cdef bint proba = self.proba
        known = len(self.label_codes.labels)
        numbers = np.array([self.label_codes.of(label) for label in labels], dtype=np.int32)
        truth = self.label_codes.encode_true(y)
        if not single:
            self.several(known)
        if self.window:
            weights = np.ones(rows) if w is None else w
            keep = [i for i in range(rows) if weights[i] > 0.0]
            self.n += len(keep)
            for i in keep[-self.window:]:
                by_label = dict(zip([None] if single else labels, scores[i].tolist()))
                self.tail.append((y[i], by_label, weights[i]))
            del self.tail[:-self.window]
            return
        if len(self.label_codes.labels) > len(self.bins):
            self.grow()
        scores = np.ascontiguousarray(scores, dtype=np.float64)
        bins = doubles(self.bins)
        values = doubles(scores)
        columns = int32s(numbers)
        given = set(numbers.tolist())
        absent = [n for n in range(len(self.label_codes.labels)) if n not in given]
        for i in range(rows):
            weight = self.gain * (1.0 if w is None else w[i])
            if weight == 0.0:
                continue
            own = truth[i]
            for r in range(k):
                s = values[i * k + r]
                bin = bin_of(s, proba)
                bins[(columns[r] * 2 + (columns[r] == own)) * 1024 + bin] += weight
            for r in absent:  # a label without a score ranks last
                bins[(r * 2 + (r == own)) * 1024] += weight
            self.count_and_fade()

    def reset(self):
        """Forget all examples."""
        self.bins[:] = 0.0
        self.tail = []
        self.n = 0
        self.gain = 1.0

    cdef int grow(self) except -1:
        """A label met late: the examples so far were others, and ranked last."""
        old = self.bins
        self.bins = np.zeros((len(self.label_codes.labels), 2, BINS))
        self.bins[:len(old)] = old
        if len(old):
            self.bins[len(old):, 0, 0] = old[0].sum()
        return 0

    def area(self):
        """Of two labels: of the positive one. Of more: the mean over those with counterexamples."""
        return self.exact() if self.window else self.binned()[0]

    def error_bound(self):
        """Largest difference of the binned area from the exact one."""
        return 0.0 if self.window else self.binned()[1]

    def judged(self):
        """Numbers of the labels whose areas count."""
        if self.single:
            return slice(0, 1)
        if len(self.label_codes.labels) == 2:
            positive = self.label_codes.labels.index(self.label_codes.positive)
            return slice(positive, positive + 1)
        return slice(0, None)

    def binned(self):
        cdef Py_ssize_t i, r
        cdef double pairs, own, below, inside, tied
        cdef const double* others
        areas, bounds = [], []
        bins = self.bins[self.judged()]
        if bins.size and bins.max() > 1e140:  # a product of two sums must not overflow
            bins = bins * 2.0**-500
        for r in range(len(bins)):
            others = doubles(bins) + r * 2 * 1024
            own = below = inside = tied = 0.0
            for i in range(1024):
                inside += others[1024 + i] * (below + others[i] / 2)
                tied += others[1024 + i] * others[i]
                own += others[1024 + i]
                below += others[i]
            pairs = own * below
            if pairs > 0.0:
                areas.append(inside / pairs)
                bounds.append(tied / (2 * pairs))
        return (float(np.mean(areas)), float(np.mean(bounds))) if areas else (0.0, 0.0)

    def exact(self):
        weights = np.array([w for _, _, w in self.tail])
        areas = []
        for label in self.label_codes.labels[self.judged()]:
            own = np.array([y == label for y, _, _ in self.tail])
            side = 1.0 if self.label_codes.labels and label == self.label_codes.labels[0] else -1.0
            scores = np.array([
                s.get(label, side * s[None] if None in s else -np.inf) for _, s, _ in self.tail
            ])
            scores[np.isnan(scores)] = -np.inf
            if own.any() and not own.all():
                areas.append(area(scores, own, weights))
        return float(np.mean(areas)) if areas else 0.0

    def merge(self, Ranking other):
        """As if the examples of `other` had come after ours."""
        if not self.single or not other.single or self.label_codes.labels[:1] != other.label_codes.labels[:1]:
            theirs = copy.deepcopy(other)
            known = len(self.label_codes.labels)
            self.label_codes.join(other.label_codes)
            for label in self.label_codes.labels:
                theirs.label_codes.of(label)
            # A score for one of two labels is against the other, even if that came later.
            self.several(len(self.label_codes.labels) if other.single else known)
            theirs.several(len(theirs.label_codes.labels))
            other = theirs
        self.n += other.n
        if self.window:
            self.tail += other.tail
            del self.tail[:-self.window]
            return
        mine = self.label_codes.join(other.label_codes)
        if len(self.label_codes.labels) > len(self.bins):
            self.grow()
        self.bins *= self.alpha ** other.n / self.gain
        self.gain = 1.0
        if len(other.bins):
            self.bins[mine] += other.bins / other.gain
            for r in set(range(len(self.bins))) - set(mine):
                self.bins[r, 0, 0] += other.bins[0].sum() / other.gain

    def export(self):
        return {
            "label_codes": self.label_codes,
            "bins": self.bins.copy(),
            "n": self.n,
            "gain": self.gain,
            "tail": list(self.tail),
            "single": self.single,
        }

    def restore(self, fields):
        self.label_codes, self.bins, self.n = fields["label_codes"], fields["bins"], fields["n"]
        self.gain, self.tail, self.single = fields["gain"], fields["tail"], fields["single"]

    def __reduce__(self):
        return restored, (type(self), (self.window, self.alpha, self.proba), self.export())


cdef Py_ssize_t bin_of(double s, bint proba) noexcept:
    if s != s:  # no score: ranks last
        return 0
    if not proba:
        s = 0.5 + s / (2.0 * (1.0 + fabs(s))) if fabs(s) < 1e300 else (1.0 if s > 0.0 else 0.0)
    return max(0, min(1023, <Py_ssize_t> (s * 1024.0)))


def area(scores, own, weights):
    """Weighted share of pairs that are in the right order, ties counting one half."""
    _, rank = np.unique(scores, return_inverse=True)
    up = np.bincount(rank, weights=np.where(own, weights, 0.0))
    down = np.bincount(rank, weights=np.where(own, 0.0, weights))
    return float(up @ (np.cumsum(down) - down / 2) / (up.sum() * down.sum()))
