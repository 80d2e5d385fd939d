"""Who was taken for whom: the table that metrics of labels are made of."""

cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcmp, memset

import numpy as np

from ..core.hashing cimport hash_bytes
from ..core.memory cimport release, resize, roomier
from ..core.plain import row_error
from .sums cimport Sums, weight_of, weights_of

cnp.import_array()

cdef enum:
    WORDS = 4096  # cells of a table of words
    FEW = 64      # cells of a small table of counts


cdef class Names:
    """Numbers labels in order of appearance, the true label of an example before the predicted."""

    cdef readonly list labels
    cdef dict numbers

    def __init__(self):
        self.labels = []
        self.numbers = {}

    cpdef int32_t of(self, object y) except -2:
        """Number of a label; None, which is no label, is -1."""
        if y is None:
            return -1
        try:
            number = self.numbers.get(y)
        except TypeError:
            raise TypeError(f"a label must be a bool, an int or a string, got {y!r:.80}.") from None
        if number is None:
            label = plain(y)
            number = self.numbers[label] = len(self.labels)
            self.labels.append(label)
        return number

    def encode(self, y, predictions):
        """Numbers of two columns of labels, as int32."""
        y, predictions = column(y), column(predictions)
        if len(y) != len(predictions):
            raise ValueError(f"y has {len(y):,} rows, the predictions have {len(predictions):,}.")
        a, b = np.empty(len(y), dtype=np.int32), np.empty(len(y), dtype=np.int32)
        if not len(y):
            return a, b
        if y.dtype.kind in "iub" and predictions.dtype.kind in "iub":
            low = min(int(y.min()), int(predictions.min()))
            high = max(int(y.max()), int(predictions.max()))
            if high - low <= 65_535 and -2**62 < low and high < 2**62:
                self.encode_whole(y, predictions, a, b, low, high - low + 1)
                return a, b
        if y.dtype.kind == "U" and predictions.dtype.kind == "U" and self.encode_text(y, predictions, a, b):
            return a, b
        self.encode_objects(y.tolist(), predictions.tolist(), a, b)
        return a, b

    cdef int encode_whole(self, y, predictions, a, b, long long low, Py_ssize_t width) except -1:
        """Whole numbers in a narrow range: through a table."""
        cdef bint boolean = y.dtype.kind == "b"
        cdef Py_ssize_t i, rows = len(y)
        cdef int32_t* table = <int32_t*> resize(NULL, 0, width * sizeof(int32_t))
        cdef const int64_t* ys
        cdef const int64_t* ps
        cdef int32_t* ia = <int32_t*> cnp.PyArray_DATA(<cnp.ndarray> a)
        cdef int32_t* ib = <int32_t*> cnp.PyArray_DATA(<cnp.ndarray> b)
        y = np.ascontiguousarray(y, dtype=np.int64)
        predictions = np.ascontiguousarray(predictions, dtype=np.int64)
        ys = <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> y)
        ps = <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> predictions)
        try:
            for i in range(rows):
                if table[ys[i] - low] == 0:  # 0: not met yet
                    table[ys[i] - low] = 1 + self.of(ys[i] != 0 if boolean else ys[i])
                if table[ps[i] - low] == 0:
                    table[ps[i] - low] = 1 + self.of(ps[i] != 0 if boolean else ps[i])
                ia[i] = table[ys[i] - low] - 1
                ib[i] = table[ps[i] - low] - 1
        finally:
            release(table)
        return 0

    cdef bint encode_text(self, y, predictions, a, b) except -1:
        """Text of fixed width: a string is made of each different word once. False: too many."""
        dtype = max(y.dtype, predictions.dtype, key=lambda dtype: dtype.itemsize)
        y = np.ascontiguousarray(y, dtype=dtype)
        predictions = np.ascontiguousarray(predictions, dtype=dtype)
        cdef Py_ssize_t i, j, width = dtype.itemsize, found = 0, rows = len(y)
        cdef const char* words[2]
        cdef int32_t* codes[2]
        cdef const char* word
        cdef const char** met  # where a word was first met
        cdef int32_t* code
        cdef uint64_t at
        if width == 0:
            return False
        words[0] = <const char*> cnp.PyArray_DATA(<cnp.ndarray> y)
        words[1] = <const char*> cnp.PyArray_DATA(<cnp.ndarray> predictions)
        codes[0] = <int32_t*> cnp.PyArray_DATA(<cnp.ndarray> a)
        codes[1] = <int32_t*> cnp.PyArray_DATA(<cnp.ndarray> b)
        met = <const char**> resize(NULL, 0, WORDS * sizeof(char*))
        code = <int32_t*> resize(NULL, 0, WORDS * sizeof(int32_t))
        try:
            for i in range(rows):
                for j in range(2):
                    word = words[j] + i * width
                    at = hash_bytes(<const unsigned char*> word, width) & <uint64_t> (WORDS - 1)
                    while met[at] != NULL and memcmp(met[at], word, width) != 0:
                        at = (at + 1) & <uint64_t> (WORDS - 1)
                    if met[at] == NULL:
                        found += 1
                        if found > WORDS // 2:
                            return False
                        met[at] = word
                        code[at] = self.of((predictions if j else y)[i].item())
                    codes[j][i] = code[at]
        finally:
            release(met)
            release(code)
        return True

    cdef int encode_objects(self, list y, list predictions, a, b) except -1:
        cdef Py_ssize_t i
        cdef int32_t* ia = <int32_t*> cnp.PyArray_DATA(<cnp.ndarray> a)
        cdef int32_t* ib = <int32_t*> cnp.PyArray_DATA(<cnp.ndarray> b)
        for i in range(len(y)):
            try:
                ia[i] = self.of(y[i])
                if ia[i] < 0:
                    raise ValueError("y must be a label, got None.")
                ib[i] = self.of(predictions[i])
            except (TypeError, ValueError) as error:
                raise row_error(type(error), "", i, str(error)) from None
        return 0

    @property
    def positive(self):
        """The label coded +1: True or 1 if it came first, else the second; None if not met yet."""
        if self.labels and (self.labels[0] is True or self.labels[0] == 1):
            return self.labels[0]
        return self.labels[1] if len(self.labels) > 1 else None

    def __reduce__(self):
        return names_of, (self.labels,)


