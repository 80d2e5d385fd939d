"""The encoder: whatever the user passes as one example becomes an `Example`.

Reading the mapping is most of the cost of an update, so it is walked once, and keys are compared
with those of the previous row (key_cache.pxd) before the index is asked.

Two rules keep a refused example from leaving a trace. User code (`__float__`, `items`) runs first,
in `coerce`, never while a row is read. And new features stay uncommitted in the index until the
learner has accepted the example.
"""

cimport numpy as cnp
from cpython.dict cimport PyDict_GetItemWithError, PyDict_Next
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.long cimport PyLong_AsDouble, PyLong_AsLong, PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_CheckExact
from libc.math cimport INFINITY
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

import numpy as np
from collections.abc import Mapping
from sys import getsizeof

from .arrays cimport data_of
from .example cimport NUMBER, onstream_peak
from .hashing cimport mix
from .feature_index cimport AGAIN, MISSING, FeatureIndex, NewFeatures
from .key_cache cimport KeyCache, Py_REFCNT
from .memory cimport release, resize, roomier
from .data_warning import warn_of_data
from .doubts import doubt_example, doubt_kinds, doubt_rows, doubt_selection, doubt_values
from .coerce import coerce_array, coerce_mapping, row_error

cnp.import_array()

cdef extern from "Python.h":
    int PyBool_Check(object)

cdef enum:
    KEPT = 1024  # features of the longest row whose scratch memory is kept


