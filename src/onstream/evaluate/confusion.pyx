"""Who was taken for whom: the table that metrics of labels are made of."""

from libc.math cimport floor
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

import numpy as np

from ..core.arrays cimport data_of, doubles, int32s, int64s
from ..core.hashing cimport hash_bytes
from ..core.memory cimport release, resize, roomier
from .sums cimport Sums, weight_of, weights_of

from ..core.coding import first_sign
from ..core.coerce import is_missing, row_error
from .sums import without_mask


cdef enum:
    WORDS = 4096  # cells of a table of words
    FEW = 64      # cells of a small table of counts


cdef class Names:
    """Numbers labels in order of appearance, the true label of an example before the predicted.

    Labels are of one kind, text or numbers (True is 1), as those of a learner.
    """

    cdef readonly list labels
    cdef dict numbers
    cdef set occurred       # numbers of the labels that were true once, not only predicted
    cdef object expected    # a label that says of which kind the labels are; None: any

    def __init__(self):
        self.labels = []
        self.numbers = {}
        self.occurred = set()
        self.expected = None

    def expect(self, label):
        """Labels will be of the kind of this one, which need not occur."""
        label = plain(label)
        self.same_kind(label)
        self.expected = label

    cdef int same_kind(self, object label) except -1:
        first = self.labels[0] if self.labels else self.expected
        if first is not None and isinstance(label, str) != isinstance(first, str):
            raise TypeError(
                f"labels are of one kind, such as {first!r:.80}; "
                f"got {label!r:.80} of type {type(label).__name__}.")
        return 0

    cpdef int32_t of(self, object y) except -2:
        """Number of a label; None, which is no label, is -1."""
        if y is None:
            return -1
        if type(y) is not str and type(y) is not int and type(y) is not bool:
            y = plain(y)
        number = self.numbers.get(y)
        if number is None:
            plain(y)
            self.same_kind(y)
            number = self.numbers[y] = len(self.labels)
            self.labels.append(y)
        return number

    def forget(self, Py_ssize_t known):
        """Forget all labels but so many that came first: an example was refused."""
        while len(self.labels) > known:
            del self.numbers[self.labels.pop()]

    def encode_one(self, y, prediction):
        """Numbers of a true and a predicted label, which become known together or not at all."""
        cdef Py_ssize_t known = len(self.labels)
        if y is None:
            raise ValueError("y must be a label, got None.")
        try:
            a, b = self.of(y), self.of(prediction)
        except:
            self.forget(known)
            raise
        self.occurred.add(a)
        return a, b

    def encode(self, y, predictions, weights=None):
        """Numbers of two columns of labels, as int32; if one is refused, none becomes known.

        A row of weight 0 is checked, but makes no label known.
        """
        cdef Py_ssize_t known = len(self.labels)
        y, predictions = column(y, "y"), column(predictions, "the prediction")
        if len(y) != len(predictions):
            raise ValueError(f"y has {len(y):,} rows, the predictions have {len(predictions):,}.")
        a, b = np.empty(len(y), dtype=np.int32), np.empty(len(y), dtype=np.int32)
        try:
            self.encode_columns(y, predictions, a, b)
            if weights is not None and not weights.all():
                self.forget(known)
                heavy = weights > 0.0
                some_a, some_b = self.encode(y[heavy], predictions[heavy])
                a[:], b[:] = 0, -1
                a[heavy], b[heavy] = some_a, some_b
                return a, b
        except:
            self.forget(known)
            raise
        self.note_true(a)
        return a, b

    def check(self, y):
        """Refuse true labels that are missing or of another kind; none becomes known."""
        cdef Py_ssize_t known = len(self.labels)
        y = column(y, "y")
        codes = np.empty(len(y), dtype=np.int32)
        try:
            self.encode_columns(y, y, codes, codes)
        except (TypeError, ValueError):  # in which row?
            self.forget(known)
            self.encode_objects(y.tolist(), y.tolist(), codes, codes)
        finally:
            self.forget(known)

    def encode_true(self, y):
        """Numbers of plain labels that were true."""
        numbers = [self.of(label) for label in y]
        self.occurred.update(numbers)
        return numbers

    cdef int note_true(self, a) except -1:
        """These labels were true."""
        cdef Py_ssize_t i
        cdef const int32_t* codes = int32s(a)
        met = np.zeros(len(self.labels), dtype=np.uint8)
        cdef unsigned char* seen = <unsigned char*> data_of(met)
        for i in range(len(a)):
            seen[codes[i]] = 1
        self.occurred.update(np.flatnonzero(met).tolist())
        return 0

    cdef int encode_columns(self, y, predictions, a, b) except -1:
        if not len(y):
            return 0
        if y.dtype.kind in "iub" and predictions.dtype.kind in "iub":
            low = min(int(y.min()), int(predictions.min()))
            high = max(int(y.max()), int(predictions.max()))
            if high - low <= 65_535 and -2**62 < low and high < 2**62:
                return self.encode_whole(y, predictions, a, b, low, high - low + 1)
        if y.dtype.kind == "U" and predictions.dtype.kind == "U" and self.encode_text(y, predictions, a, b):
            return 0
        return self.encode_objects(y.tolist(), predictions.tolist(), a, b)

    cdef int encode_whole(self, y, predictions, a, b, long long low, Py_ssize_t width) except -1:
        """Whole numbers in a narrow range: through a table."""
        cdef bint boolean = y.dtype.kind == "b"
        cdef Py_ssize_t i, rows = len(y)
        cdef int32_t* table = <int32_t*> resize(NULL, 0, width * sizeof(int32_t))
        cdef const int64_t* ys
        cdef const int64_t* ps
        cdef int32_t* ia = int32s(a)
        cdef int32_t* ib = int32s(b)
        y = np.ascontiguousarray(y, dtype=np.int64)
        predictions = np.ascontiguousarray(predictions, dtype=np.int64)
        ys = int64s(y)
        ps = int64s(predictions)
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
        words[0] = <const char*> data_of(y)
        words[1] = <const char*> data_of(predictions)
        codes[0] = int32s(a)
        codes[1] = int32s(b)
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
        cdef int32_t* ia = int32s(a)
        cdef int32_t* ib = int32s(b)
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
    def coded(self):
        """The label coded +1: True or 1 if it came first, else the second; None if not met yet."""
        if first_sign(self.labels) > 0.0:
            return self.labels[0]
        return self.labels[1] if len(self.labels) > 1 else None

    @property
    def positive(self):
        """The positive label, in whatever order they came: True, the larger number, the later text.

        Of the labels that were true, or that were predicted, too, if these are fewer than two. Of
        one label alone only True and 1 are known to be positive; None if it is not known yet.
        """
        labels = self.true_labels() if len(self.occurred) > 1 else self.labels
        if len(labels) > 1:
            return max(labels)
        return labels[0] if labels and labels[0] == 1 else None

    def true_labels(self):
        """The labels that were true once."""
        return [self.labels[i] for i in self.occurred]

    def join(self, Names other):
        """Take over the labels of others; their numbers here."""
        cdef Py_ssize_t known = len(self.labels)
        try:
            numbers = [self.of(label) for label in other.labels]
        except:
            self.forget(known)
            raise
        self.occurred.update(numbers[i] for i in other.occurred)
        return numbers

    def __reduce__(self):
        return names_of, (self.labels, sorted(self.occurred), self.expected)


