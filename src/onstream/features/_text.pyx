"""From text to counted words, while an example is read: what a bag of words is made of."""

from cpython.unicode cimport PyUnicode_CheckExact

import numpy as np
from collections.abc import Mapping

from ..core.encoder cimport Encoder, RowBuffer
from ..core.example cimport LEARNED, Example
from ..core.feature_index cimport ALL, NewFeatures
from ..core.transformer cimport Pool, TransformerState

from ..core.coerce import coerce_mapping
from ..core.data_warning import list_names
from .text_rows import refuse_array, rows_of_texts


cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX


cdef class TextEncoder(Encoder):
    """An encoder that replaces texts by their words before it reads an example."""

    cdef dict bags          # features that are text -> (shortest, longest, fold, binary)
    cdef tuple prefixes     # of the words of several texts: `feature=`
    cdef bint apart         # numbers beside a text get names that no word can have
    cdef bint met           # hashed: one of the texts was learned,
    cdef Py_ssize_t coming  # or is about to be, with this row of the block; -1: none

    def __cinit__(self, str who, hash_bits, hash_seed):
        self.bags, self.prefixes = {}, ()
        self.apart, self.met, self.coming = True, False, -1

    def put(self, fields, tuple how):
        """These features are text."""
        for field in fields:
            if self.bags.setdefault(field, how) is not how:
                raise ValueError(f"{self.who}: the text {field!r} is taken to words twice.")
        self.prefixes = tuple(f"{field}=" for field in self.bags)

    cdef int rollback(self) except -1:
        self.coming = -1
        self.pending.pop("renamed", None)
        self.pending.pop("no text", None)
        return Encoder.rollback(self)

    cdef int commit(self, Py_ssize_t width, Py_ssize_t row=PY_SSIZE_T_MAX) except -1:
        self.met |= 0 <= self.coming <= row
        return Encoder.commit(self, width, row)

    cdef bint is_new(self) noexcept:
        """Has no feature come yet? Hashed ones are not kept: there, has no text come yet?"""
        if self.bits >= 0:
            return not (self.met or self.coming >= 0)
        return not self.names and self.implicit == 0

    cdef int read(self, object x, NewFeatures new_features, RowBuffer* row, Example* e) except -1:
        e.codes = NULL
        if PyUnicode_CheckExact(x) or type(x) is dict:
            if new_features == ALL:
                if self.is_new():
                    self.find_text(x)
                elif type(x) is dict:
                    self.doubt_renamed(<dict> x)
                if type(x) is dict:
                    self.doubt_numbers(<dict> x)
            return self.read_mapping(self.counted(x), new_features, row, e)
        if isinstance(x, np.ndarray):
            refuse_array(self.who, self.bags, "an example", x)
        return Encoder.read(self, x, new_features, row, e)

    cdef object coerce(self, object x):
        if isinstance(x, str):
            return str(x)
        if isinstance(x, Mapping) or (hasattr(x, "keys") and hasattr(x, "__getitem__")):
            return coerce_mapping(self.who, x if isinstance(x, Mapping) else dict(x), True)
        return Encoder.coerce(self, x)

    cdef int find_text(self, object x) except -1:
        """Refuse a first example whose text is not where it is looked for."""
        if PyUnicode_CheckExact(x) or any(field in x for field in self.bags):
            self.coming = self.row
        else:
            others = [name for name, value in x.items() if isinstance(value, str)]
            if others:
                raise ValueError(
                    f"{self.who}: BagOfWords finds no feature {list_names(self.bags)}; of text there is "
                    f"{list_names(others)}. Say on={others[0]!r}; or give None where the text is missing."
                )
        return 0

    cdef int doubt_renamed(self, dict x) except -1:
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
                f"BagOfWords finds no feature {list_names(self.bags)}, learned before; of text there is "
                f"{list_names(others)}, taken as nominal values. Was the text renamed? Give None where "
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
            self.pending.setdefault(kind, message)
        return 0

    cdef dict counted(self, object x):
        """An example with words for its texts."""
        cdef dict bags = {}, shared = {}, found = {}
        cdef bint single = len(self.bags) == 1
        if PyUnicode_CheckExact(x):
            if not single:
                raise TypeError(
                    f"{self.who}: with several texts, {list_names(self.bags)}, an example is a mapping; "
                    f"got one text, {x!r:.40}."
                )
            return self.count(x, "", next(iter(self.bags.values())))
        for field, how in self.bags.items():  # first: a column may be called like a word
            text = (<dict> x).get(field)
            if PyUnicode_CheckExact(text):
                bags[field] = self.count(text, "" if single else f"{field}=", how)
        for name, value in (<dict> x).items():
            if name in bags:
                if found:
                    found.update(bags[name])
                else:
                    found = bags[name]  # mostly the text comes first: no copy
            elif isinstance(value, str):
                if is_word(name, bags) or str(name).endswith("="):  # as the encoder would write it
                    found[f"{name}={value}"] = 1.0
                else:
                    found[name] = value
            elif self.apart and (single or str(name).startswith(self.prefixes)):
                found[f"{name}="] = value  # no word ends in =
            elif is_word(name, bags):
                shared[name] = value
            else:
                found[name] = value
        for name, value in shared.items():  # only in a model of the first version: see `restore_own`
            if value is not None:
                found[name] = found[name] + value if isinstance(value, (int, float)) else value
        return found

    cdef dict count(self, str text, str prefix, tuple how):
        """Count the n-grams of a text: words are runs of letters, digits and apostrophes."""
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
                word = prefix + (words[i] if size == 1 else " ".join(words[i:i + size]))
                found[word] = 1 if binary else found.get(word, 0) + 1
        return found

    def as_rows(self, X):
        """Texts in a list, an array, a series or a frame, as mappings."""
        return rows_of_texts(self.who, self.bags, X)

    def doubt_example(self, x, Py_ssize_t seen):
        """Doubts about an example of which no feature is known; but words may all be new."""
        if isinstance(x, str) or (isinstance(x, Mapping) and any(f in x for f in self.bags)):
            return
        Encoder.doubt_example(self, x, seen)


cdef bint is_word(object name, dict bags) except -1:
    """Is there a word of that name?"""
    for bag in bags.values():
        if name in <dict> bag:
            return True
    return False


cdef class BagState(TransformerState):
    """Hands on what its encoder has counted."""

    cdef object fields
    cdef tuple how
    cdef object bits
    cdef object seed

    def __init__(self, fields, tuple how, bits, seed):
        self.fields, self.how = fields, how
        self.bits, self.seed = bits, seed
        self.constant = True

    def hashes(self):
        return self.bits is not None

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
        fields = {"apart": features.apart}
        if features.bits >= 0:
            fields["met"] = features.met
        return fields

    def restore_own(self, fields):
        # In files of the first version a column keeps its name, even if a word has the same.
        cdef TextEncoder features = self.features
        features.apart = False if fields.missing("apart") else fields.flag("apart")
        if features.bits >= 0:
            features.met = True if fields.missing("met") else fields.flag("met")
