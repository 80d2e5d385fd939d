"""How members that read examples in different ways stand behind one encoder.

Trees, naive Bayes and kNN take a text as one nominal value, learners of numbers as the feature
`name=value` with the value 1; to trees and naive Bayes NaN is a missing value, others refuse it. The
encoder keeps what any member wants to see. Before each of the others stands a step that turns
nominal values into the features that this member would have read, and leaves out what is missing.
Those features get their numbers when the member first learns them, as if it were alone.
"""

from cpython.exc cimport PyErr_SetInterrupt
from libc.stdint cimport int32_t

import numpy as np
from sys import getsizeof

from ..core.batch cimport BatchModel
from ..core.coerce import number_text
from ..core.encoder cimport Encoder, bounded
from ..core.example cimport LEARNED, NO_MEMORY, NUMBER, Example, feature
from ..core.feature_index cimport ALL
from ..core.memory cimport release, resize, roomier
from ..core.state cimport State
from ..core.transformer cimport Pool, TransformerState


cdef class ReadingState(TransformerState):
    def __init__(self, str who):
        self.who, self.met = who, []

    def __dealloc__(self):
        cdef Py_ssize_t f
        for f in range(self.rows):
            release(self.origins[f].values)
        release(self.origins)

    cdef int connect(self, Encoder features, Encoder encoder) except -1:
        TransformerState.connect(self, features, encoder)
        self.declared = encoder.categorical
        self.output_features = Encoder(self.who, None, 0) if self.names else None
        return 0

    def keeps_nominal(self):
        return not self.names

    cdef Py_ssize_t width_out(self, Py_ssize_t width) noexcept nogil:
        return self.wide if self.names else width

    # -- what comes out -----------------------------------------------------------------------

    cdef Translation* find(self, const Example* e, Py_ssize_t i) noexcept nogil:
        """What value i of the example becomes; NULL: nothing yet."""
        cdef Py_ssize_t f = feature(e, i)
        cdef int32_t code = e.codes[i] if e.codes != NULL else NUMBER
        cdef Translation* found
        if f >= self.rows or code < NUMBER or code >= self.origins[f].room:
            return NULL
        found = &self.origins[f].number if code == NUMBER else &self.origins[f].values[code]
        return found if found.id else NULL

    cdef int transform(self, const Example* e, Example* out, Pool* pool) noexcept nogil:
        cdef Py_ssize_t i, n = 0
        cdef bint contiguous = True
        cdef int32_t code
        cdef Translation* found
        for i in range(e.n):
            if e.values[i] != e.values[i]:  # NaN is missing
                continue
            code = e.codes[i] if e.codes != NULL else NUMBER
            if self.names:
                found = self.find(e, i)
                if found == NULL:
                    continue
                pool.ids[n] = found.id - 1
                pool.values[n] = e.values[i] if code == NUMBER else found.value
            else:
                pool.ids[n], pool.values[n], pool.codes[n] = <int32_t> feature(e, i), e.values[i], code
            contiguous &= pool.ids[n] == n
            n += 1
        if self.shared:
            n = self.merge(pool, n)
            contiguous = False
        out.ids, out.values, out.n = NULL if contiguous else pool.ids, pool.values, n
        out.codes = NULL if self.names or e.codes == NULL else pool.codes
        return LEARNED

    cdef Py_ssize_t merge(self, Pool* pool, Py_ssize_t n) noexcept nogil:
        """Add up the values of each feature, at its first place. Only a column called as a value
        of another one (`a=x` beside `a`) needs that."""
        cdef Py_ssize_t i, j, kept = 0
        for i in range(n):
            for j in range(kept):
                if pool.ids[j] == pool.ids[i]:
                    pool.values[j] = bounded(pool.values[j] + pool.values[i])
                    break
            else:
                pool.ids[kept], pool.values[kept] = pool.ids[i], pool.values[i]
                kept += 1
        return kept

    # -- learning -----------------------------------------------------------------------------

    cdef int pass_learn(self, const Example* e, State last) noexcept nogil:
        cdef bint grown = self.names and self.brings_new(e)
        cdef int status
        if grown:
            with gil:
                if not self.grow(e, last):
                    return NO_MEMORY
        status = TransformerState.pass_learn(self, e, last)
        if grown:
            with gil:
                if status == LEARNED:
                    self.output_features.commit(self.wide)
                    self.kept = len(self.met)
                else:
                    self.take_back(last)
        return status

    cdef bint brings_new(self, const Example* e) noexcept nogil:
        """Does it have a value that becomes nothing yet?"""
        cdef Py_ssize_t i
        for i in range(e.n):
            if e.values[i] == e.values[i] and self.find(e, i) == NULL:
                if e.codes == NULL or e.codes[i] >= NUMBER:
                    return True
        return False

    cdef bint grow(self, const Example* e, State last) noexcept:
        """Give new features numbers, in the order of the example, and make room for them in all
        that comes after. False: there is no memory."""
        cdef bint interrupted = True, again = False
        while interrupted:
            interrupted = False
            try:
                self.meet_example(e, last)
                break
            except Exception:  # of memory, or too many features: this member cannot learn the example
                self.take_back(last)
                return False
            except BaseException:  # Ctrl-C: once more, and then again for who can stop
                self.take_back(last)
                interrupted = again = True
        if again:
            PyErr_SetInterrupt()
        return True

    cdef int meet_example(self, const Example* e, State last) except -1:
        cdef Py_ssize_t i, width
        for i in range(e.n):
            if e.values[i] == e.values[i] and self.find(e, i) == NULL:
                if e.codes == NULL or e.codes[i] == NUMBER:
                    self.meet(feature(e, i), NUMBER, None)
                elif e.codes[i] >= 0:
                    self.meet(feature(e, i), e.codes[i], self.text_of(feature(e, i), e.codes[i]))
        self.wide = width = self.output_features.width_after_commit(ALL)
        if self.next is not None:
            width = self.next.pass_room(width)
        last.reserve(width)
        return 0

    def text_of(self, f, code):
        """The text of a nominal value; most that are asked for are new, hence among the last."""
        values = self.features.categories[f]
        for text in reversed(values):
            if values[text] == code:
                return text

    cdef int meet(self, Py_ssize_t f, int32_t code, object text) except -1:
        """Give a feature, or a nominal value of it, the feature that comes out."""
        cdef Py_ssize_t room
        cdef Origin* own
        cdef int32_t id
        name, value = self.features.name_of(f), None
        if text is not None:
            value = self.number(name, text)
            if value is None:
                name = f"{name}={text}"
        if f >= self.rows:
            room = roomier(self.rows, f + 1)
            self.origins = <Origin*> resize(self.origins, self.rows * sizeof(Origin), room * sizeof(Origin))
            self.rows = room
        own = &self.origins[f]
        if code >= own.room:
            room = roomier(own.room, code + 1)
            own.values = <Translation*> resize(
                own.values, own.room * sizeof(Translation), room * sizeof(Translation))
            own.room = room
        id = self.output_features.find(name)
        if id < 0:
            id = self.output_features.add(name)
        elif value is None:
            self.shared = True
        self.met.append((f, code))
        if text is None:
            own.number.id = id + 1
        else:
            own.values[code].id, own.values[code].value = id + 1, 1.0 if value is None else value
        return 0

    def number(self, name, text):
        """The number that a nominal value was, if another member declares its feature nominal; or None."""
        if self.declared is None or (self.declared is not True and str(name) not in self.declared):
            return None
        try:
            value = float(text)
            return value if number_text(value) == text else None
        except (ValueError, OverflowError):
            return None

    cdef int take_back(self, State last) noexcept:
        """Forget the uncommitted features."""
        cdef Py_ssize_t width = self.output_features.width
        while len(self.met) > self.kept:
            f, code = self.met.pop()
            if code == NUMBER:
                self.origins[<Py_ssize_t> f].number.id = 0
            else:
                self.origins[<Py_ssize_t> f].values[<Py_ssize_t> code].id = 0
        self.output_features.rollback()
        self.wide = width
        if self.next is not None:
            width = self.next.pass_shrink(width)
        last.shrink(width)
        return 0

    # -- to and from arrays -------------------------------------------------------------------

    def export_own(self):
        return {"met": np.array(self.met, dtype=np.int64).reshape(-1, 2)} if self.names else {}

    def restore_own(self, fields):
        if not self.names:
            return
        texts, before = {}, set()
        for f, code in fields.integers("met", (-1, 2), NUMBER, 2**31 - 1).tolist():
            if f not in texts and 0 <= f < self.features.width:
                texts[f] = list(self.features.categories.get(f, ()))
            if f not in texts or code >= len(texts[f]) or (f, code) in before:
                raise ValueError("the features of a member do not fit together")
            before.add((f, code))
            self.meet(f, code, None if code == NUMBER else texts[f][code])
        self.keep_met()

    cdef int meet_all(self) except -1:
        """Give every feature one that comes out, as a number."""
        cdef Py_ssize_t f
        if self.names:
            for f in range(self.features.width):
                self.meet(f, NUMBER, None)
            self.keep_met()
        return 0

    cdef int keep_met(self) except -1:
        """Features that come out are there to stay."""
        self.wide = self.output_features.width_after_commit(ALL)
        self.output_features.commit(self.wide)
        self.kept = len(self.met)
        return 0

    def own_bytes(self):
        cdef Py_ssize_t f
        held = TransformerState.own_bytes(self) + getsizeof(self) + self.rows * sizeof(Origin)
        for f in range(self.rows):
            held += self.origins[f].room * sizeof(Translation)
        if self.names:
            held += self.output_features.memory() + getsizeof(self.met) + 64 * len(self.met)
            # Names of plain numbers are those of the encoder, which counts them.
            known = self.features.ids
            held -= sum([getsizeof(name) for name in self.output_features.names if type(name) is str and name in known])
        return held