def names_of(labels):
    """Unpickle."""
    names = Names()
    for label in labels:
        names.of(label)
    return names


cdef object plain(object y):
    """A label as a Python bool, int or str."""
    if isinstance(y, np.generic):
        y = y.item()
    if isinstance(y, float) and y.is_integer():
        return int(y)
    if isinstance(y, (bool, int, str)):
        return y
    raise TypeError(f"a label must be a bool, an int or a string, got {y!r:.80}.")


def column(values):
    """Labels, one per row."""
    if isinstance(values, (list, tuple)):
        array = np.empty(len(values), dtype=object)
        array[:] = values
        return array
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"labels must have one dimension, got shape {array.shape}.")
    return array


cdef class Confusion(Sums):
    """Weights of the examples by true and predicted label; with `guesses`, also of those that two
    guesses got right: the previous label, and the commonest label so far."""

    cdef readonly Names names
    cdef double* c              # c[y * stride + 1 + p]; p = -1: nothing was predicted
    cdef double* rows           # weight by true label, kept for the guesses
    cdef readonly bint guesses
    cdef Py_ssize_t room        # labels that fit
    cdef Py_ssize_t k           # labels in use
    cdef double persistent      # weight of examples with the previous label
    cdef double common          # weight of examples with the label that was commonest before
    cdef int32_t previous       # label of the last example
    cdef int32_t commonest
    cdef int32_t first          # label of the first example, for `merge`
    cdef double first_weight

    def __init__(self, window=0, alpha=1.0, guesses=False, names=None):
        self.names = Names() if names is None else names
        self.guesses = guesses
        self.hold(3)
        self.previous = self.commonest = self.first = -1

    def __dealloc__(self):
        release(self.c)
        release(self.rows)

    cdef int fit(self) except -1:
        """Room for every label with a name."""
        cdef Py_ssize_t k = len(self.names.labels), room, i, j
        cdef double* moved
        if k > self.room:
            room = roomier(self.room, k)
            moved = <double*> resize(NULL, 0, room * (room + 1) * sizeof(double))
            for i in range(self.k):
                for j in range(self.k + 1):
                    moved[i * (room + 1) + j] = self.c[i * (self.room + 1) + j]
            release(self.c)
            self.c = moved
            self.rows = <double*> resize(
                self.rows, self.room * sizeof(double), room * sizeof(double))
            self.room = room
        self.k = max(self.k, k)
        return 0

    cdef void count(self, const double* row) noexcept nogil:
        self.count_codes(<int32_t> row[0], <int32_t> row[1], row[2])

    cdef inline void count_codes(self, int32_t y, int32_t p, double weight) noexcept nogil:
        cdef double w = weight * self.gain
        self.c[y * (self.room + 1) + 1 + p] += w
        if self.guesses:
            self.guess(y, w)

    cdef void guess(self, int32_t y, double w) noexcept nogil:
        if y == self.previous:
            self.persistent += w
        elif self.previous < 0:
            self.first, self.first_weight = y, w
        if y == self.commonest:
            self.common += w
        self.previous = y
        self.rows[y] += w
        if self.commonest < 0 or self.rows[y] > self.rows[self.commonest] or (
                self.rows[y] == self.rows[self.commonest] and y < self.commonest):
            self.commonest = y

    cdef void clear(self) noexcept nogil:
        if self.room:
            memset(self.c, 0, self.room * (self.room + 1) * sizeof(double))
            memset(self.rows, 0, self.room * sizeof(double))
        self.persistent = self.common = self.first_weight = 0.0
        self.previous = self.commonest = self.first = -1

    cdef void scale(self, double factor) noexcept nogil:
        cdef Py_ssize_t i
        for i in range(self.room * (self.room + 1)):
            self.c[i] *= factor
        for i in range(self.room):
            self.rows[i] *= factor
        self.persistent *= factor
        self.common *= factor
        self.first_weight *= factor

    def add_one(self, y, p, w=1.0):
        cdef double row[3]
        cdef double weight = weight_of(w)
        if y is None:
            raise ValueError("y must be a label, got None.")
        row[0], row[1], row[2] = self.names.of(y), self.names.of(p), weight
        self.fit()
        self.add(row)

    def add_many(self, y, p, w=None):
        w = weights_of(w, len(y))
        self.add_columns(*self.names.encode(y, p), w)

    def add_columns(self, y, p, w, Py_ssize_t start=0, stop=None):
        """Add rows start ... stop-1 of what `names` has encoded."""
        cdef Py_ssize_t i = start, end = len(y) if stop is None else stop
        cdef const int32_t* ys = <const int32_t*> cnp.PyArray_DATA(<cnp.ndarray> y)
        cdef const int32_t* ps = <const int32_t*> cnp.PyArray_DATA(<cnp.ndarray> p)
        cdef const double* ws = NULL
        cdef double row[3]
        self.fit()
        if w is not None:
            ws = <const double*> cnp.PyArray_DATA(<cnp.ndarray> w)
        if ws == NULL and self.window == 0 and not self.guesses:
            self.count_plain(ys + start, ps + start, end - start)
            i = end
        while i < end:
            row[0], row[1], row[2] = ys[i], ps[i], ws[i] if ws != NULL else 1.0
            self.add(row)
            i += 1

    cdef void count_plain(self, const int32_t* y, const int32_t* p, Py_ssize_t rows) noexcept nogil:
        """The usual case, without a call for each row."""
        cdef double gain = self.gain
        cdef double* c = self.c
        cdef Py_ssize_t i, j, stride = self.room + 1, cells = self.room * stride
        cdef int64_t counts[4][FEW]
        if self.growth == 1.0 and cells <= FEW:
            # Whole numbers, and four tables: a count need not wait for the one before it.
            memset(counts, 0, sizeof(counts))
            for i in range(0, rows - 3, 4):
                for j in range(4):
                    counts[j][y[i + j] * stride + 1 + p[i + j]] += 1
            for i in range(rows // 4 * 4, rows):
                counts[0][y[i] * stride + 1 + p[i]] += 1
            for i in range(cells):
                c[i] += gain * <double> (counts[0][i] + counts[1][i] + counts[2][i] + counts[3][i])
            self.n += rows
            return
        for i in range(rows):
            c[y[i] * stride + 1 + p[i]] += gain
            gain *= self.growth
            if gain > 1e150:
                self.scale(1.0 / gain)
                gain = 1.0
        self.gain = gain
        self.n += rows

    def merge(self, Confusion other):
        """As if the examples of `other` had come after ours."""
        cdef Py_ssize_t i, j
        cdef double factor, before
        numbers = [self.names.of(label) for label in other.names.labels]
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
        before = 0.0
        if other.first >= 0 and self.previous == numbers[other.first]:
            before = other.first_weight  # the first of theirs had a predecessor after all
        factor = self.age(other)
        for i in range(other.k):
            for j in range(other.k + 1):
                self.c[<int> numbers[i] * (self.room + 1) + (<int> numbers[j - 1] + 1 if j else 0)] += (
                    factor * other.c[i * (other.room + 1) + j])
            if self.guesses:
                self.rows[<int> numbers[i]] += factor * other.rows[i]
        self.persistent += factor * (other.persistent + before)
        self.common += factor * other.common
        if self.first < 0 and other.first >= 0:
            self.first, self.first_weight = numbers[other.first], factor * other.first_weight
        if other.previous >= 0:
            self.previous = numbers[other.previous]
        for i in range(self.k):
            if self.rows[i] > 0.0 and (
                    self.commonest < 0 or self.rows[i] > self.rows[self.commonest]):
                self.commonest = <int32_t> i
        self.n += other.n

    # -- what metrics ask --------------------------------------------------------------------------

    def matrix(self):
        """The table, k by k, in the order of `names.labels`; without what was not predicted."""
        cdef Py_ssize_t i, j
        self.fit()
        self.refresh()
        out = np.zeros((self.k, self.k))
        for i in range(self.k):
            for j in range(self.k):
                out[i, j] = self.c[i * (self.room + 1) + 1 + j]
        return out

    cdef double total(self) noexcept:
        cdef Py_ssize_t i
        cdef double sum = 0.0
        for i in range(self.k):
            sum += self.row(i)
        return sum

    cdef double row(self, Py_ssize_t i) noexcept:
        cdef Py_ssize_t j
        cdef double sum = 0.0
        for j in range(self.k + 1):
            sum += self.c[i * (self.room + 1) + j]
        return sum

    cdef double right(self) noexcept:
        cdef Py_ssize_t i
        cdef double sum = 0.0
        for i in range(self.k):
            sum += self.c[i * (self.room + 1) + 1 + i]
        return sum

    cdef double column(self, Py_ssize_t j) noexcept:
        cdef Py_ssize_t i
        cdef double sum = 0.0
        for i in range(self.k):
            sum += self.c[i * (self.room + 1) + 1 + j]
        return sum

    def accuracy(self):
        self.refresh()
        return ratio(self.right(), self.total())

    def kappa(self):
        cdef Py_ssize_t i
        cdef double n, chance = 0.0
        self.refresh()
        n = self.total()
        if n == 0.0:
            return 0.0
        for i in range(self.k):
            chance += (self.row(i) / n) * (self.column(i) / n)
        return ratio(self.right() / n - chance, 1.0 - chance)

    def kappa_t(self):
        """Kappa against "the same as before"."""
        self.refresh()
        return ratio(self.right() - self.persistent, self.total() - self.persistent)

    def kappa_m(self):
        """Kappa against "the commonest so far"."""
        self.refresh()
        return ratio(self.right() - self.common, self.total() - self.common)

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

    def averaged(self, str what, str average, positive):
        """Precision, recall or F1 (`what`), of the positive label or averaged over labels."""
        cdef Py_ssize_t i
        cdef double hit, truth, said, sum = 0.0, weight = 0.0, share
        self.fit()
        self.refresh()
        if average == "auto":
            average = "binary" if self.k <= 2 else "macro"
        if average == "micro":
            return self.micro(what)
        if average == "binary":
            positive = self.names.positive if positive is None else positive
            if positive is None or positive not in self.names.numbers:
                return 0.0
            i = self.names.numbers[positive]
            return score(what, self.c[i * (self.room + 1) + 1 + i], self.row(i), self.column(i))
        for i in range(self.k):
            hit, truth, said = self.c[i * (self.room + 1) + 1 + i], self.row(i), self.column(i)
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
            said += self.column(i)
        return score(what, self.right(), self.total(), said)

    def __reduce__(self):
        return confusion_of, (self.window, self.alpha, self.guesses, self.export())

    def export(self):
        cdef Py_ssize_t i, j
        self.fit()
        table = [self.c[i * (self.room + 1) + j] for i in range(self.k) for j in range(self.k + 1)]
        return {
            **Sums.export(self),
            "names": self.names,
            "table": np.array(table),
            "rows": [self.rows[i] for i in range(self.k)],
            "guessed": (self.persistent, self.common, self.first_weight),
            "codes": (self.previous, self.commonest, self.first),
        }

    def restore(self, told):
        cdef Py_ssize_t i, j
        self.names = told["names"]
        self.fit()
        table = told["table"].reshape(self.k, self.k + 1)
        for i in range(self.k):
            for j in range(self.k + 1):
                self.c[i * (self.room + 1) + j] = table[i, j]
            self.rows[i] = told["rows"][i]
        self.persistent, self.common, self.first_weight = told["guessed"]
        self.previous, self.commonest, self.first = told["codes"]
        Sums.restore(self, told)


def confusion_of(window, alpha, guesses, told):
    """Unpickle."""
    sums = Confusion(window, alpha, guesses)
    sums.restore(told)
    return sums


cdef double ratio(double a, double b) noexcept:
    return a / b if b != 0.0 else 0.0


cdef double score(str what, double hit, double truth, double said) except? -1.0:
    if what == "precision":
        return ratio(hit, said)
    if what == "recall":
        return ratio(hit, truth)
    return ratio(2.0 * hit, truth + said)