cdef class Encoder(FeatureIndex):
    def __cinit__(self, str who, hash_bits, hash_seed):
        self.keys = KeyCache()
        self.warned = set()
        self.pending = {}

    def __dealloc__(self):
        cdef RowBuffer* row
        while self.spare != NULL:
            row, self.spare = self.spare, self.spare.next
            release(row.ids)
            release(row.values)
            release(row.codes)
            release(row.scores)
            release(row)

    # -- scratch rows -----------------------------------------------------------------------

    cdef RowBuffer* acquire_row(self, Py_ssize_t room, Py_ssize_t room_scores) except NULL:
        """A row of scratch memory. Every thread and every nested call has its own."""
        cdef RowBuffer* row = self.spare
        if row == NULL:
            row = <RowBuffer*> resize(NULL, 0, sizeof(RowBuffer))
        else:
            self.spare = row.next
            if row.room >= room and row.room_scores >= room_scores:  # the usual case
                return row
        try:
            self.ensure_room(row, room)
            if row.room_scores < room_scores:
                row.scores = <double*> resize(row.scores, 0, room_scores * sizeof(double))
                row.room_scores = room_scores
        except MemoryError:
            self.release_row(row)
            raise
        return row

    cdef void release_row(self, RowBuffer* row) noexcept:
        # A rare long row must not cost memory for ever, nor one of features beyond the limit.
        if row.room > max(KEPT, self.columns) or (self.most_named and row.room > 2 * self.width + 64):
            release(row.ids)
            release(row.values)
            release(row.codes)
            row.ids, row.values, row.codes, row.room = NULL, NULL, NULL, 0
        row.next = self.spare
        self.spare = row

    cdef int ensure_room(self, RowBuffer* row, Py_ssize_t room) except -1:
        if row.room < room:
            room = roomier(row.room, room)
            row.ids = <int32_t*> resize(row.ids, row.room * sizeof(int32_t), room * sizeof(int32_t))
            row.values = <double*> resize(row.values, row.room * sizeof(double), room * sizeof(double))
            if self.nominal:
                row.codes = <int32_t*> resize(row.codes, row.room * sizeof(int32_t), room * sizeof(int32_t))
            row.room = room
        return 0

    cdef double peak(self, const double* values, Py_ssize_t n) noexcept:
        """The largest |value|; INFINITY if one is refused."""
        cdef double most = onstream_peak(values, n)
        cdef Py_ssize_t i
        if most == INFINITY and self.nan_missing:
            most = 0.0
            for i in range(n):
                if values[i] == values[i]:
                    most = max(most, abs(values[i]))
        return most

    # -- warnings about the data --------------------------------------------------------------

    cpdef int warn_once(self, str kind, str message) except -1:
        """Warn about the data, once for each kind. Raises where the user turns warnings into errors."""
        if kind not in self.warned:
            warn_of_data(f"{self.who}: {message}")
            self.warned.add(kind)
        return 0

    def doubt_learned(self, Py_ssize_t seen):
        """Check what was learned; `seen` counts the examples, these included."""
        self.suspect = False
        for kind in list(self.pending):
            self.warn_once(kind, self.pending.pop(kind))
        if "new values" not in self.warned:
            doubt_values(self, seen)
        if "selection" not in self.warned:
            doubt_selection(self)
        if "kind" not in self.warned and not self.nominal:
            doubt_kinds(self, self.value_counts())

    def doubt_target(self, X, name):
        """The target, a series of this name, may have been left among the features."""
        if isinstance(name, str) and name and "target" not in self.warned:
            columns = getattr(X, "column_names", None) or getattr(X, "columns", ())
            if hasattr(columns, "tolist"):  # an index of pandas is slow to iterate
                columns = columns.tolist()
            if any([isinstance(column, str) and column == name for column in columns]):
                self.warn_once("target", f"X has the column {name!r:.60}, and so is y called: is it the "
                               f"target? Then leave it out of X.")

    def doubt_example(self, x, Py_ssize_t seen):
        """Check an example to predict of which no feature is known."""
        if self.bits < 0 and self.width > 0 and "unknown" not in self.warned:
            doubt_example(self, x, seen)

    def doubt_rows(self, X, Py_ssize_t seen):
        """The same for a block."""
        if self.bits < 0 and self.width > 0 and "unknown" not in self.warned:
            doubt_rows(self, X, seen)

    # -- one row ----------------------------------------------------------------------------

    cdef object coerce(self, object x):
        """`x` as a plain dict or a float64 array. All user code runs here."""
        if type(x) is dict or isinstance(x, Mapping):
            return coerce_mapping(self.who, x, self.nominal)
        if isinstance(x, (np.ndarray, list, tuple)):
            return coerce_array(self.who, x, 1)
        if hasattr(x, "keys") and hasattr(x, "__getitem__") and not isinstance(x, type):
            return coerce_mapping(self.who, dict(x), self.nominal)  # a row of a data frame
        if hasattr(x, "__array__"):
            return coerce_array(self.who, np.asarray(x), 1)
        raise TypeError(
            f"{self.who}: an example must be a mapping from features to values or a 1-D array, "
            f"got {x!r:.80} of type {type(x).__name__}."
        )

    cdef int read(self, object x, NewFeatures new_features, RowBuffer* row, Example* e) except -1:
        """Fill `e` from a plain dict or a float64 array. 1: x must go through `coerce` first."""
        e.codes = NULL
        if type(x) is dict:
            if self.nominal:
                return self.read_nominal(<dict> x, new_features, row, e)
            return self.read_mapping(<dict> x, new_features, row, e)
        if is_plain_array(x):
            return self.read_array(x, new_features, row, e)
        return 1

    cdef int read_mapping(self, dict x, NewFeatures new_features, RowBuffer* row, Example* e) except -1:
        cdef PyObject* key
        cdef PyObject* value
        cdef Py_ssize_t pos = 0, size = len(x), i, n, j
        cdef int32_t id
        cdef double v, sign
        cdef KeyCache keys = self.keys
        cdef bint contiguous  # features are 0 ... n-1 in this order: no ids, the dense kernels run
        cdef bint text        # the value is a string: the feature is `name=value`, its value 1
        cdef bint repeats = self.bits >= 0 and not keys.unique  # an id may stand there twice
        cdef bint seen_int = False, seen_str = False  # kinds of keys: 3 and "3" are one feature
        cdef bint hit             # some keys came from the cache
        cdef bint in_step = True  # the row has just the keys of the cache
        row.columns = -1
        self.ensure_room(row, size)
        i = n = read_cached(x, keys, row.values, &pos)  # mostly the whole row
        hit = n > 0
        contiguous = n <= keys.contiguous
        if n:
            memcpy(row.ids, keys.ids, n * sizeof(int32_t))
        if self.bits >= 0:
            for j in range(n):
                row.values[j] *= keys.signs[j]
        while i < size and PyDict_Next(x, &pos, &key, &value):
            text = False
            if PyFloat_CheckExact(<object> value):
                v = PyFloat_AS_DOUBLE(<object> value)
            elif value == <PyObject*> None:
                in_step = False
                i += 1
                continue
            elif PyLong_CheckExact(<object> value) or PyBool_Check(<object> value):
                try:
                    v = PyLong_AsDouble(<object> value)
                except OverflowError:
                    v = INFINITY
            elif PyUnicode_CheckExact(<object> value):
                text = True
                v = 1.0
            else:
                return 1
            if not text and keys.is_here_again(i, key):
                id = keys.ids[i]
                v *= keys.signs[i]
                hit = True
            else:
                # Own references: garbage collection may call a finaliser that changes x.
                name, given = <object> key, <object> value
                id = self.lookup(name, given if text else None, new_features, &sign)
                if id == AGAIN:
                    return 1
                if self.bits < 0:  # a feature may come twice: as 3 and "3", or by name=value
                    if PyLong_CheckExact(name):
                        seen_int = True
                    else:
                        seen_str = True
                    repeats |= text
                else:
                    repeats = True
                v *= sign
                if id == MISSING:
                    if not -INFINITY < v < INFINITY and not (v != v and self.nan_missing):
                        self.bad_value(name, given, None)
                    i += 1
                    continue
                if not text and id < self.width:
                    self.remember(i, key, id, sign)
                in_step &= not text and keys.was_here(i, key)
            contiguous &= id == n
            row.ids[n] = id
            row.values[n] = v
            n += 1
            i += 1
        if len(x) != size:
            self.changed_meanwhile()
        e.peak = onstream_peak(row.values, n)
        if e.peak == INFINITY and self.nan_missing:
            i, n = n, 0
            for j in range(i):
                if row.values[j] == row.values[j]:
                    row.ids[n], row.values[n] = row.ids[j], row.values[j]
                    n += 1
            contiguous, in_step = contiguous and n == i, in_step and n == i
            e.peak = onstream_peak(row.values, n)
        if e.peak == INFINITY:
            self.blame(x)
        seen_int |= hit and keys.ints
        seen_str |= hit and keys.strings
        if (repeats or (seen_int and seen_str)) and n > 1:
            id = <int32_t> n
            n = merge_repeats(row.ids, row.values, n)
            contiguous = False
            e.peak = onstream_peak(row.values, n)
            if self.bits >= 0 and n == id == keys.n and in_step:
                keys.unique = True
        e.ids = NULL if contiguous else row.ids
        e.values = row.values
        e.n = n
        e.width, e.named = self.width_after_commit(new_features), self.named
        return 0

    cdef int read_nominal(self, dict x, NewFeatures new_features, RowBuffer* row, Example* e) except -1:
        """The same for a learner that branches on nominal values: strings become codes."""
        cdef PyObject* key
        cdef PyObject* value
        cdef Py_ssize_t pos = 0, size = len(x), i = -1, n = 0, j
        cdef int32_t id
        cdef double v
        cdef bint contiguous = True, text, nominal = False, seen_int = False, seen_str = False
        cdef bint hit = False, again
        cdef PyObject* code
        cdef KeyCache keys = self.keys
        row.columns = -1
        self.ensure_room(row, size)
        while i + 1 < size and PyDict_Next(x, &pos, &key, &value):
            i += 1
            text = False
            v = 0.0
            again = keys.is_here_again(i, key)
            # The usual case first: a number or a known value, of the feature that was here in the last row.
            if PyFloat_CheckExact(<object> value):
                v = PyFloat_AS_DOUBLE(<object> value)
                if again and keys.known[i] == NULL and v - v == 0.0:
                    hit = True
                    id = keys.ids[i]
                    contiguous &= id == n
                    row.ids[n], row.values[n], row.codes[n] = id, v, NUMBER
                    n += 1
                    continue
            elif PyUnicode_CheckExact(<object> value) and again and keys.known[i] != NULL:
                code = PyDict_GetItemWithError(<object> keys.known[i], <object> value)
                if code != NULL:
                    hit = nominal = True
                    id = keys.ids[i]
                    contiguous &= id == n
                    row.ids[n], row.codes[n] = id, <int32_t> PyLong_AsLong(<object> code)
                    row.values[n] = row.codes[n]
                    n += 1
                    continue
                text = True
            elif value == <PyObject*> None:
                continue
            elif PyLong_CheckExact(<object> value) or PyBool_Check(<object> value):
                try:
                    v = PyLong_AsDouble(<object> value)
                except OverflowError:
                    v = INFINITY
            elif PyUnicode_CheckExact(<object> value):
                text = True
            else:
                return 1
            # Own references: garbage collection may call a finaliser that changes x.
            name, given = <object> key, <object> value
            if not -INFINITY < v < INFINITY:
                if v != v and self.nan_missing:
                    continue
                self.bad_value(name, given, None)
            if again and not text:
                id = keys.ids[i]
            else:
                id = self.lookup_nominal(name, text, new_features)
                if id == AGAIN:
                    return 1
                if id == MISSING:
                    continue
                if id < self.width:
                    self.remember(i, key, id, 1.0)
            if PyLong_CheckExact(name):
                seen_int = True
            else:
                seen_str = True
            row.codes[n] = NUMBER
            if text or (self.categories and id in self.categories):
                row.codes[n] = self.code(id, given if text else v, new_features)
                if row.codes[n] == MISSING:
                    continue
                v = row.codes[n]
                nominal = True
            contiguous &= id == n
            row.ids[n] = id
            row.values[n] = v
            n += 1
        if len(x) != size:
            self.changed_meanwhile()
        seen_int |= hit and keys.ints
        seen_str |= hit and keys.strings
        if seen_int and seen_str:  # 3 and "3" are one feature: numbers add up, the first value stays
            i = 0
            for i in range(n):
                for j in range(i):
                    if row.ids[j] == row.ids[i] and row.ids[i] >= 0:
                        if row.codes[j] == NUMBER:
                            row.values[j] = bounded(row.values[j] + row.values[i])
                        row.ids[i] = -1
            j = 0
            for i in range(n):
                if row.ids[i] >= 0:
                    row.ids[j], row.values[j], row.codes[j] = row.ids[i], row.values[i], row.codes[i]
                    j += 1
            contiguous &= j == n
            n = j
        e.peak = onstream_peak(row.values, n)
        e.ids = NULL if contiguous else row.ids
        e.values = row.values
        e.codes = row.codes if nominal else NULL
        e.n = n
        e.width, e.named = self.width_after_commit(new_features), self.named
        return 0

    cdef int remember(self, Py_ssize_t at, PyObject* key, int32_t id, double sign) except -1:
        """Cache the key at place `at`, for the next row."""
        cdef PyObject* known
        if Py_REFCNT(key) == 2:  # only this mapping and we own it: at most its text comes again
            if self.bits >= 0 or id < self.implicit or not PyUnicode_CheckExact(<object> key):
                return 0
            key = <PyObject*> self.names[id - self.implicit]
        known = PyDict_GetItemWithError(self.categories, id) if self.categories else NULL
        return self.keys.remember(at, key, id, sign, known)

    cdef int read_array(self, object x, NewFeatures new_features, RowBuffer* row, Example* e) except -1:
        cdef Py_ssize_t n = cnp.PyArray_SIZE(<cnp.ndarray> x), i, kept = 0
        cdef double* values
        cdef double* signs
        cdef bint identity
        self.check_columns(n)
        if self.nominal and self.codes_numbers():
            self.read_nominal(dict(enumerate(x.tolist())), new_features, row, e)
            row.columns = n
            return 0
        self.ensure_room(row, n)
        values = row.values  # a copy: another thread may be writing into x without the GIL
        memcpy(values, data_of(x), n * sizeof(double))
        e.peak = self.peak(values, n)
        if e.peak == INFINITY:
            for i in range(n):
                if abs(values[i]) == INFINITY or (values[i] != values[i] and not self.nan_missing):
                    self.bad_value(i, values[i], None)
        row.columns = n
        identity = self.column_map(None, n, new_features, NULL, NULL)
        if not identity:
            self.ensure_room(row, 2 * n)
            values, signs = row.values, row.values + n
            identity = self.column_map(None, n, new_features, row.ids, signs)
        e.width, e.named = self.width_after_commit(new_features), self.named
        e.ids, e.values, e.n = NULL, values, n
        if not identity:
            for i in range(n):
                if row.ids[i] >= 0:
                    row.ids[kept] = row.ids[i]
                    row.values[kept] = values[i] * signs[i]
                    kept += 1
            if self.bits >= 0:
                kept = merge_repeats(row.ids, row.values, kept)
                e.peak = onstream_peak(row.values, kept)
            e.ids, e.values, e.n = row.ids, row.values, kept
        return 0

    # -- errors -----------------------------------------------------------------------------------

    def blame(self, dict x):
        """Raise for the first value of `x` that is not finite."""
        for name, value in x.items():
            if not isinstance(value, str) and value is not None:
                try:
                    bad = not -INFINITY < float(value) < INFINITY
                except OverflowError:
                    bad = True
                if bad:
                    self.bad_value(name, value, None)

    def changed_meanwhile(self):
        """Raise for a mapping that was changed while it was read."""
        raise RuntimeError(f"{self.who}: the example was changed while it was being read.")

    cpdef int bad_value(self, object name, object value, object row) except -1:
        found = f"{value!r:.30}" if isinstance(value, float) else "a number too large for a float"
        message = (
            f"feature {name!r} is {found}; values must be finite. "
            f"Leave the feature out, or give None, if it is missing."
        )
        raise (
            ValueError(f"{self.who}: {message}") if row is None
            else row_error(ValueError, self.who, row, message)
        )

    # -- questions from Python ------------------------------------------------------------------

    def as_rows(self, X):
        """The rows that `make_source` reads for X. An encoder of texts turns them into mappings."""
        return X

    def memory(self):
        """Bytes of feature names and scratch rows."""
        cdef RowBuffer* row = self.spare
        held = FeatureIndex.memory(self) + getsizeof(self.keys) + self.keys.memory()
        while row != NULL:
            per_feature = (2 if self.nominal else 1) * sizeof(int32_t) + sizeof(double)
            held += sizeof(RowBuffer) + row.room * per_feature
            held += row.room_scores * sizeof(double)
            row = row.next
        return held


