"""Sources of examples: arrays, sparse matrices, lists of mappings and data frames, block by block.

For each block of rows, `check` copies it and refuses bad values, `load` makes sure that the block is
checked, and `row` returns its examples without the GIL. What is learned is always the copy that was
checked, since another thread may change X meanwhile. Sources that read every value in their
constructor copy and check there. rows.pyx decides which source an X becomes.
"""

cimport numpy as cnp
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memcpy, memmove

import numpy as np

from .arrays cimport doubles, int32s, int64s
from .encoder cimport Encoder, bounded, merge_repeats
from .example cimport NUMBER, Example, onstream_ceiling, onstream_falls, onstream_peak
from .feature_index cimport ALL, KNOWN, MISSING, UNASKED, NewFeatures
from .memory cimport onstream_fetch, release, resize
from .coerce import coerce_array, unmasked

cnp.import_array()


cdef enum:
    LINE = 8         # numbers in a cache line
    PIECE = 1 << 10  # numbers copied before they are checked: 8 KiB stay in the L1 cache

# Size of one block: a fraction of a millisecond of work for most learners.
cdef Py_ssize_t BLOCK_VALUES = 1 << 15  # 256 KiB: still in the cache when it is learned
cdef Py_ssize_t BLOCK_ROWS = 1 << 13


