"""The labels of a stream of true and predicted labels, numbered for the confusion matrix.

Not `core.labels.Labels`, which serves one learner and one column: here a true and a predicted label
are numbered in turn, a prediction may be None, True is 1, and it is known which labels were only
predicted. docs/decisions.md#two-label-encoders
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcmp

import numpy as np

from ..core.arrays cimport data_of, int32s, int64s
from ..core.hashing cimport hash_bytes
from ..core.memory cimport release, resize

from ..core.coding import first_sign
from ..core.coerce import row_error
from .columns import label_column, plain_label


cdef enum:
    WORDS = 4096  # cells of a table of words


cdef class LabelCodes:
    """Numbers labels in order of appearance, the true label of an example before the predicted.

    Labels are of one kind, text or numbers (True is 1), as those of a learner.
    """

    def __init__(self):
        self.labels = []
        self.numbers = {}
        self.occurred = set()

    def expect(self, label):
        """All labels must be of the kind of this one, which need not occur."""
        label = plain_label(label)
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
            y = plain_label(y)
        number = self.numbers.get(y)
        if number is None:
            plain_label(y)
            self.same_kind(y)
            number = self.numbers[y] = len(self.labels)
            self.labels.append(y)
        return number

    def forget(self, Py_ssize_t known):
        """Forget all labels but the first `known`: an example was refused."""
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
        y, predictions = label_column(y, "y"), label_column(predictions, "the prediction")
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
        y = label_column(y, "y")
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
        if y.dtype.kind == "U" and predictions.dtype.kind == "U":
            if self.encode_text(y, predictions, a, b):
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
        """The label coded +1: True or 1 if it came first, otherwise the second; None if not met yet."""
        if first_sign(self.labels) > 0.0:
            return self.labels[0]
        return self.labels[1] if len(self.labels) > 1 else None

    @property
    def positive(self):
        """The positive label, in whatever order they came: True, the larger number, the later text.

        Of the labels that were true, or that were predicted, too, if these are fewer than two. Of
        one label alone only True and 1 are known to be positive; None if it is not known yet.
        docs/decisions.md#positive-label
        """
        labels = self.true_labels() if len(self.occurred) > 1 else self.labels
        if len(labels) > 1:
            return max(labels)
        return labels[0] if labels and labels[0] == 1 else None

    def true_labels(self):
        """The labels that were true once."""
        return [self.labels[i] for i in self.occurred]

    def join(self, LabelCodes other):
        """Add the labels of `other`; return their numbers here."""
        cdef Py_ssize_t known = len(self.labels)
        try:
            numbers = [self.of(label) for label in other.labels]
        except:
            self.forget(known)
            raise
        self.occurred.update(numbers[i] for i in other.occurred)
        return numbers

    def __reduce__(self):
        return restored, (self.labels, sorted(self.occurred), self.expected)


def restored(labels, occurred, expected):
    """Unpickle."""
    cdef LabelCodes codes = LabelCodes()
    for label in labels:
        codes.of(label)
    codes.occurred.update(occurred)
    codes.expected = expected
    return codes