def names_of(labels, occurred, expected):
    """Unpickle."""
    cdef Names names = Names()
    for label in labels:
        names.of(label)
    names.occurred.update(occurred)
    names.expected = expected
    return names


def plain(y):
    """A label as a Python bool, int or str."""
    if is_missing(y):
        raise ValueError(f"a label is missing ({y!s:.40}).")
    if isinstance(y, np.ndarray) and y.ndim == 0:
        y = y[()]
    if isinstance(y, np.bool_):
        return bool(y)
    if isinstance(y, (int, np.integer)) and not isinstance(y, np.timedelta64):
        return y if type(y) is bool else int(y)
    if isinstance(y, (float, np.floating)) and float(y).is_integer():
        return int(y)
    if isinstance(y, str):
        try:
            y.encode()
        except UnicodeEncodeError:
            raise ValueError(f"label {y!r:.80} is not valid Unicode text.") from None
        return str.__str__(y)
    raise TypeError(f"a label must be a bool, an int or a string, got {y!r:.80}.")


def column(values, str name):
    """Labels, one per row."""
    values = without_mask(values, name)
    if isinstance(values, (list, tuple)):
        array = np.empty(len(values), dtype=object)
        for i, value in enumerate(values):  # which may be a sequence itself
            array[i] = value
        return array
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got shape {array.shape}.")
    return array


