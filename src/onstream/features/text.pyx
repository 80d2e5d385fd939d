"""From text to counted words, at the door: what a bag of words is made of."""

from cpython.unicode cimport PyUnicode_CheckExact

import numpy as np

from ..core.door cimport Door, Row
from ..core.example cimport Example
from ..core.index cimport Welcome
from ..core.transformer cimport Pool, TransformerState


cdef class TextDoor(Door):
    """A door that takes text to pieces before it reads them."""

    cdef tuple fields       # which features are text
    cdef int shortest       # n-grams of so many words
    cdef int longest
    cdef bint fold
    cdef bint binary

    def describe(self, fields, shortest, longest, fold, binary):
        self.fields, self.fold, self.binary = tuple(fields), fold, binary
        self.shortest, self.longest = shortest, longest
        return self

    cdef int read(self, object x, Welcome welcome, Row* row, Example* e) except -1:
        e.codes = NULL
        if PyUnicode_CheckExact(x) or type(x) is dict:
            return self.read_mapping(self.counted(x), welcome, row, e)
        return Door.read(self, x, welcome, row, e)

    cdef object plain(self, object x):
        return str(x) if isinstance(x, str) else Door.plain(self, x)

    cdef dict counted(self, object x):
        """An example with words for its texts."""
        cdef dict found = {}
        if PyUnicode_CheckExact(x):
            self.count(x, "", found)
            return found
        for name, value in (<dict> x).items():
            if PyUnicode_CheckExact(value) and name in self.fields:
                self.count(value, "" if len(self.fields) == 1 else f"{name}=", found)
            else:
                found[name] = value
        return found

    cdef int count(self, str text, str space, dict found) except -1:
        """Count the n-grams of a text: words are letters and digits, whatever is between them."""
        cdef Py_ssize_t i, start = -1, n = len(text), size
        cdef Py_UCS4 letter
        cdef list words = []
        if self.fold:
            text = text.casefold()
            n = len(text)
        for i in range(n):
            letter = text[i]
            if letter.isalnum() or letter == u"'":
                if start < 0:
                    start = i
            elif start >= 0:
                words.append(text[start:i])
                start = -1
        if start >= 0:
            words.append(text[start:])
        for size in range(self.shortest, self.longest + 1):
            for i in range(len(words) - size + 1):
                word = space + (words[i] if size == 1 else " ".join(words[i:i + size]))
                found[word] = 1 if self.binary else found.get(word, 0) + 1
        return 0

    def as_rows(self, X):
        """Texts in a list, an array or a frame, as mappings."""
        if hasattr(X, "__arrow_c_stream__"):
            import pyarrow as pa

            try:
                return pa.table(X).to_pylist()
            except (TypeError, ValueError):  # one column
                X = pa.chunked_array(X).to_pylist()
        if isinstance(X, np.ndarray) and X.dtype.kind in "UOT" and X.ndim == 1:
            X = X.tolist()
        if isinstance(X, (list, tuple)) and len(X) and all(isinstance(x, str) for x in X):
            return [self.counted(str(x)) for x in X]
        return X


cdef class BagState(TransformerState):
    """Hands on what its door has counted."""

    cdef object options
    cdef object bits
    cdef object seed

    def __init__(self, who, *, fields, ngrams, fold, binary, bits, seed):
        self.options = (fields, ngrams[0], ngrams[1], fold, binary)
        self.bits, self.seed = bits, seed
        if bits is not None:
            self.made = Door(who, None, 0)
            self.made.implicit = self.made.width = 1 << bits
        self.wire(self.own_entrance(who))

    cdef Door own_entrance(self, str who):
        return TextDoor(who, self.bits, self.seed).describe(*self.options)

    cdef int wire(self, Door door) except -1:
        if not isinstance(door, TextDoor):
            raise ValueError(f"{self.who}: it must be the first step, where the text comes in.")
        return TransformerState.wire(self, door)

    def keeps_nominal(self):
        return False

    cdef void transform(self, const Example* e, Example* out, Pool* pool) noexcept nogil:
        pass  # `out` is a copy of the example already
