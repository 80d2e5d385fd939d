"""The confusion matrix: weights of the examples by true and predicted label."""

cimport cython
from libc.math cimport floor
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

import numpy as np

from ..core.arrays cimport doubles, fill, int32s, matrix
from ..core.memory cimport release, resize, roomier
from ._label_codes cimport LabelCodes
from ._sums cimport Sums, weight_of

from ._sums import restored
from .columns import label_column, weight_column


cdef extern from "bits.h" nogil:
    Py_ssize_t onstream_lowest(uint64_t bits)


cdef enum:
    FEW = 64  # cells of a small table of counts


cdef class Confusion(Sums):
    """Weights of the examples by true and predicted label; with `guesses`, also of those that two
    guesses got wrong: the previous label, and the commonest label so far.

    With thousands of labels, most of the millions of cells are never used: a bit for each tells
    which are, and only those are added up, in the order of the table.
    """

    cdef readonly LabelCodes label_codes
    cdef double* c              # c[y * stride + 1 + p]; p = -1: nothing was predicted
    cdef uint64_t* used         # room x words bits: cells that are not 0, by c's row and column
    cdef Py_ssize_t words       # of such a row
    cdef double* truth          # weight by true label: set by `margins`
    cdef double* said           # weight by prediction, from -1 on: likewise
    cdef double* rows           # weight by true label, kept for the guesses
    cdef int32_t* met           # when a label was first met, as true or predicted; 0: not yet
    cdef int32_t meetings       # labels met
    cdef readonly bint guesses
    cdef Py_ssize_t room        # labels that fit
    cdef Py_ssize_t k           # labels in use
    cdef double changed         # weight of examples with another label than the previous one
    cdef double uncommon        # weight of examples with another label than the commonest before
    cdef int32_t previous       # label of the last example
    cdef int32_t commonest
    cdef int32_t first          # label of the first example, for `merge`
    cdef double first_weight    # it has no previous one

    def __init__(self, window=0, alpha=1.0, guesses=False, label_codes=None):
        self.label_codes = LabelCodes() if label_codes is None else label_codes
        self.guesses = guesses
        self.hold(3)
        self.previous = self.commonest = self.first = -1

    def __dealloc__(self):
        release(self.c)
        release(self.used)
        release(self.truth)
        release(self.said)
        release(self.rows)
        release(self.met)

    cdef int fit(self) except -1:
        """Room for every label with a name."""
        cdef Py_ssize_t k = len(self.label_codes.labels), room, words, i, j, word
        cdef double* moved
        cdef uint64_t* used
        cdef uint64_t bits
        if k > self.room:
            room = roomier(self.room, k)
            words = room // 64 + 1
            self.truth = <double*> resize(self.truth, 0, room * sizeof(double))
            self.said = <double*> resize(self.said, 0, (room + 1) * sizeof(double))
            self.rows = <double*> resize(
                self.rows, self.room * sizeof(double), room * sizeof(double))
            self.met = <int32_t*> resize(
                self.met, self.room * sizeof(int32_t), room * sizeof(int32_t))
            moved = <double*> resize(NULL, 0, room * (room + 1) * sizeof(double))
            try:
                used = <uint64_t*> resize(NULL, 0, room * words * sizeof(uint64_t))
            except MemoryError:
                release(moved)
                raise
            for i in range(self.k):
                for word in range(self.words):
                    bits = used[i * words + word] = self.used[i * self.words + word]
                    while bits:
                        j = 64 * word + onstream_lowest(bits)
                        bits &= bits - 1
                        moved[i * (room + 1) + j] = self.c[i * (self.room + 1) + j]
            release(self.c)
            release(self.used)
            self.c, self.used, self.words = moved, used, words
            self.room = room
        self.k = max(self.k, k)
        return 0

    cdef void count(self, const double* row) noexcept nogil:
        self.count_codes(<int32_t> row[0], <int32_t> row[1], row[2])

    @cython.final
    cdef inline void count_codes(self, int32_t y, int32_t p, double weight) noexcept nogil:
        cdef double w = weight * self.gain
        self.put(y, 1 + p, w)
        if self.guesses:
            self.meet(y)
            self.meet(p)
            self.guess(y, w)

    @cython.final
    cdef inline void put(self, Py_ssize_t i, Py_ssize_t j, double w) noexcept nogil:
        """Add weight to a cell."""
        self.c[i * (self.room + 1) + j] += w
        self.used[i * self.words + j // 64] |= <uint64_t> 1 << (j % 64)

    @cython.final
    cdef inline void meet(self, int32_t label) noexcept nogil:
        """Of two labels equally common, that is the commonest which was met first."""
        if label >= 0 and self.met[label] == 0:
            self.meetings += 1
            self.met[label] = self.meetings

    @cython.final
    cdef inline void guess(self, int32_t y, double w) noexcept nogil:
        if self.previous < 0:
            self.first, self.first_weight = y, w
        elif y != self.previous:
            self.changed += w
        if y != self.commonest:
            self.uncommon += w
        self.previous = y
        self.rows[y] += w
        if self.commonest < 0 or self.rows[y] > self.rows[self.commonest] or (
                self.rows[y] == self.rows[self.commonest]
                and self.met[y] < self.met[self.commonest]):
            self.commonest = y

    cdef void clear(self) noexcept nogil:
        if self.room:
            self.scale(0.0)
            memset(self.used, 0, self.room * self.words * sizeof(uint64_t))
            memset(self.rows, 0, self.room * sizeof(double))
            memset(self.met, 0, self.room * sizeof(int32_t))
        self.meetings = 0
        self.changed = self.uncommon = self.first_weight = 0.0
        self.previous = self.commonest = self.first = -1

    cdef void scale(self, double factor) noexcept nogil:
        cdef Py_ssize_t i, word
        cdef uint64_t bits
        for i in range(self.k):
            for word in range(self.words):
                bits = self.used[i * self.words + word]
                while bits:
                    self.c[i * (self.room + 1) + 64 * word + onstream_lowest(bits)] *= factor
                    bits &= bits - 1
        for i in range(self.room):
            self.rows[i] *= factor
        self.changed *= factor
        self.uncommon *= factor
        self.first_weight *= factor

    def add_one(self, y, p, w=1.0):
        cdef double row[3]
        cdef double weight = weight_of(w)
        if weight == 0.0:
            self.add_many([y], [p], [w])  # checked, and nothing happened
            return
        row[0], row[1] = self.label_codes.encode_one(y, p)
        row[2] = weight
        self.fit()
        self.add(row)

    def add_many(self, y, p, w=None):
        y, p = label_column(y, "y"), label_column(p, "the prediction")
        w = weight_column(w, len(y))
        self.add_columns(*self.label_codes.encode(y, p, w), w)

    def add_columns(self, y, p, w, Py_ssize_t start=0, stop=None):
        """Add rows start ... stop-1 of what `label_codes` has encoded."""
        cdef Py_ssize_t i = start, end = len(y) if stop is None else stop
        cdef const int32_t* ys = int32s(y)
        cdef const int32_t* ps = int32s(p)
        cdef const double* ws = doubles(w)
        cdef double row[3]
        self.fit()
        if ws == NULL and self.window == 0 and not self.guesses:
            self.count_plain(ys + start, ps + start, end - start)
            i = end
        elif self.window == 0:
            self.count_each(ys, ps, ws, start, end)
            i = end
        while i < end:
            row[0], row[1], row[2] = ys[i], ps[i], ws[i] if ws != NULL else 1.0
            self.add(row)
            i += 1

    cdef void count_each(
        self, const int32_t* y, const int32_t* p, const double* w, Py_ssize_t start, Py_ssize_t end
    ) noexcept nogil:
        """Add these rows as `add` does, without a call for each."""
        cdef Py_ssize_t i
        cdef double weight = 1.0
        for i in range(start, end):
            if w != NULL:
                weight = w[i]
            if weight != 0.0:
                self.n += 1
                self.count_codes(y[i], p[i], weight)
                if self.growth != 1.0:
                    self.fade()

    cdef bint counts_whole(self) noexcept nogil:
        """Were all weights so far whole numbers, which can be added in any order?"""
        cdef Py_ssize_t i
        for i in range(self.room * (self.room + 1)):
            if self.c[i] != floor(self.c[i]) or self.c[i] > 2.0**52:
                return False
        return True

    cdef void count_plain(self, const int32_t* y, const int32_t* p, Py_ssize_t rows) noexcept nogil:
        """The usual case, without a call for each row."""
        cdef double gain = self.gain
        cdef Py_ssize_t i, j, stride = self.room + 1, cells = self.room * stride
        cdef int64_t counts[4][FEW]
        if self.growth == 1.0 and cells <= FEW and self.counts_whole():
            # Whole numbers, and four tables: a count need not wait for the one before it.
            memset(counts, 0, sizeof(counts))
            for i in range(0, rows - 3, 4):
                for j in range(4):
                    counts[j][y[i + j] * stride + 1 + p[i + j]] += 1
            for i in range(rows // 4 * 4, rows):
                counts[0][y[i] * stride + 1 + p[i]] += 1
            for i in range(cells):
                counts[0][i] += counts[1][i] + counts[2][i] + counts[3][i]
                if counts[0][i]:
                    self.put(i // stride, i % stride, gain * <double> counts[0][i])
            self.n += rows
            return
        for i in range(rows):
            self.put(y[i], 1 + p[i], gain)
            gain *= self.growth
            if gain > 1e150:
                self.scale(1.0 / gain)
                gain = 1.0
        self.gain = gain
        self.n += rows

    def merge(self, Confusion other):
        """As if the examples of `other` had come after ours."""
        cdef Py_ssize_t i, j
        cdef double factor
        numbers = self.label_codes.join(other.label_codes)
        self.fit()
        if self.window:
            rows = other.window_rows()
            if len(rows):
                renumber = np.array([*numbers, -1], dtype=np.float64)
                rows[:, 0] = renumber[rows[:, 0].astype(int)]
                rows[:, 1] = renumber[rows[:, 1].astype(int)]
            self.push_rows(rows)
            self.n += other.n
            return
        factor = self.age(other)
        for i in range(other.k):
            for j in range(other.k + 1):
                if other.c[i * (other.room + 1) + j] != 0.0:
                    self.put(<int> numbers[i], <int> numbers[j - 1] + 1 if j else 0,
                             factor * other.c[i * (other.room + 1) + j])
            if self.guesses:
                self.meet(numbers[i])
                self.rows[<int> numbers[i]] += factor * other.rows[i]
        self.changed += factor * other.changed
        self.uncommon += factor * other.uncommon
        if other.first >= 0:
            if self.first < 0:
                self.first, self.first_weight = numbers[other.first], factor * other.first_weight
            elif self.previous != numbers[other.first]:  # it has a previous one after all
                self.changed += factor * other.first_weight
        if other.previous >= 0:
            self.previous = numbers[other.previous]
        for i in range(self.k):
            if self.rows[i] > 0.0 and (
                    self.commonest < 0 or self.rows[i] > self.rows[self.commonest]):
                self.commonest = <int32_t> i
        self.n += other.n

    # -- what metrics ask --------------------------------------------------------------------------

    def matrix(self):
        """The table, k by k, in the order of the labels; without what was not predicted."""
        self.fit()
        self.refresh()
        return matrix(self.c, self.k, self.k + 1, self.room + 1)[:, 1:]

    cdef double total(self) noexcept:
        cdef Py_ssize_t i
        cdef double sum = 0.0
        for i in range(self.k):
            sum += self.row(i)
        return sum

    cdef double row(self, Py_ssize_t i) noexcept:
        cdef Py_ssize_t word
        cdef uint64_t bits
        cdef double sum = 0.0
        for word in range(self.words):
            bits = self.used[i * self.words + word]
            while bits:
                sum += self.c[i * (self.room + 1) + 64 * word + onstream_lowest(bits)]
                bits &= bits - 1
        return sum

    cdef void margins(self) noexcept:
        """All rows and columns added up."""
        cdef Py_ssize_t i, j, word
        cdef uint64_t bits
        memset(self.said, 0, (self.room + 1) * sizeof(double))
        for i in range(self.k):
            self.truth[i] = self.row(i)
            for word in range(self.words):
                bits = self.used[i * self.words + word]
                while bits:
                    j = 64 * word + onstream_lowest(bits)
                    bits &= bits - 1
                    self.said[j] += self.c[i * (self.room + 1) + j]

    cdef double right(self) noexcept:
        cdef Py_ssize_t i
        cdef double sum = 0.0
        for i in range(self.k):
            sum += self.c[i * (self.room + 1) + 1 + i]
        return sum

    cdef double wrong(self) noexcept:
        cdef Py_ssize_t i, j, word
        cdef uint64_t bits
        cdef double sum = 0.0
        for i in range(self.k):
            for word in range(self.words):
                bits = self.used[i * self.words + word]
                while bits:
                    j = 64 * word + onstream_lowest(bits)
                    bits &= bits - 1
                    if j != i + 1:
                        sum += self.c[i * (self.room + 1) + j]
        return sum

    def accuracy(self):
        self.refresh()
        return ratio(self.right(), self.total())

    def kappa(self):
        """Cohen's: how much rarer errors are than by chance. Nothing is subtracted from 1, which
        would leave rounding where nearly all examples have one label."""
        cdef Py_ssize_t i
        cdef double n, before = 0.0, expected = 0.0
        self.refresh()
        n = self.total()
        if n == 0.0:
            return 0.0
        self.margins()
        after = [self.said[0]]  # what was not predicted is wrong
        for i in range(self.k - 1, 0, -1):
            after.append(after[-1] + self.said[1 + i])
        for i in range(self.k):  # all columns but this one, from both sides
            expected += (self.truth[i] / n) * ((before + <double> after[self.k - 1 - i]) / n)
            before += self.said[1 + i]
        return max(-1.0, min(1.0, ratio(expected - self.wrong() / n, expected)))

    def kappa_t(self):
        """Kappa against "the same as before", which got wrong what changed, and the first."""
        cdef double missed
        self.refresh()
        missed = self.changed + self.first_weight
        return ratio(missed - self.wrong(), missed)

    def kappa_m(self):
        """Kappa against "the commonest so far"."""
        self.refresh()
        return ratio(self.uncommon - self.wrong(), self.uncommon)

    def balanced(self):
        cdef Py_ssize_t i
        cdef double sum = 0.0, occurred = 0.0, truth
        self.refresh()
        for i in range(self.k):
            truth = self.row(i)
            if truth > 0.0:
                sum += self.c[i * (self.room + 1) + 1 + i] / truth
                occurred += 1.0
        return ratio(sum, occurred)

    def judged(self, str average, positive):
        """How labels are averaged; if one is judged alone, which (None if not known yet)."""
        if average == "auto":
            several = positive is None and len(self.label_codes.occurred) > 2
            average = "macro" if several else "binary"
        if average != "binary":
            return average, None
        return average, self.label_codes.positive if positive is None else positive

    def averaged(self, str what, str average, positive):
        """Precision, recall or F1 (`what`), of the positive label or averaged over labels."""
        cdef Py_ssize_t i
        cdef double hit, truth, said, sum = 0.0, weight = 0.0, share
        self.fit()
        self.refresh()
        average, positive = self.judged(average, positive)
        if self.room:
            self.margins()
        if average == "micro":
            return self.micro(what)
        if average == "binary":
            if positive is None or positive not in self.label_codes.numbers:
                return 0.0
            i = self.label_codes.numbers[positive]
            hit = self.c[i * (self.room + 1) + 1 + i]
            return score(what, hit, self.truth[i], self.said[1 + i])
        for i in range(self.k):
            hit = self.c[i * (self.room + 1) + 1 + i]
            truth, said = self.truth[i], self.said[1 + i]
            if truth > 0.0 or said > 0.0:
                share = truth if average == "weighted" else 1.0
                sum += share * score(what, hit, truth, said)
                weight += share
        return ratio(sum, weight)

    cdef double micro(self, str what) except? -1.0:
        """All labels pooled; where nothing was predicted, precision does not count the example."""
        cdef Py_ssize_t i
        cdef double said = 0.0
        for i in range(self.k):
            said += self.said[1 + i]
        return score(what, self.right(), self.total(), said)

    def __reduce__(self):
        return restored, (Confusion, (self.window, self.alpha, self.guesses), self.export())

    def export(self):
        cdef Py_ssize_t i
        self.fit()
        return {
            **Sums.export(self),
            "label_codes": self.label_codes,
            "table": matrix(self.c, self.k, self.k + 1, self.room + 1).ravel(),
            "rows": [self.rows[i] for i in range(self.k)],
            "guessed": (self.changed, self.uncommon, self.first_weight),
            "codes": (self.previous, self.commonest, self.first),
        }

    def restore(self, fields):
        cdef Py_ssize_t i, j
        self.label_codes = fields["label_codes"]
        self.fit()
        fill(self.c, np.reshape(fields["table"], (self.k, self.k + 1)), self.room + 1)
        for i in range(self.k):
            for j in range(self.k + 1):
                if self.c[i * (self.room + 1) + j] != 0.0:
                    self.put(i, j, 0.0)
        for i in range(self.k):
            self.rows[i] = fields["rows"][i]
            self.meet(<int32_t> i)  # numbered as they were met; a window is counted again
        self.changed, self.uncommon, self.first_weight = fields["guessed"]
        self.previous, self.commonest, self.first = fields["codes"]
        Sums.restore(self, fields)


cdef double ratio(double a, double b) noexcept:
    return a / b if b != 0.0 else 0.0


cdef double score(str what, double hit, double truth, double said) except? -1.0:
    if what == "precision":
        return ratio(hit, said)
    if what == "recall":
        return ratio(hit, truth)
    return ratio(2.0 * hit, truth + said)