cdef Encoder reading(BatchModel model):
    """An encoder with the options that a model wants, whatever stands before it in an ensemble."""
    cdef Encoder probe = Encoder(model.who, None, 0)
    cdef TransformerState step
    steps = [step for step in model.steps() if not isinstance(step, ReadingState)]
    if all([step.keeps_nominal() for step in steps]):
        model.state.configure(probe)
    for step in steps:
        probe.nan_missing |= step.wants_nan
    return probe


cdef int also_read(Encoder encoder, Encoder wanted) except -1:
    """Let an encoder keep what this one would, too."""
    if wanted.nominal and encoder.nominal and wanted.categorical != encoder.categorical:
        raise ValueError(
            f"{encoder.who}: members must agree on the features whose numbers are nominal values "
            f"(nominal=); {wanted.who} differs from those before it."
        )
    if wanted.nominal:
        encoder.categorical = wanted.categorical
    encoder.nominal |= wanted.nominal
    encoder.nan_missing |= wanted.nan_missing
    encoder.fill_sparse |= wanted.fill_sparse
    if wanted.most_named and (encoder.most_named == 0 or wanted.most_named < encoder.most_named):
        encoder.most_named = wanted.most_named  # names beyond are ignored, by all
    return 0


cdef int adapt(BatchModel model, Encoder features, Encoder encoder) except -1:
    """Put a step before a model that would read examples in another way than this encoder does."""
    cdef ReadingState step
    cdef Encoder own = reading(model)
    cdef bint names = features.nominal and not own.nominal
    if isinstance(model.front, ReadingState):
        (<ReadingState> model.front).names = names
    elif names or (encoder.nan_missing and not own.nan_missing):
        step = ReadingState(model.who)
        step.names, step.next, model.front = names, model.front, step
        model.state.behind_steps = True
    return 0
