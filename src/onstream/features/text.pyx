"""From text to counted words, at the features: what a bag of words is made of."""

from cpython.unicode cimport PyUnicode_CheckExact

import numpy as np
from collections.abc import Mapping

from ..core.data_warning import list_names as told
from ..core.encoder cimport Encoder, RowBuffer
from ..core.example cimport LEARNED, Example
from ..core.frames import rows_of_table, text_column
from ..core.feature_index cimport ALL, NewFeatures
from ..core.coerce import is_missing, coerce_mapping, row_error
from ..core.sparse import SparseBlock
from ..core.transformer cimport Pool, TransformerState


cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX


cdef class TextEncoder(Encoder):
    """A features that takes text to pieces before it reads them."""

    cdef dict bags          # features that are text -> (shortest, longest, fold, binary)
    cdef tuple spaces       # how the words of several texts begin
    cdef bint apart         # numbers beside a text are not called as its words may be
    cdef dict doubts        # kind: what to warn of with the first example that is learned
    cdef bint met           # hashed: one of the texts was learned,
    cdef Py_ssize_t coming  # or is about to be, with this row of the block; -1: none

    def __cinit__(self, str who, hash_bits, hash_seed):
        self.bags, self.spaces, self.doubts = {}, (), {}
        self.apart, self.met, self.coming = True, False, -1

    def put(self, fields, tuple how):
        """These features are text."""
        for field in fields:
            if self.bags.setdefault(field, how) is not how:
                raise ValueError(f"{self.who}: the text {field!r} is taken to words twice.")
        self.spaces = tuple(f"{field}=" for field in self.bags)

    cdef int rollback(self) except -1:
        self.coming = -1
        self.doubts.clear()
        return Encoder.rollback(self)

    cdef int commit(self, Py_ssize_t width, Py_ssize_t row=PY_SSIZE_T_MAX) except -1:
        self.met |= 0 <= self.coming <= row
        return Encoder.commit(self, width, row)

    cdef bint is_new(self) noexcept:
        """Has no feature come yet? Hashed ones are not kept, so it is texts that count there."""
        return not (self.met or self.coming >= 0) if self.bits >= 0 else not self.names and self.implicit == 0

    cdef int read(self, object x, NewFeatures new_features, RowBuffer* row, Example* e) except -1:
        e.codes = NULL
        if PyUnicode_CheckExact(x) or type(x) is dict:
            if new_features == ALL:
                if self.is_new():
                    self.meet(x)
                elif type(x) is dict:
                    self.miss(<dict> x)
                if type(x) is dict:
                    self.doubt_numbers(<dict> x)
            return self.read_mapping(self.counted(x), new_features, row, e)
        if isinstance(x, np.ndarray):
            self.refuse_array("an example", x)
        return Encoder.read(self, x, new_features, row, e)

    cdef object coerce(self, object x):
        if isinstance(x, str):
            return str(x)
        if isinstance(x, Mapping) or (hasattr(x, "keys") and hasattr(x, "__getitem__")):
            return coerce_mapping(self.who, x if isinstance(x, Mapping) else dict(x), True)
        return Encoder.coerce(self, x)

    cdef int meet(self, object x) except -1:
        """The first text: it must be where it is looked for."""
        if PyUnicode_CheckExact(x) or any(field in x for field in self.bags):
            self.coming = self.row
        else:
            others = [name for name, value in x.items() if isinstance(value, str)]
            if others:
                raise ValueError(
                    f"{self.who}: BagOfWords finds no feature {told(self.bags)}; of text there is "
                    f"{told(others)}. Say on={others[0]!r}; or give None where the text is missing."
                )
        return 0

    cdef int miss(self, dict x) except -1:
        """A later example may lack the text; warn if one of another name came in its place."""
        for field in self.bags:
            if field in x:
                return 0
        others = [name for name, value in x.items() if PyUnicode_CheckExact(value)]
        if others and self.bits < 0:
            known = self.columns_known()
            others = [name for name in others if str(name) not in known]
        if others:
            self.doubt("renamed", (
                f"BagOfWords finds no feature {told(self.bags)}, learned before; of text there is "
                f"{told(others)}, taken as nominal values. Was the text renamed? Give None where "
                f"it is missing."
            ))
        return 0

    cdef int doubt_numbers(self, dict x) except -1:
        """A number where the text should be is a feature like others; but hardly on purpose."""
        for field in self.bags:
            value = x.get(field)
            if isinstance(value, (int, float)) and value == value:
                self.doubt("no text", (
                    f"feature {field!r} should be text, but is the number {value!r:.40}, which has no "
                    f"words and is learned as it is. Make a string of it, or name the text: on=..."
                ))
        return 0

    cdef int doubt(self, str kind, str message) except -1:
        """Warn of it once, if the example is learned."""
        if kind not in self.warned:
            self.suspect = True
            self.doubts.setdefault(kind, message)
        return 0

    def doubt_learned(self, Py_ssize_t seen):
        """Doubts about examples to learn, those about texts included."""
        Encoder.doubt_learned(self, seen)
        doubts, self.doubts = self.doubts, {}
        for kind, message in doubts.items():
            self.warn_once(kind, message)

    cdef int refuse_array(self, str what, first) except -1:
        """Refuse an array, whose first row this is."""
        texts = [value for value in first if isinstance(value, str)]
        found = "an array without names of columns" if texts else "an array of numbers"
        raise TypeError(
            f"{self.who}: {what} is {found}, in which BagOfWords finds no text. Pass "
            f"strings, or mappings or a frame with {told(self.bags)}; or leave BagOfWords out."
        )

    cdef int refuse_others(self, X) except -1:
        """Refuse a column of rows that are not all text."""
        for i, value in enumerate(X):
            if isinstance(value, str) or is_missing(value):
                continue
            advice = " Decode it first." if isinstance(value, (bytes, bytearray)) else ""
            raise row_error(TypeError, self.who, i, (
                f"X is a list of texts, so each must be a string or None, got {value!r:.60} of type "
                f"{type(value).__name__}.{advice}"
            ))
        raise ValueError(f"{self.who}: X holds no text: all its rows are missing.")

    cdef dict counted(self, object x):
        """An example with words for its texts."""
        cdef dict bags = {}, shared = {}, found = {}
        cdef bint single = len(self.bags) == 1
        if PyUnicode_CheckExact(x):
            if not single:
                raise TypeError(
                    f"{self.who}: with several texts, {told(self.bags)}, an example is a mapping; "
                    f"got one text, {x!r:.40}."
                )
            return self.count(x, "", next(iter(self.bags.values())))
        for field, how in self.bags.items():  # first of all: a column may be called as one of the words
            text = (<dict> x).get(field)
            if PyUnicode_CheckExact(text):
                bags[field] = self.count(text, "" if single else f"{field}=", how)
        for name, value in (<dict> x).items():
            if name in bags:
                if found:
                    found.update(bags[name])
                else:
                    found = bags[name]  # mostly the text comes first: its words need not be copied
            elif isinstance(value, str):
                if is_word(name, bags) or str(name).endswith("="):  # written out, as the features would do it
                    found[f"{name}={value}"] = 1.0
                else:
                    found[name] = value
            elif self.apart and (single or str(name).startswith(self.spaces)):
                found[f"{name}="] = value  # no word ends in =
            elif is_word(name, bags):
                shared[name] = value
            else:
                found[name] = value
        for name, value in shared.items():  # in a model of the first version: see `adopt`
            if value is not None:
                found[name] = found[name] + value if isinstance(value, (int, float)) else value
        return found

    cdef dict count(self, str text, str space, tuple how):
        """Count the n-grams of a text: words are letters and digits, whatever is between them."""
        cdef Py_ssize_t i, start = -1, n = len(text), size
        cdef Py_UCS4 letter
        cdef list words = []
        cdef dict found = {}
        shortest, longest, fold, binary = how
        if fold:
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
        for size in range(shortest, longest + 1):
            for i in range(len(words) - size + 1):
                word = space + (words[i] if size == 1 else " ".join(words[i:i + size]))
                found[word] = 1 if binary else found.get(word, 0) + 1
        return found

    def as_rows(self, X):
        """Texts in a list, an array, a series or a frame, as mappings."""
        texts = text_column(self.who, X)
        if texts is not None:
            if len(self.bags) > 1:
                raise TypeError(
                    f"{self.who}: with several texts, {told(self.bags)}, X is a frame or a list of "
                    f"mappings; got one column of texts."
                )
            field = next(iter(self.bags))
            return [{field: text} for text in texts]
        if isinstance(X, (str, bytes)):
            raise TypeError(
                f"{self.who}: X must be many examples: a list of strings, a list of mappings or a data "
                f"frame, got one {type(X).__name__}. One example goes to learn_one or predict_one."
            )
        if is_array(X):
            self.refuse_array("X", X[0] if isinstance(X, (list, tuple, np.ndarray)) else ())
        if is_column(X):
            self.refuse_others(X)
        if not (hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__")):
            return X
        names, rows = rows_of_table(self.who, X)
        lacking = [field for field in self.bags if field not in names]
        if rows and lacking:
            raise ValueError(
                f"{self.who}: BagOfWords finds no column {told(lacking)}; there are {told(names)}. "
                f"Say on=..., the name of the column of texts."
            )
        return rows

    def doubt_example(self, x, Py_ssize_t seen):
        """Words may all be new."""
        if isinstance(x, str) or (isinstance(x, Mapping) and any(f in x for f in self.bags)):
            return
        Encoder.doubt_example(self, x, seen)


cdef bint is_word(object name, dict bags) except -1:
    """Is there a word of that name?"""
    for bag in bags.values():
        if name in <dict> bag:
            return True
    return False


def is_column(X):
    """Say whether X is a list or a column with any row, and the first is not a mapping."""
    column = len(getattr(X, "shape", ())) == 1 and hasattr(X, "__array__")
    if not (column or isinstance(X, (list, tuple))) or len(X) == 0:
        return False
    first = next(iter(X))
    return not isinstance(first, Mapping) and not hasattr(first, "keys")


def is_array(X):
    """Say whether X is an array, dense or sparse, with any row."""
    if isinstance(X, (list, tuple)):
        return len(X) > 0 and isinstance(X[0], (list, tuple, np.ndarray))
    if isinstance(X, np.ndarray):
        return X.ndim == 2 and len(X) > 0 and X.dtype.kind in "fiubOU"
    if isinstance(X, SparseBlock):
        return len(X.starts) > 1
    return (hasattr(X, "indptr") or hasattr(X, "tocsr")) and X.shape[0] > 0


cdef class BagState(TransformerState):
    """Hands on what its features has counted."""

    cdef object fields
    cdef tuple how
    cdef object bits
    cdef object seed

    def __init__(self, *, fields, ngrams, fold, binary, bits, seed):
        self.fields, self.how = fields, (ngrams[0], ngrams[1], fold, binary)
        self.bits, self.seed = bits, seed

    cdef Encoder own_encoder(self, str who):
        return TextEncoder(who, self.bits, self.seed)

    cdef int connect(self, Encoder features, Encoder encoder) except -1:
        if self.bits is not None:
            self.output_features = Encoder(self.who, None, 0)
            self.output_features.implicit = self.output_features.width = 1 << self.bits
        if not isinstance(features, TextEncoder):
            raise ValueError(
                "BagOfWords: it must be the first step, where the text comes in; for several texts "
                "say on=['subject', 'body']."
            )
        if (features.bits >= 0) != (self.bits is not None):
            raise ValueError(
                "BagOfWords: after another BagOfWords it cannot hash words (hash_bits); for several "
                "texts say on=['subject', 'body']."
            )
        (<TextEncoder> features).put(self.fields, self.how)
        return TransformerState.connect(self, features, encoder)

    def keeps_nominal(self):
        return False

    cdef int transform(self, const Example* e, Example* out, Pool* pool) noexcept nogil:
        return LEARNED  # `out` is a copy of the example already

    def export_own(self):
        cdef TextEncoder features = self.features
        return {"apart": features.apart, "met": features.met} if features.bits >= 0 else {"apart": features.apart}

    def restore_own(self, fields):
        # Files of the first version called a column as it is, even if a word was called the same.
        cdef TextEncoder features = self.features
        features.apart = False if fields.missing("apart") else fields.flag("apart")
        if features.bits >= 0:
            features.met = True if fields.missing("met") else fields.flag("met")