cdef class Confusion(Sums):
    """Weights of the examples by true and predicted label; with `guesses`, also of those that two
    guesses got wrong: the previous label, and the commonest label so far."""

    cdef readonly Names names
    cdef double* c              # c[y * stride + 1 + p]; p = -1: nothing was predicted
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

    def __init__(self, window=0, alpha=1.0, guesses=False, names=None):
        self.names = Names() if names is None else names
        self.guesses = guesses
        self.hold(3)
        self.previous = self.commonest = self.first = -1

    def __dealloc__(self):
        release(self.c)
        release(self.rows)
        release(self.met)

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
            self.met = <int32_t*> resize(
                self.met, self.room * sizeof(int32_t), room * sizeof(int32_t))
            self.room = room
        self.k = max(self.k, k)
        return 0

    cdef void count(self, const double* row) noexcept nogil:
        self.count_codes(<int32_t> row[0], <int32_t> row[1], row[2])

    cdef inline void count_codes(self, int32_t y, int32_t p, double weight) noexcept nogil:
        cdef double w = weight * self.gain
        self.c[y * (self.room + 1) + 1 + p] += w
        if self.guesses:
            self.meet(y)
            self.meet(p)
            self.guess(y, w)

    cdef inline void meet(self, int32_t label) noexcept nogil:
        """Of two labels equally common, that is the commonest which was met first."""
        if label >= 0 and self.met[label] == 0:
            self.meetings += 1
            self.met[label] = self.meetings

    cdef void guess(self, int32_t y, double w) noexcept nogil:
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
            memset(self.c, 0, self.room * (self.room + 1) * sizeof(double))
            memset(self.rows, 0, self.room * sizeof(double))
            memset(self.met, 0, self.room * sizeof(int32_t))
        self.meetings = 0
        self.changed = self.uncommon = self.first_weight = 0.0
        self.previous = self.commonest = self.first = -1

    cdef void scale(self, double factor) noexcept nogil:
        cdef Py_ssize_t i
        for i in range(self.room * (self.room + 1)):
            self.c[i] *= factor
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
        row[0], row[1] = self.names.encode_one(y, p)
        row[2] = weight
        self.fit()
        self.add(row)

    def add_many(self, y, p, w=None):
        y, p = column(y, "y"), column(p, "the prediction")
        w = weights_of(w, len(y))
        self.add_columns(*self.names.encode(y, p, w), w)

    def add_columns(self, y, p, w, Py_ssize_t start=0, stop=None):
        """Add rows start ... stop-1 of what `names` has encoded."""
        cdef Py_ssize_t i = start, end = len(y) if stop is None else stop
        cdef const int32_t* ys = int32s(y)
        cdef const int32_t* ps = int32s(p)
        cdef const double* ws = NULL
        cdef double row[3]
        self.fit()
        if w is not None:
            ws = doubles(w)
        if ws == NULL and self.window == 0 and not self.guesses:
            self.count_plain(ys + start, ps + start, end - start)
            i = end
        while i < end:
            row[0], row[1], row[2] = ys[i], ps[i], ws[i] if ws != NULL else 1.0
            self.add(row)
            i += 1

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
        cdef double* c = self.c
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
        cdef double factor
        numbers = self.names.join(other.names)
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
                self.c[<int> numbers[i] * (self.room + 1) + (<int> numbers[j - 1] + 1 if j else 0)] += (
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

    cdef double wrong(self) noexcept:
        cdef Py_ssize_t i, j
        cdef double sum = 0.0
        for i in range(self.k):
            for j in range(self.k + 1):
                if j != i + 1:
                    sum += self.c[i * (self.room + 1) + j]
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
        """Cohen's: how much rarer errors are than by chance. Nothing is subtracted from 1, which
        would leave rounding where nearly all examples have one label."""
        cdef Py_ssize_t i
        cdef double n, before = 0.0, expected = 0.0
        self.refresh()
        n = self.total()
        if n == 0.0:
            return 0.0
        said = [self.column(i) for i in range(self.k)]
        after = [self.column(-1)]  # what was not predicted is wrong
        for i in range(self.k - 1, 0, -1):
            after.append(after[-1] + said[i])
        for i in range(self.k):  # all columns but this one, from both sides
            expected += (self.row(i) / n) * ((before + <double> after[self.k - 1 - i]) / n)
            before += <double> said[i]
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
        """How labels are averaged here, and, if one is judged alone, which: None if not known yet."""
        if average == "auto":
            several = positive is None and len(self.names.occurred) > 2
            average = "macro" if several else "binary"
        if average != "binary":
            return average, None
        return average, self.names.positive if positive is None else positive

    def averaged(self, str what, str average, positive):
        """Precision, recall or F1 (`what`), of the positive label or averaged over labels."""
        cdef Py_ssize_t i
        cdef double hit, truth, said, sum = 0.0, weight = 0.0, share
        self.fit()
        self.refresh()
        average, positive = self.judged(average, positive)
        if average == "micro":
            return self.micro(what)
        if average == "binary":
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
        cdef Py_ssize_t i
        self.fit()
        table = np.empty((self.k, self.k + 1))
        for i in range(self.k):
            memcpy(doubles(table) + i * (self.k + 1),
                   self.c + i * (self.room + 1), (self.k + 1) * sizeof(double))
        return {
            **Sums.export(self),
            "names": self.names,
            "table": table.ravel(),
            "rows": [self.rows[i] for i in range(self.k)],
            "guessed": (self.changed, self.uncommon, self.first_weight),
            "codes": (self.previous, self.commonest, self.first),
        }

    def restore(self, told):
        cdef Py_ssize_t i
        self.names = told["names"]
        self.fit()
        table = np.ascontiguousarray(told["table"], dtype=np.float64)
        for i in range(self.k):
            memcpy(self.c + i * (self.room + 1),
                   doubles(table) + i * (self.k + 1),
                   (self.k + 1) * sizeof(double))
            self.rows[i] = told["rows"][i]
            self.meet(<int32_t> i)  # numbered as they were met; a window is counted anew
        self.changed, self.uncommon, self.first_weight = told["guessed"]
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