cdef class Source:
    """Rows of X as examples."""

    cdef int check(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        """Copy rows start ... stop-1, if need be, and refuse bad values and columns in them."""
        return 0

    cdef int load(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        """Make sure that rows start ... stop-1 are in the current block."""
        return 0 if self.first <= start and stop <= self.last else self.check(start, stop)

    cdef void row(self, Py_ssize_t i, Example* e) noexcept nogil:
        """Row i of X, which must be in the current block."""


cdef Py_ssize_t block_rows(Py_ssize_t values_per_row) noexcept:
    return max(1, min(BLOCK_ROWS, BLOCK_VALUES // max(1, values_per_row)))


cdef extern from "Python.h":
    ctypedef struct PyInterpreterState
    ctypedef struct PyThreadState
    PyInterpreterState* PyInterpreterState_Get() nogil
    PyThreadState* PyInterpreterState_ThreadHead(PyInterpreterState* of)
    PyThreadState* PyThreadState_Next(PyThreadState* of)


cdef bint alone() noexcept:
    """Is there no other Python thread? Only this one could start one, and it is busy here."""
    return PyThreadState_Next(PyInterpreterState_ThreadHead(PyInterpreterState_Get())) == NULL


def is_private(array):
    """Does the array own its memory, so that only Python threads can reach it?"""
    while cnp.PyArray_BASE(<cnp.ndarray> array) != NULL:
        if not isinstance(<object> cnp.PyArray_BASE(<cnp.ndarray> array), np.ndarray):
            return False
        array = <object> cnp.PyArray_BASE(<cnp.ndarray> array)
    return cnp.PyArray_CHKFLAGS(<cnp.ndarray> array, cnp.NPY_ARRAY_OWNDATA)


cdef void copy_columns(
    double* to, const double* given, Py_ssize_t stride, Py_ssize_t rows, Py_ssize_t columns
) noexcept nogil:
    """Copy the rows of a matrix whose columns are contiguous, the next one `stride` numbers on."""
    cdef Py_ssize_t i, j = 0, k
    while j + LINE <= columns:  # eight columns fill a cache line of each row
        for i in range(rows):
            for k in range(LINE):
                to[i * columns + j + k] = given[i + (j + k) * stride]
        j += LINE
    for j in range(j, columns):
        for i in range(rows):
            to[i * columns + j] = given[i + j * stride]


cdef double copied(double* to, const double* given, Py_ssize_t n) noexcept nogil:
    """Copy n numbers and return a bound of their absolute values (`onstream_ceiling`)."""
    cdef Py_ssize_t at = 0, size
    cdef double most = 0.0
    while at < n:
        size = min(n - at, <Py_ssize_t> PIECE)
        memcpy(to + at, given + at, size * sizeof(double))
        most = max(most, onstream_ceiling(to + at, size))
        at += size
    return most


cdef double peak_of_present(const double* values, Py_ssize_t n) noexcept nogil:
    """The largest |value| that is not NaN."""
    cdef double most = 0.0
    cdef Py_ssize_t i
    for i in range(n):
        if values[i] == values[i]:
            most = max(most, abs(values[i]))
    return most


cdef class Dense(Source):
    """A 2-D array of any dtype and stride, copied and converted block by block."""

    def __dealloc__(self):
        release(self.ids)
        release(self.places)
        release(self.signs)
        release(self.buffer)
        release(self.present)

    def __init__(self, Encoder encoder, X, bint learning, list names=None, bint gaps=False):
        """`gaps`: NaN is a missing value, which its row leaves out; no name may be hashed."""
        if not cnp.PyArray_CheckExact(X):
            X = unmasked(encoder.who, X)
        if cnp.PyArray_NDIM(<cnp.ndarray> X) != 2 or X.dtype.kind not in "fiub":
            X = coerce_array(encoder.who, X, 2)
        cdef cnp.ndarray array = <cnp.ndarray> X
        self.encoder, self.X, self.learning = encoder, X, learning
        self.rows, self.columns = cnp.PyArray_DIM(array, 0), cnp.PyArray_DIM(array, 1)
        self.gaps = gaps
        self.array_columns = self.columns if names is None else -1
        self.chunk = block_rows(self.columns)
        self.ahead = self.chunk * self.columns
        self.identity = True
        if self.rows == 0:
            return
        cdef Py_ssize_t size = sizeof(double)
        if cnp.PyArray_TYPE(array) == cnp.NPY_DOUBLE and cnp.PyArray_ISBEHAVED_RO(array):
            if cnp.PyArray_IS_C_CONTIGUOUS(array):
                self.given = doubles(X)
                self.private = is_private(X)
            elif cnp.PyArray_STRIDE(array, 0) == size and cnp.PyArray_STRIDE(array, 1) % size == 0:
                self.by_column = doubles(X)
                self.stride = cnp.PyArray_STRIDE(array, 1) // size
        if names is None:
            encoder.check_columns(self.columns)
        self.names = names
        self.bytes = self.rows * self.columns * sizeof(double)
        self.map_columns()

    cdef int check(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        cdef Py_ssize_t n = (stop - start) * self.columns
        cdef double peak
        self.first = self.last = start  # no current block, if this one is refused
        if self.given != NULL and self.private and not self.exposed and alone():  # nobody can change it now
            self.values = self.given + start * self.columns
            peak = onstream_ceiling(self.values, n)
        else:
            if self.block is None:
                self.block = np.empty((min(self.chunk, self.rows), self.columns))
                self.own_values = doubles(self.block)
            self.values = self.own_values
            if self.given == NULL:
                self.copy(start, stop)
                peak = onstream_ceiling(self.values, n)
            else:
                peak = copied(self.own_values, self.given + start * self.columns, n)
        self.gapped = peak == INFINITY and self.gaps
        if self.gapped and self.present == NULL:
            self.present = <int32_t*> resize(NULL, 0, self.columns * sizeof(int32_t))
            if self.buffer == NULL:
                self.buffer = <double*> resize(NULL, 0, self.columns * sizeof(double))
        if peak == INFINITY:
            # NaN may be allowed
            peak = peak_of_present(self.values, n) if self.gaps else self.encoder.peak(self.values, n)
        if peak == INFINITY:
            in_place = self.values != self.own_values
            block = np.asarray(self.X[start:stop] if in_place else self.block[:stop - start])
            bad = np.isinf(block) if self.gaps or self.encoder.nan_missing else ~np.isfinite(block)
            row, column = map(int, np.argwhere(bad)[0])
            name = column if self.names is None else self.names[column]
            self.encoder.bad_value(name, float(block[row, column]), start + row)
        # Values of columns with the same hash are added.
        self.peak = max(self.peak, peak if self.identity or self.kept == self.columns else peak * self.columns)
        self.last = stop
        return 0

    cdef int copy(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        """Convert rows start ... stop-1 into `block`."""
        if self.by_column != NULL:
            with nogil:
                copy_columns(
                    self.own_values, self.by_column + start, self.stride, stop - start, self.columns)
            return 0
        with np.errstate(over="ignore"):  # beyond float64: becomes infinite, and is refused
            np.copyto(self.block[:stop - start], self.X[start:stop], casting="unsafe")
        return 0

    cdef int map_columns(self) except -1:
        """Find the feature of each column."""
        cdef Py_ssize_t n = self.columns, i
        cdef list names = self.names
        cdef Encoder encoder = self.encoder
        cdef NewFeatures new_features = ALL if self.learning else KNOWN
        self.identity = names is None and encoder.column_map(None, n, new_features, NULL, NULL)
        if not self.identity:
            self.ids = <int32_t*> resize(NULL, 0, n * sizeof(int32_t))
            self.places = <int32_t*> resize(NULL, 0, n * sizeof(int32_t))
            self.signs = <double*> resize(NULL, 0, n * sizeof(double))
            self.buffer = <double*> resize(NULL, 0, n * sizeof(double))
            self.identity = encoder.column_map(names, n, new_features, self.ids, self.signs)
            self.known = True
            for i in range(n):
                self.known &= 0 <= self.ids[i] < encoder.width
        if not self.identity:
            places = {}
            for i in range(n):
                self.places[i] = -1 if self.ids[i] < 0 else places.setdefault(self.ids[i], len(places))
            self.kept = len(places)
            self.blank = self.kept == 0 < n and names is None
            for id, place in places.items():
                self.ids[<Py_ssize_t> place] = id
        self.width, self.named = encoder.width_after_commit(new_features), encoder.named
        return 0

    cdef void row(self, Py_ssize_t i, Example* e) noexcept nogil:
        cdef const double* values = self.values + (i - self.first) * self.columns
        cdef Py_ssize_t j, place
        e.peak = self.peak
        e.width, e.named = self.width, self.named
        if self.gapped:
            e.ids, e.values = self.present, self.buffer
            e.n = self.without_gaps(values, self.present, self.buffer)
            return
        if self.identity:
            e.ids, e.values, e.n = NULL, values, self.columns
            if self.given != NULL:
                onstream_fetch(self.given + i * self.columns + self.ahead, self.columns * sizeof(double))
            return
        for j in range(self.kept):
            self.buffer[j] = -0.0  # the neutral element: -0.0 + x is x, even for x = -0.0
        for j in range(self.columns):
            place = self.places[j]
            if place >= 0:
                self.buffer[place] = bounded(self.buffer[place] + values[j] * self.signs[j])
        e.ids, e.values, e.n = self.ids, self.buffer, self.kept

    cdef Py_ssize_t without_gaps(self, const double* values, int32_t* ids, double* out) noexcept nogil:
        """Features and values of a row without those that are NaN; their number."""
        cdef Py_ssize_t j, place, n = 0
        if self.identity:
            for j in range(self.columns):  # branch-free: what is missing is unpredictable
                ids[n], out[n] = <int32_t> j, values[j]
                n += values[j] == values[j]
            return n
        for j in range(self.columns):
            place = self.places[j]
            if place >= 0:
                ids[n], out[n] = self.ids[place], values[j]
                n += values[j] == values[j]
        return n


cdef class Filled(Dense):
    """A sparse matrix as a dense one, for learners that treat missing values and 0 differently."""

    cdef int copy(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        starts, columns, values = self.parts
        block = self.block[:stop - start]
        block[:] = 0.0
        first, last = starts[start], starts[stop]
        rows = np.repeat(np.arange(stop - start), np.diff(starts[start:stop + 1]))
        with np.errstate(over="ignore"):  # the infinite sum is refused by `check`
            np.add.at(block, (rows, columns[first:last]), values[first:last])
        return 0


cdef class Packed(Source):
    """Rows of ids and values, one after the other: what mappings and tables become."""

    def __init__(self, Encoder encoder, ids, values, starts, widths, bint learning, codes=None, named=None):
        self.encoder, self.learning = encoder, learning
        ids = np.ascontiguousarray(ids, dtype=np.int32)
        values = np.ascontiguousarray(values, dtype=np.float64)
        starts = np.ascontiguousarray(starts, dtype=np.int64)
        widths = None if widths is None else np.ascontiguousarray(widths, dtype=np.int64)
        codes = None if codes is None else np.ascontiguousarray(codes, dtype=np.int32)
        self.owner = ids, values, starts, widths, codes, named
        self.ids, self.values, self.codes = int32s(ids), doubles(values), int32s(codes)
        self.starts, self.widths, self.named = int64s(starts), int64s(widths), int64s(named)
        self.width = encoder.width_after_commit(ALL if learning else KNOWN)
        self.rows = len(starts) - 1
        self.chunk = block_rows(len(ids) // max(1, self.rows))
        self.array_columns = -1
        self.measure(len(values))

    cdef int measure(self, Py_ssize_t n) except -1:
        """Set `peak` for n entries."""
        self.peak = onstream_peak(self.values, n)
        return 0

    cdef void row(self, Py_ssize_t i, Example* e) noexcept nogil:
        e.ids = self.ids + self.starts[i]
        e.values = self.values + self.starts[i]
        e.codes = self.codes + self.starts[i] if self.codes != NULL else NULL
        e.n = self.starts[i + 1] - self.starts[i]
        e.peak = self.peak
        e.width = self.widths[i] if self.widths != NULL else self.width
        e.named = self.named[i] if self.named != NULL else self.encoder.named


cdef class Sparse(Packed):
    """A sparse matrix whose columns are the features, checked block by block.

    A block is copied if other threads may change it, or if in one of its rows the columns do not
    rise: then entries of the same column are added up.
    """

    def __dealloc__(self):
        release(self.own_ids)
        release(self.own_values)
        release(self.own_starts)

    cdef int measure(self, Py_ssize_t n) except -1:
        self.peak = 0.0
        self.bytes = n * sizeof(double)
        self.chunk = max(1, self.chunk // 4)  # the cache holds ids and values, of this block and the next
        self.ahead = self.chunk * (n // max(1, self.rows))
        self.all_ids, self.all_values, self.all_starts = self.ids, self.values, self.starts
        self.first = self.last = 0
        self.private = is_private(self.owner[0]) and is_private(self.owner[1])
        return 0

    cdef int check(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        cdef Py_ssize_t offset = self.all_starts[start], n = self.all_starts[stop] - offset, at = 0
        cdef double peak
        cdef bint rising
        self.first = self.last = start  # no current block, if this one is refused
        self.ids, self.values = self.all_ids + offset, self.all_values + offset
        if self.exposed or not (self.private and alone()):  # otherwise nobody can change it now
            self.copy(offset, n)
        peak = onstream_ceiling(self.values, n)
        rising = self.rises(start, stop)
        if peak == INFINITY:
            while -INFINITY < self.values[at] < INFINITY:
                at += 1
            while self.all_starts[start + 1] <= offset + at:
                start += 1
            self.encoder.bad_value(int(self.ids[at]), self.values[at], start)
        self.peak = max(self.peak, peak)
        self.starts, self.from_row, self.offset = self.all_starts, 0, offset
        if not rising:
            if self.ids != self.own_ids:
                self.copy(offset, n)
            self.merge_rows(start, stop)
        self.last = stop
        return 0

    cdef int copy(self, Py_ssize_t offset, Py_ssize_t n) except -1:
        """Copy n entries from `offset` on, and use the copy."""
        if n > self.room:
            self.room = 0
            self.own_ids = <int32_t*> resize(self.own_ids, 0, n * sizeof(int32_t))
            self.own_values = <double*> resize(self.own_values, 0, n * sizeof(double))
            self.room = n
        if n:
            memcpy(self.own_ids, self.all_ids + offset, n * sizeof(int32_t))
            memcpy(self.own_values, self.all_values + offset, n * sizeof(double))
        self.ids, self.values = self.own_ids, self.own_values
        return 0

    cdef bint rises(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        """Do the columns rise in each row of the block, so that none is repeated?"""
        cdef const int32_t* ids = self.ids
        cdef const int64_t* starts = self.all_starts
        cdef Py_ssize_t offset = starts[start], n = starts[stop] - offset, row, i, falls
        cdef uint32_t top = 0
        falls = onstream_falls(ids, n, &top)
        if n > 0 and top >= self.columns:
            raise ValueError(
                f"{self.encoder.who}: X is not a valid CSR matrix: a column is not in its shape."
            )
        for row in range(start + 1, stop):  # a fall from one row to the next does not count
            i = starts[row] - offset
            if 0 < i < starts[row + 1] - offset:
                falls -= ids[i] <= ids[i - 1]
        return falls == 0

    cdef int merge_rows(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        """Add up repeated entries in each row of our copy."""
        cdef Py_ssize_t row, at, n, kept = 0
        self.own_starts = <int64_t*> resize(self.own_starts, 0, (stop - start + 1) * sizeof(int64_t))
        for row in range(start, stop):
            at, n = self.all_starts[row] - self.offset, self.all_starts[row + 1] - self.all_starts[row]
            n = merge_repeats(self.own_ids + at, self.own_values + at, n)
            memmove(self.own_ids + kept, self.own_ids + at, n * sizeof(int32_t))
            memmove(self.own_values + kept, self.own_values + at, n * sizeof(double))
            kept += n
            self.own_starts[row + 1 - start] = kept
        self.starts, self.from_row, self.offset = self.own_starts, start, 0
        self.peak = max(self.peak, onstream_peak(self.own_values, kept))
        return 0

    cdef void row(self, Py_ssize_t i, Example* e) noexcept nogil:
        cdef const int64_t* starts = self.starts + (i - self.from_row)
        cdef Py_ssize_t at = starts[0] - self.offset, next = self.all_starts[i] + self.ahead
        e.ids, e.values, e.codes = self.ids + at, self.values + at, NULL
        e.n = starts[1] - starts[0]
        e.peak, e.width, e.named = self.peak, self.width, self.encoder.named
        onstream_fetch(self.all_values + next, e.n * sizeof(double))
        onstream_fetch(self.all_ids + next, e.n * sizeof(int32_t))


cdef class Columns(Source):
    """Columns of numbers or nominal values without gaps, put together block by block: a block stays
    in the cache, and the whole matrix is never built."""

    def __init__(self, Encoder encoder, list names, list columns, dict texts, bint learning, double peak):
        """`texts[j]`: the distinct texts of nominal column j; columns[j] holds indices into them."""
        cdef Py_ssize_t j
        cdef int32_t id
        cdef NewFeatures new_features = ALL if learning else KNOWN
        self.encoder, self.learning = encoder, learning
        self.rows, self.array_columns = len(columns[0]), -1
        ids, kept, waiting, changes = [], [], [], []
        coded = {j: np.full(len(own), UNASKED, dtype=np.int32) for j, own in texts.items()}
        for j in range(len(columns)):
            encoder.row = 0
            id = encoder.lookup_nominal(names[j], j in texts, new_features)
            if id >= 0:
                ids.append(id)
                kept.append(j)
                if j in texts:
                    at = int(columns[j][0])
                    coded[j][at] = encoder.code(id, texts[j][at], new_features)
                    waiting.extend((row, j, at, id) for row, at in first_rows(columns[j], len(texts[j])))
        changes.append((0, encoder.named))
        for row, j, at, id in sorted(waiting):  # values become known in row order
            if coded[j][at] == UNASKED:
                encoder.row = row
                coded[j][at] = encoder.code(id, texts[j][at], new_features)
                changes.append((row, encoder.named))
        self.names = [names[j] for j in kept]
        self.columns = [columns[j] for j in kept]
        self.texts = [coded.get(j) for j in kept]
        self.peak = max([peak] + [float(own.max()) for own in coded.values()])
        self.n = len(kept)
        self.blank = self.n == 0
        self.width = encoder.width_after_commit(new_features)
        self.chunk = block_rows(self.n)
        shape = min(self.chunk, self.rows), self.n
        self.block, self.coded = np.empty(shape), np.full(shape, NUMBER, dtype=np.int32)
        self.values = doubles(self.block)
        self.codes = int32s(self.coded) if texts else NULL
        places, named = np.array(ids, dtype=np.int32), None
        self.ids = int32s(places) if ids != list(range(self.n)) else NULL
        if encoder.most_named:
            named = np.zeros(self.rows, dtype=np.int64)
            for row, bytes in changes:
                named[row] = bytes
            named = np.maximum.accumulate(named)
        self.named = int64s(named)
        self.owner = places, named

    cdef int load(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        cdef Py_ssize_t j, n = (stop - start) * self.n
        cdef double peak
        self.first = start
        for j in range(self.n):
            column, texts = self.columns[j][start:stop], self.texts[j]
            if texts is not None:
                try:
                    column = texts[column.copy()]
                except IndexError:
                    raise ValueError(
                        f"{self.encoder.who}: column {self.names[j]!r} has no such text."
                    ) from None
                self.coded[:stop - start, j] = column
                if self.encoder.most_named:  # MISSING == NUMBER: only NaN shows that it is missing
                    column = np.where(column == MISSING, np.nan, column)
            self.block[:stop - start, j] = column
        peak = self.encoder.peak(self.values, n)  # again: another thread may have changed X
        if peak == INFINITY:
            row, j = map(int, np.argwhere(np.isinf(self.block[:stop - start]))[0])
            self.encoder.bad_value(self.names[j], float(self.block[row, j]), start + row)
        self.peak = max(self.peak, peak)
        return 0

    cdef void row(self, Py_ssize_t i, Example* e) noexcept nogil:
        cdef Py_ssize_t at = (i - self.first) * self.n
        e.ids, e.values, e.n = self.ids, self.values + at, self.n
        e.codes = self.codes + at if self.codes != NULL else NULL
        e.peak, e.width = self.peak, self.width
        e.named = self.named[i] if self.named != NULL else self.encoder.named


def first_rows(column, Py_ssize_t n):
    """(row, code) for each code 0 ... n-1 that is in the column: the first row that has it."""
    first = np.full(n, -1, dtype=np.int64)
    first[column[::-1].copy()] = np.arange(len(column) - 1, -1, -1)
    return [(row, at) for at, row in enumerate(first.tolist()) if row >= 0]