cdef Py_ssize_t read_cached(dict x, KeyCache keys, double* values, Py_ssize_t* pos) noexcept:
    """Read the leading floats of x while their keys are those of the last row; their number.

    The loop has few variables, so that all of them stay in registers.
    """
    cdef PyObject* key
    cdef PyObject* value
    cdef Py_ssize_t next = 0, i = 0
    while i < keys.n and PyDict_Next(x, &next, &key, &value):
        if not PyFloat_CheckExact(<object> value) or not keys.is_here_again(i, key):
            break
        values[i] = PyFloat_AS_DOUBLE(<object> value)
        i += 1
        pos[0] = next
    return i


cdef bint is_plain_array(object x):
    return (
        cnp.PyArray_CheckExact(x)
        and cnp.PyArray_NDIM(<cnp.ndarray> x) == 1
        and cnp.PyArray_TYPE(<cnp.ndarray> x) == cnp.NPY_DOUBLE
        and cnp.PyArray_ISCARRAY_RO(<cnp.ndarray> x)
    )


cdef Py_ssize_t merge_repeats(int32_t* ids, double* values, Py_ssize_t n) except -1:
    """Add up values of the same id, at its first place; the number of ids left.

    Sums stop at the largest double, so that finite values stay finite.
    """
    cdef Py_ssize_t i, j, kept = 0, size = 4
    cdef int32_t* table
    if n <= 16:
        for i in range(n):
            for j in range(kept):
                if ids[j] == ids[i]:
                    values[j] = bounded(values[j] + values[i])
                    break
            else:
                ids[kept], values[kept] = ids[i], values[i]
                kept += 1
        return kept
    while size < 2 * n:
        size *= 2
    table = <int32_t*> resize(NULL, 0, size * sizeof(int32_t))  # 1 + place of an id
    for i in range(n):
        j = <Py_ssize_t> (mix(ids[i]) & <uint64_t> (size - 1))
        while table[j] and ids[table[j] - 1] != ids[i]:
            j = (j + 1) & (size - 1)
        if table[j]:
            values[table[j] - 1] = bounded(values[table[j] - 1] + values[i])
        else:
            ids[kept], values[kept] = ids[i], values[i]
            kept += 1
            table[j] = <int32_t> kept
    release(table)
    return kept
