"""The features of a model: names and nominal values, each with a number.

A feature that comes for the first time is uncommitted: its number is beyond `width`, until the
learner has accepted the example (`commit`) or refused it (`rollback`).
"""

from cpython.dict cimport PyDict_GetItemWithError
from cpython.long cimport PyLong_AsLong, PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_CheckExact
from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcpy

import numpy as np
from sys import getsizeof

from .example cimport UNSEEN
from .hashing cimport hash_bytes, seeded
from .coerce import number_text, valid_name, whole_number

cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL

cdef enum:
    # Bytes of a feature or a nominal value, without its text: entries of dicts and lists at their
    # largest, numbers, and for a feature the entries in scratch rows and in the learner's arrays.
    PER_NAME = 95 + PER_COLUMN
    PER_VALUE = 60
    PER_NOMINAL = 250  # in addition, for a nominal feature
    MANY_VALUES = 1000  # new values of a text column after which to check whether nearly all are new

MAX_FEATURES = 2**31 - 1


cdef class FeatureIndex:
    def __cinit__(self, str who, hash_bits, hash_seed):
        self.who = who
        self.bits = -1 if hash_bits is None else hash_bits
        self.seed = hash_seed & 0xFFFFFFFFFFFFFFFF
        self.ids = {}
        self.names = []
        self.width = 0 if hash_bits is None else <Py_ssize_t> 1 << self.bits
        self.columns = -1
        self.categories = {}
        self.new_values = []
        self.fresh = {}
        self.columns_met = set()

    # -- names --------------------------------------------------------------------------------

    cdef int32_t find(self, object name) except -2:
        """Id of a feature, committed or not; -1 if there is none. 3 and "3" are the same."""
        cdef PyObject* hit = PyDict_GetItemWithError(self.ids, name)
        if hit != NULL:
            return <int32_t> PyLong_AsLong(<object> hit)
        if PyLong_CheckExact(name):
            if 0 <= name < self.implicit:
                return name
            if not self.names or name.bit_length() > 1024:
                return -1
            other = str(name)
        else:
            other = whole_number(name)
            if other is None:
                return -1
            if 0 <= other < self.implicit:
                return other
        hit = PyDict_GetItemWithError(self.ids, other)
        return -1 if hit == NULL else <int32_t> PyLong_AsLong(<object> hit)

    cdef int32_t add(self, object name) except -1:
        """Add a feature, uncommitted; its id."""
        cdef Py_ssize_t id = self.implicit + len(self.names)
        if id >= MAX_FEATURES:
            raise ValueError(f"{self.who}: more than {MAX_FEATURES:,} features; set hash_bits.")
        self.names.append(name)
        try:
            self.ids[name] = id
        except:
            self.names.pop()  # as `rollback` expects: in both, or in none
            raise
        self.tally(name, PER_NAME, 1)
        if self.fresh and str(name) in self.fresh:  # it was text so far
            self.suspect = True
        return <int32_t> id

    cdef int count_fresh(self, str column, Py_ssize_t more) except -1:
        """Count the texts of a column that became features of their own."""
        cdef Py_ssize_t before = self.fresh.get(column, 0)
        self.fresh[column] = before + more
        self.suspect |= before == 0 or before // MANY_VALUES < (before + more) // MANY_VALUES
        return 0

    cdef int rollback(self) except -1:
        """Forget uncommitted features and values."""
        self.drop(self.width, 0)
        if self.bits < 0 and self.implicit > self.width:
            self.implicit = self.width
        return 0

    cdef int drop(self, Py_ssize_t features, Py_ssize_t values) except -1:
        """Keep the first `features` features, and the first `values` of the uncommitted values."""
        while len(self.new_values) > values:
            id, value, _ = self.new_values.pop()
            del self.categories[id][value]
            self.tally(value, PER_VALUE, -1)
        if self.bits >= 0:
            return 0
        while self.names and self.implicit + len(self.names) > features:
            name = self.names.pop()
            del self.ids[name]
            self.tally(name, PER_NAME, -1)
            if self.fresh:
                column = str(name).partition("=")[0]
                if self.fresh.get(column):
                    self.fresh[column] -= 1
            if self.categories.pop(self.implicit + len(self.names), None) is not None:
                self.tally(None, PER_NOMINAL, -1)
        if self.listed > len(self.names):
            self.columns_met, self.listed = set(), 0
        return 0

    cdef int commit(self, Py_ssize_t width, Py_ssize_t row=PY_SSIZE_T_MAX) except -1:
        """Accept the features below `width`, and the values of the rows up to `row`."""
        cdef Py_ssize_t n = 0
        self.width = width
        if self.new_values:
            while n < len(self.new_values) and <Py_ssize_t> self.new_values[n][2] <= row:
                n += 1
            if n == len(self.new_values):
                self.new_values.clear()  # allocates nothing: the example is learned, this must not fail
            else:
                del self.new_values[:n]
        return 0

    cdef bint fits(self, object name, Py_ssize_t more) except -1:
        """Does the name plus `more` bytes fit the limit? (A quarter of it if there are array columns.)"""
        cdef Py_ssize_t most = self.most_named if self.implicit == 0 else self.most_named // 4
        return self.most_named == 0 or self.named + getsizeof(name) + more <= most

    cdef int tally(self, object name, Py_ssize_t more, int times) except -1:
        """Count the bytes of a name, if there is a limit: `times` is 1 to add, -1 to remove them."""
        if self.most_named:
            self.named += times * (more if name is None else getsizeof(name) + more)
        return 0

    cdef int32_t lookup(self, object key, object value, NewFeatures new_features, double* sign) except -3:
        """Id of the feature `key`, or `key=value` if value is a string: MISSING, AGAIN or an id."""
        cdef int32_t id
        if not (PyUnicode_CheckExact(key) or PyLong_CheckExact(key)):
            return AGAIN
        if self.bits >= 0:
            return self.slot(self.hash_name(key, value), sign)
        sign[0] = 1.0
        name = key if value is None else f"{key}={value}"
        id = self.find(name)
        if id < 0:
            if new_features != ALL or not self.fits(name, PER_NAME):
                return MISSING
            id = self.add(valid_name(self.who, name))
            if value is not None:
                self.count_fresh(str(key), 1)
            return id
        return id if new_features != KNOWN or id < self.width else MISSING

    cdef int32_t lookup_nominal(self, object key, bint text, NewFeatures new_features) except -3:
        """Id of the feature `key` in a model with nominal values: MISSING, AGAIN or an id."""
        cdef int32_t id
        cdef bint nominal
        if not (PyUnicode_CheckExact(key) or PyLong_CheckExact(key)):
            return AGAIN
        id = self.find(key)
        if id < 0:
            if new_features != ALL:
                return MISSING
            key = valid_name(self.who, key)
            nominal = text or self.categorical is True or (
                self.categorical is not None and str(key) in self.categorical)
            if not self.fits(key, PER_NAME + PER_NOMINAL * nominal):
                return MISSING
            id = self.add(key)
            if nominal:
                self.categories[id] = {}
                self.tally(None, PER_NOMINAL, 1)
        elif new_features == KNOWN and id >= self.width:
            return MISSING
        if text and id not in self.categories:
            raise ValueError(
                f"{self.who}: feature {key!r} is a string, but was a number in earlier examples."
            )
        return id

    cdef int32_t code(self, int32_t id, object value, NewFeatures new_features) except -3:
        """Number of a value of a nominal feature; a number goes by its text. UNSEEN: it is new, and
        may not be added; MISSING: it does not fit the limit."""
        cdef dict known = <dict> self.categories[id]
        if not PyUnicode_CheckExact(value):
            value = number_text(value)
        code = known.get(value)
        if code is None:
            if not self.fits(value, PER_VALUE):
                return MISSING
            if new_features != ALL:
                return UNSEEN
            code = len(known)
            known[valid_name(self.who, value)] = code
            try:
                self.new_values.append((id, value, self.row))
            except:
                del known[value]
                raise
            self.tally(value, PER_VALUE, 1)
            self.suspect |= code % MANY_VALUES == MANY_VALUES - 1
        return code

    cpdef bint codes_numbers(self):
        """May some numbers in arrays be nominal values?"""
        return self.categorical is not None or len(self.categories) > 0

    cdef int32_t slot(self, uint64_t name_hash, double* sign) noexcept nogil:
        """Slot and sign of a hashed name: its lowest bits, and its highest."""
        cdef uint64_t h = seeded(name_hash, self.seed)
        sign[0] = -1.0 if h >> 63 and not self.unsigned else 1.0
        return <int32_t> (h & ((<uint64_t> 1 << self.bits) - 1))

    cdef uint64_t hash_name(self, object key, object value) except? 0:
        """64 bits that depend on the name alone."""
        cdef Py_ssize_t n, m
        cdef const char* text
        cdef const char* more
        cdef unsigned char buffer[256]
        if PyLong_CheckExact(key):
            key = str(valid_name(self.who, key))
        try:
            text = PyUnicode_AsUTF8AndSize(key, &n)
            if value is None:
                return hash_bytes(<const unsigned char*> text, n)
            more = PyUnicode_AsUTF8AndSize(value, &m)
            if n + m < 256:
                memcpy(buffer, text, n)
                buffer[n] = c"="
                memcpy(buffer + n + 1, more, m)
                return hash_bytes(buffer, n + 1 + m)
            return self.hash_name(f"{key}={value}", None)
        except UnicodeEncodeError:
            valid_name(self.who, key if value is None else f"{key}={value}")
            raise

    # -- columns of arrays --------------------------------------------------------------------

    cdef int check_columns(self, Py_ssize_t n) except -1:
        if self.columns >= 0 and n != self.columns:
            raise ValueError(
                f"{self.who}: expected {self.columns:,} columns as in the arrays learned before, "
                f"got {n:,}. To add or leave out features, pass mappings or a data frame."
            )
        return 0

    cdef int column_map(self, list names, Py_ssize_t n, NewFeatures new_features, int32_t* ids, double* signs) except -1:
        """Ids and signs of n columns; without names they are 0 ... n-1. True: column i is feature i.

        `ids` may be NULL, to ask only whether columns without names are the first n features.
        """
        cdef Py_ssize_t i
        cdef bint identity = self.bits < 0
        if n > MAX_FEATURES:
            raise ValueError(f"{self.who}: {n:,} columns are more than {MAX_FEATURES:,}.")
        if self.bits < 0 and names is None:
            if new_features == ALL and not self.names and n > self.implicit:
                self.implicit = n
            if n <= self.implicit and (new_features != KNOWN or n <= self.width):
                return True
        if ids == NULL:
            return False
        for i in range(n):
            ids[i] = self.lookup(i if names is None else names[i], None, new_features, &signs[i])
            identity &= ids[i] == i
        return identity

    cdef Py_ssize_t width_after_commit(self, NewFeatures new_features) noexcept:
        """The width if the uncommitted features are accepted."""
        if self.bits >= 0 or new_features == KNOWN:
            return self.width
        return self.implicit + len(self.names)

    # -- questions from Python ------------------------------------------------------------------

    def is_categorical(self, name):
        """Are the numbers of this feature nominal values?"""
        cdef int32_t id = self.find(name)
        if id >= 0 and id in self.categories:
            return True
        return id < 0 and (
            self.categorical is True or (self.categorical is not None and str(name) in self.categorical)
        )

    def name_of(self, Py_ssize_t id):
        """Name of a feature."""
        return id if id < self.implicit else self.names[id - self.implicit]

    def count_new_texts(self, str column, list texts):
        """Count the texts of a block's column that are new as features `column=text`."""
        cdef Py_ssize_t new = 0
        if self.bits < 0:
            for text in texts:
                new += self.find(f"{column}={text}") >= self.width
            self.count_fresh(column, new)

    def value_counts(self):
        """Text column to the number of its different values."""
        counts = {self.name_of(id): len(known) for id, known in self.categories.items()}
        return {**counts, **self.fresh}

    def knows(self, name):
        """Is this column of a block known, as a number or by some of its texts?"""
        return 0 <= self.find(name) < self.width or str(name) in self.columns_known()

    def is_number(self, name):
        """Is the column itself a feature, not its texts? It may be uncommitted."""
        return self.bits < 0 and self.find(name) >= 0

    def was_number(self, name):
        """The same before the block that is being read."""
        return self.bits < 0 and 0 <= self.find(name) < self.width

    def columns_known(self):
        """Names of the columns that were learned, without those of arrays."""
        cdef Py_ssize_t end = min(self.width - self.implicit, len(self.names))
        if self.bits >= 0:
            return set()
        while self.listed < end:
            self.columns_met.add(str(self.names[self.listed]).partition("=")[0])
            self.listed += 1
        return self.columns_met

    def array_columns(self):
        """The number of known columns of arrays without names."""
        return min(self.implicit, self.width)

    def names_met(self):
        """Names of all features, committed or not."""
        return [*range(self.implicit), *self.names]

    def hashes(self):
        """Are features hashed, so that their names are not kept?"""
        return self.bits >= 0

    def select(self, names):
        """Restrict to these names, which the first step selects; None: all."""
        self.wanted = None if names is None else frozenset(map(str, names))

    # -- saving ---------------------------------------------------------------------------------

    def export(self):
        """Features and nominal values, as a file keeps them."""
        implicit = min(self.implicit, self.width)  # without uncommitted columns
        explicit = self.names[:self.width - implicit] if self.bits < 0 else []
        kept = {"features": explicit, "implicit": implicit, "columns": self.columns}
        if self.nominal:
            uncommitted = {}
            for id, _, _ in self.new_values:
                uncommitted[id] = uncommitted.get(id, 0) + 1
            known = {
                id: list(values)[:len(values) - uncommitted.get(id, 0)]
                for id, values in sorted(self.categories.items()) if id < self.width
            }
            kept["nominal"] = np.array(list(known), dtype=np.int64)
            kept["nominal_values"] = [value for values in known.values() for value in values]
            kept["nominal_counts"] = np.array([len(v) for v in known.values()], dtype=np.int64)
        return kept

    def restore(self, list features, Py_ssize_t implicit, Py_ssize_t columns):
        """Fill this new index with the features of a file."""
        self.columns = columns
        if self.bits >= 0:
            return
        self.implicit = implicit
        for name in features:
            if self.find(name) >= 0:
                raise ValueError(f"feature {name!r} is there twice")
            self.add(name)
        self.commit(self.width_after_commit(ALL))

    def restore_nominal(self, fields):
        """The nominal features of a file."""
        if not self.nominal:
            return
        ids = fields.integers("nominal", (-1,), 0, self.width - 1).tolist()
        counts = fields.integers("nominal_counts", (len(ids),), 0).tolist()
        values = fields.names("nominal_values", (str,))
        if len(set(ids)) < len(ids) or sum(counts) != len(values):
            raise ValueError("the nominal features do not fit together")
        start = 0
        for id, count in zip(ids, counts):
            own = values[start:start + count]
            start += count
            if len(set(own)) < count:
                raise ValueError("a nominal value is there twice")
            self.categories[id] = {value: i for i, value in enumerate(own)}
            self.tally(None, PER_NOMINAL, 1)
            for value in own:
                self.tally(value, PER_VALUE, 1)

    def memory(self):
        """Bytes of names and nominal values."""
        held = sum(map(getsizeof, (self.ids, self.names, self.categories, self.new_values)))
        held += 32 * max(0, len(self.names) - 256)
        for name in self.names:
            if type(name) is str or not -5 <= name <= 256:  # Python shares small ints
                held += getsizeof(name)
        for known in self.categories.values():
            held += getsizeof(known) + sum(map(getsizeof, known)) + 32 * max(0, len(known) - 256)
        for names in (self.fresh, self.columns_met):
            held += getsizeof(names) + sum(map(getsizeof, names))
        return held
