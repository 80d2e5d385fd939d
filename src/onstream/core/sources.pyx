"""Many rows at once: arrays, sparse matrices, lists of mappings and data frames as examples.

For each block of rows `check` refuses bad values, `load` prepares it with the GIL and `row` hands
out examples without it. Sources that have to look at every value when they are made check it then.
"""

cimport numpy as cnp
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy

import numpy as np
from collections.abc import Mapping

from .door cimport ALL, KNOWN, MET, MISSING, Door, Row, Welcome, bounded, merge_repeats
from .example cimport NUMBER, Example, onstream_ceiling, onstream_falls, onstream_peak
from .hashing cimport mix, seed_key
from .memory cimport onstream_fetch, release, resize, roomier
from .plain import in_row, plain_array, to_float64, unmasked
from .sparse import SparseBlock

cnp.import_array()

cdef int32_t UNASKED = -9  # a feature not looked up yet
# What one block may hold: a fraction of a millisecond of work for most learners.
cdef Py_ssize_t BLOCK_VALUES = 1 << 15  # 256 KiB: what was checked is still in the cache
cdef Py_ssize_t BLOCK_ROWS = 1 << 13


cdef class Source:
    """Rows of X as examples."""

    cdef int check(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        """Refuse a bad value in rows start ... stop-1 (most sources did so when they were made)."""
        return 0

    cdef int load(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        """Prepare rows start ... stop-1."""
        return 0

    cdef void row(self, Py_ssize_t i, Example* e) noexcept nogil:
        """Row i of X; it must be in the block loaded last."""


cdef Py_ssize_t block_rows(Py_ssize_t values_per_row) noexcept:
    return max(1, min(BLOCK_ROWS, BLOCK_VALUES // max(1, values_per_row)))


def open_source(Door door, X, bint learning, weights):
    """The right source for X. `weights`: rows of weight 0 introduce no features."""
    X = door.as_rows(X)
    if isinstance(X, np.ndarray):
        return array_rows(door, X, learning, weights)
    if isinstance(X, SparseBlock):
        return named_sparse_rows(door, X, learning, weights)
    if hasattr(X, "tocsr") or hasattr(X, "indptr"):
        return sparse_rows(door, X, learning, weights)
    if hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__"):
        from .frames import table_rows

        return table_rows(door, door.who, X, learning, weights)
    if isinstance(X, (list, tuple)):
        if len(X) and (isinstance(X[0], Mapping) or hasattr(X[0], "keys")):
            return mapping_rows(door, X, learning, weights)
        X = plain_array(door.who, X if len(X) else np.empty((0, 0)), 2)
        return array_rows(door, X, learning, weights)
    if hasattr(X, "__array__"):
        return array_rows(door, np.asarray(X), learning, weights)
    raise TypeError(
        f"{door.who}: X must be a 2-D array, a CSR matrix, a list of mappings or a data frame, "
        f"got {type(X).__name__}."
    )


def check_weights(str who, Py_ssize_t rows, weights):
    """As many weights as rows, before anybody looks at them."""
    if weights is not None and len(weights) != rows:
        raise ValueError(f"{who}: X has {rows:,} rows, w has {len(weights):,}.")


def array_rows(Door door, X, bint learning, weights):
    """An array; where numbers may be nominal values, column by column like a table."""
    if not (door.nominal and door.codes_numbers() and X.ndim == 2 and len(X)):
        return Dense(door, X, learning)
    X = plain_array(door.who, X, 2)
    door.check_columns(X.shape[1])
    packed = coded_rows(door, X, learning, weights)
    (<Source> packed).array_columns = X.shape[1]
    return packed


def coded_rows(Door door, X, bint learning, weights):
    """Numbers that may be nominal values, column by column."""
    from .frames import number_rows

    return number_rows(door, door.who, list(range(X.shape[1])), list(X.T), len(X), learning, weights)


cdef class Dense(Source):
    """A 2-D array of any dtype and stride; converted block by block where it has to be."""

    cdef object X             # what the user passed
    cdef object block         # float64 rows of the present block, C order
    cdef const double* values # its numbers
    cdef Py_ssize_t first     # row of X that stands first there
    cdef Py_ssize_t columns
    cdef list names           # of the columns; None: 0, 1, ...
    cdef double peak          # no |value| checked so far is larger
    cdef Py_ssize_t ahead     # values per block: those of the next are fetched meanwhile
    cdef bint identity        # column i is feature i
    cdef int32_t* ids         # else: features of the row put together,
    cdef Py_ssize_t kept      # how many they are,
    cdef int32_t* places      # where among them each column goes (-1: nowhere),
    cdef double* signs        # with the sign of its hash,
    cdef double* buffer       # and their values
    cdef Py_ssize_t width     # features known once a row is learned
    cdef Py_ssize_t named     # bytes of their names

    def __cinit__(self):
        self.ids = self.places = NULL
        self.signs = self.buffer = NULL

    def __dealloc__(self):
        release(self.ids)
        release(self.places)
        release(self.signs)
        release(self.buffer)

    def __init__(self, Door door, X, bint learning, list names=None):
        X = unmasked(door.who, X)
        if X.ndim != 2 or X.dtype.kind not in "fiub":
            X = plain_array(door.who, X, 2)
        self.door, self.X, self.learning = door, X, learning
        self.rows, self.columns = X.shape
        self.array_columns = self.columns if names is None else -1
        self.chunk = block_rows(self.columns)
        self.ahead = self.chunk * self.columns
        self.peak = 0.0
        self.identity = True
        if self.rows == 0:
            return
        if names is None:
            door.check_columns(self.columns)
        self.names = names
        self.bytes = self.rows * self.columns * sizeof(double)
        self.map_columns()

    cdef int check(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        cdef const double* values
        cdef Py_ssize_t n = (stop - start) * self.columns
        cdef double peak
        self.load(start, stop)
        values = self.values + (start - self.first) * self.columns
        peak = onstream_ceiling(values, n)
        if peak == INFINITY:
            peak = self.door.peak(values, n)  # NaN may be allowed
        if peak == INFINITY:
            block = self.block[start - self.first:stop - self.first]
            bad = np.isinf(block) if self.door.nan_missing else ~np.isfinite(block)
            row, column = map(int, np.argwhere(bad)[0])
            name = column if self.names is None else self.names[column]
            self.door.bad_value(name, float(block[row, column]), start + row)
        # Columns that collide add up.
        self.peak = max(self.peak, peak if self.identity or self.kept == self.columns else peak * self.columns)
        return 0

    cdef int map_columns(self) except -1:
        cdef Py_ssize_t n = self.columns, i
        cdef list names = self.names
        cdef Door door = self.door
        cdef Welcome welcome = ALL if self.learning else KNOWN
        self.identity = names is None and door.column_map(None, n, welcome, NULL, NULL)
        if not self.identity:
            self.ids = <int32_t*> resize(NULL, 0, n * sizeof(int32_t))
            self.places = <int32_t*> resize(NULL, 0, n * sizeof(int32_t))
            self.signs = <double*> resize(NULL, 0, n * sizeof(double))
            self.buffer = <double*> resize(NULL, 0, n * sizeof(double))
            self.identity = door.column_map(names, n, welcome, self.ids, self.signs)
            places = {}
            for i in range(n):
                self.places[i] = -1 if self.ids[i] < 0 else places.setdefault(self.ids[i], len(places))
            self.kept = len(places)
            for id, place in places.items():
                self.ids[<Py_ssize_t> place] = id
        self.width, self.named = door.prospect(welcome), door.named
        return 0

    cdef int load(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        X = self.X
        if X.dtype == np.float64 and X.flags.c_contiguous and X.flags.aligned and X.dtype.isnative:
            self.block, self.first = X, 0
        else:
            self.block, self.first = to_float64(X[start:stop]), start
        self.values = <const double*> cnp.PyArray_DATA(<cnp.ndarray> self.block)
        return 0

    cdef void row(self, Py_ssize_t i, Example* e) noexcept nogil:
        cdef const double* values = self.values + (i - self.first) * self.columns
        cdef Py_ssize_t j, place
        e.peak = self.peak
        e.width, e.named = self.width, self.named
        if self.identity:
            e.ids, e.values, e.n = NULL, values, self.columns
            onstream_fetch(values + self.ahead, self.columns * sizeof(double))
            return
        for j in range(self.kept):
            self.buffer[j] = 0.0
        for j in range(self.columns):
            place = self.places[j]
            if place >= 0:
                self.buffer[place] = bounded(self.buffer[place] + values[j] * self.signs[j])
        e.ids, e.values, e.n = self.ids, self.buffer, self.kept


cdef class Filled(Dense):
    """A sparse matrix for learners to which absent is not the same as 0: rows are filled up."""

    cdef object parts  # row starts, columns, values

    cdef int load(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        starts, columns, values = self.parts
        block = np.zeros((stop - start, self.columns))
        first, last = starts[start], starts[stop]
        rows = np.repeat(np.arange(stop - start), np.diff(starts[start:stop + 1]))
        with np.errstate(over="ignore"):  # the infinite sum is refused by `check`
            np.add.at(block, (rows, columns[first:last]), values[first:last])
        self.block, self.first = block, start
        self.values = <const double*> cnp.PyArray_DATA(<cnp.ndarray> block)
        return 0


cdef class Packed(Source):
    """Rows with ids, one after the other: what sparse matrices, mappings and tables become."""

    cdef object owner           # the arrays whose memory is used below
    cdef const int32_t* ids
    cdef const double* values
    cdef const int32_t* codes   # nominal values; NULL: all are numbers
    cdef const int64_t* starts  # row i is starts[i] ... starts[i + 1]
    cdef const int64_t* widths  # features known once row i is learned; NULL: `width`
    cdef const int64_t* named   # bytes of their names; NULL: those of the door
    cdef Py_ssize_t width
    cdef double peak

    def __init__(self, Door door, ids, values, starts, widths, bint learning, codes=None, named=None):
        self.door, self.learning = door, learning
        ids = np.ascontiguousarray(ids, dtype=np.int32)
        values = np.ascontiguousarray(values, dtype=np.float64)
        starts = np.ascontiguousarray(starts, dtype=np.int64)
        widths = None if widths is None else np.ascontiguousarray(widths, dtype=np.int64)
        codes = None if codes is None else np.ascontiguousarray(codes, dtype=np.int32)
        self.owner = ids, values, starts, widths, codes, named
        self.codes = NULL
        if codes is not None:
            self.codes = <const int32_t*> cnp.PyArray_DATA(<cnp.ndarray> codes)
        self.ids = <const int32_t*> cnp.PyArray_DATA(<cnp.ndarray> ids)
        self.values = <const double*> cnp.PyArray_DATA(<cnp.ndarray> values)
        self.starts = <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> starts)
        self.widths = NULL
        if widths is not None:
            self.widths = <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> widths)
        self.named = NULL
        if named is not None:
            self.named = <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> named)
        self.width = door.prospect(ALL if learning else KNOWN)
        self.rows = len(starts) - 1
        self.chunk = block_rows(len(ids) // max(1, self.rows))
        self.array_columns = -1
        self.measure(len(values))

    cdef int measure(self, Py_ssize_t n) except -1:
        self.peak = onstream_peak(self.values, n)
        return 0

    cdef void row(self, Py_ssize_t i, Example* e) noexcept nogil:
        e.ids = self.ids + self.starts[i]
        e.values = self.values + self.starts[i]
        e.codes = self.codes + self.starts[i] if self.codes != NULL else NULL
        e.n = self.starts[i + 1] - self.starts[i]
        e.peak = self.peak
        e.width = self.widths[i] if self.widths != NULL else self.width
        e.named = self.named[i] if self.named != NULL else self.door.named


cdef class Sparse(Packed):
    """The rows of a sparse matrix as it is, checked block by block."""

    cdef Py_ssize_t ahead  # values per block: those of the next are fetched meanwhile

    cdef int measure(self, Py_ssize_t n) except -1:
        self.peak = 0.0
        self.bytes = n * sizeof(double)
        self.chunk = max(1, self.chunk // 2)
        self.ahead = self.chunk * (n // max(1, self.rows))
        return 0

    cdef int check(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        cdef Py_ssize_t at = self.starts[start]
        cdef double peak = onstream_ceiling(self.values + at, self.starts[stop] - at)
        if peak == INFINITY:
            while -INFINITY < self.values[at] < INFINITY:
                at += 1
            while self.starts[start + 1] <= at:
                start += 1
            self.door.bad_value(int(self.ids[at]), self.values[at], start)
        self.peak = max(self.peak, peak)
        return 0

    cdef void row(self, Py_ssize_t i, Example* e) noexcept nogil:
        cdef Py_ssize_t at = self.starts[i]
        e.ids, e.values, e.codes = self.ids + at, self.values + at, NULL
        e.n = self.starts[i + 1] - at
        e.peak, e.width, e.named = self.peak, self.width, self.door.named
        onstream_fetch(e.values + self.ahead, e.n * sizeof(double))
        onstream_fetch(e.ids + self.ahead, e.n * sizeof(int32_t))


def sparse_rows(Door door, X, bint learning, weights):
    """A CSR matrix (SciPy's, or anything with its attributes). Columns are features 0, 1, ..."""
    try:
        n_rows, n_columns, starts, columns, values = csr_parts(X)
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"{door.who}: X is not a valid CSR matrix: {error}.") from None
    if values.dtype.kind not in "fiub":
        raise TypeError(f"{door.who}: X must hold numbers, got {values.dtype}.")
    rising = ascending(columns, starts, min(n_columns, 2**31 - 1))
    if rising is None:
        raise ValueError(f"{door.who}: X is not a valid CSR matrix: a column is not in its shape.")
    values = to_float64(values)
    if door.fill_sparse and n_rows:
        refuse_infinite_entries(door, starts, columns, values)
        if door.nominal and door.codes_numbers():
            rows = np.repeat(np.arange(n_rows), np.diff(starts))
            block = np.zeros((n_rows, n_columns))
            with np.errstate(over="ignore"):  # the infinite sum is refused later
                np.add.at(block, (rows, columns), values)
            return coded_rows(door, block, learning, weights)
        filled = Filled(door, np.broadcast_to(0.0, (n_rows, n_columns)), learning)
        (<Filled> filled).parts = starts, columns, values
        (<Filled> filled).array_columns = -1
        return filled
    if door.nan_missing and np.isnan(values).any():
        there = ~np.isnan(values)
        starts = np.concatenate([[0], np.cumsum(there)])[starts]
        columns, values = columns[there], values[there]
    packed = Sparse(door, columns, values, starts, None, learning)
    if n_rows == 0:
        return packed
    if rising and door.column_map(None, n_columns, ALL if learning else KNOWN, NULL, NULL):
        (<Sparse> packed).width = door.prospect(ALL if learning else KNOWN)
        return packed
    (<Sparse> packed).check(0, n_rows)
    distinct, which = np.unique(columns, return_inverse=True)
    return pack(door, distinct.tolist(), which, values, starts, learning, weights)


def refuse_infinite_entries(Door door, starts, columns, values):
    """Before entries of the same place add up: inf - inf would look like a missing value."""
    bad = np.flatnonzero(np.isinf(values) if door.nan_missing else ~np.isfinite(values))
    if len(bad):
        row = int(np.searchsorted(starts, bad[0], side="right")) - 1
        door.bad_value(int(columns[bad[0]]), float(values[bad[0]]), row)


def csr_parts(X):
    """Shape, row starts, columns and values of a CSR matrix, all lengths and ranges checked."""
    if hasattr(X, "tocsr"):
        X = X.tocsr()
    n_rows, n_columns = map(int, X.shape)
    starts, columns, values = np.asarray(X.indptr), np.asarray(X.indices), np.asarray(X.data)
    if not starts.ndim == columns.ndim == values.ndim == 1:
        raise ValueError("indptr, indices and data must have one dimension")
    if starts.dtype.kind not in "iu" or columns.dtype.kind not in "iu":
        raise ValueError("indptr and indices must be whole numbers")
    starts = np.ascontiguousarray(starts, dtype=np.int64)
    if len(starts) != n_rows + 1 or starts[0] != 0 or not rises(starts):
        raise ValueError(f"indptr does not describe {n_rows} rows")
    used = int(starts[-1])
    if used > min(len(columns), len(values)):
        raise ValueError(f"indptr names {used:,} entries, there are {min(len(columns), len(values)):,}")
    columns = columns[:used]
    if columns.dtype != np.int32 and used:
        if columns.min() < 0 or columns.max() >= min(n_columns, 2**31 - 1):
            raise ValueError("a column is not in its shape")
    columns = np.ascontiguousarray(columns, dtype=np.int32)
    return n_rows, n_columns, starts, columns, values[:used]


cdef bint rises(starts):
    """Is no number smaller than the one before it?"""
    cdef const int64_t* first = <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> starts)
    cdef Py_ssize_t i, falls = 0
    for i in range(1, len(starts)):
        falls += first[i] < first[i - 1]
    return falls == 0


def ascending(columns, starts, Py_ssize_t n_columns):
    """Does every row name its columns in rising order, so none twice? None: one is out of range."""
    cdef const int32_t* c = <const int32_t*> cnp.PyArray_DATA(<cnp.ndarray> columns)
    cdef const int64_t* first = <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> starts)
    cdef Py_ssize_t i, row, falls, n = len(columns), rows = len(starts) - 1
    cdef uint32_t top = 0
    with nogil:
        falls = onstream_falls(c, n, &top)
        if n and top >= n_columns:
            with gil:
                return None
        for row in range(1, rows):  # a fall to the first column of a row is none
            i = first[row]
            if 0 < i < first[row + 1]:
                falls -= c[i] <= c[i - 1]
    return falls == 0


def pack(Door door, list names, which, values, starts, bint learning, weights):
    """Rows whose entry j is feature names[which[j]]: unknown ones left out, repeated ones added.

    A feature becomes known in the first row of weight above 0 that has it.
    """
    cdef Py_ssize_t i, row, kept = 0, first, n_rows = len(starts) - 1, n = len(names)
    all_map_ids = np.full(n, UNASKED, dtype=np.int32)
    cdef int32_t* map_ids = <int32_t*> start_of(all_map_ids)
    all_map_signs = np.ones(n)
    cdef double* map_signs = <double*> start_of(all_map_signs)
    all_ids = np.empty(len(values), dtype=np.int32)
    cdef int32_t* ids = <int32_t*> start_of(all_ids)
    all_out = np.empty(len(values))
    cdef double* out = <double*> start_of(all_out)
    all_new_starts = np.zeros(n_rows + 1, dtype=np.int64)
    cdef int64_t* new_starts = <int64_t*> start_of(all_new_starts)
    all_widths, all_named = np.zeros(n_rows, dtype=np.int64), np.zeros(n_rows, dtype=np.int64)
    cdef int64_t* widths = <int64_t*> start_of(all_widths)
    cdef int64_t* named = <int64_t*> start_of(all_named)
    all_old = np.ascontiguousarray(starts, dtype=np.int64)
    cdef const int64_t* old = <const int64_t*> start_of(all_old)
    all_at = np.ascontiguousarray(which, dtype=np.int64)
    cdef const int64_t* at = <const int64_t*> start_of(all_at)
    all_given = np.ascontiguousarray(values, dtype=np.float64)
    cdef const double* given = <const double*> start_of(all_given)
    check_weights(door.who, n_rows, weights)
    cdef const double* importance = NULL if weights is None else <const double*> start_of(weights)
    cdef Welcome welcome = ALL if learning else KNOWN
    cdef int32_t id
    for row in range(n_rows):
        first = kept
        if learning and weights is not None:
            welcome = ALL if importance[row] > 0.0 else MET
        for i in range(old[row], old[row + 1]):
            id = map_ids[at[i]]
            if id == UNASKED:
                id = door.lookup(names[at[i]], None, welcome, &map_signs[at[i]])
                if id >= 0 or not learning:
                    map_ids[at[i]] = id
            if id >= 0:
                ids[kept] = id
                out[kept] = given[i] * map_signs[at[i]]
                kept += 1
        if kept > first:
            kept = first + merge_repeats(&ids[first], &out[first], kept - first)
        new_starts[row + 1] = kept
        widths[row], named[row] = door.prospect(welcome), door.named
    return Packed(
        door, all_ids[:kept], all_out[:kept], all_new_starts, all_widths, learning,
        named=all_named)


def pack_coded(Door door, list names, which, values, list texts, text_of, starts, bint learning, weights):
    """Rows for a learner with nominal values: entry j is feature names[which[j]] with the value
    texts[text_of[j]] or, where text_of is -1, the number values[j]. No row has a feature twice."""
    cdef Py_ssize_t i, row, kept = 0, n_rows = len(starts) - 1
    all_map_ids = np.full(len(names), UNASKED, dtype=np.int32)
    cdef int32_t* map_ids = <int32_t*> start_of(all_map_ids)
    all_map_codes = np.full(len(texts), UNASKED, dtype=np.int32)
    cdef int32_t* map_codes = <int32_t*> start_of(all_map_codes)
    all_ids = np.empty(len(values), dtype=np.int32)
    cdef int32_t* ids = <int32_t*> start_of(all_ids)
    all_codes = np.empty(len(values), dtype=np.int32)
    cdef int32_t* codes = <int32_t*> start_of(all_codes)
    all_out = np.empty(len(values))
    cdef double* out = <double*> start_of(all_out)
    all_new_starts = np.zeros(n_rows + 1, dtype=np.int64)
    cdef int64_t* new_starts = <int64_t*> start_of(all_new_starts)
    all_widths, all_named = np.zeros(n_rows, dtype=np.int64), np.zeros(n_rows, dtype=np.int64)
    cdef int64_t* widths = <int64_t*> start_of(all_widths)
    cdef int64_t* named = <int64_t*> start_of(all_named)
    all_old = np.ascontiguousarray(starts, dtype=np.int64)
    cdef const int64_t* old = <const int64_t*> start_of(all_old)
    all_at = np.ascontiguousarray(which, dtype=np.int64)
    cdef const int64_t* at = <const int64_t*> start_of(all_at)
    all_text_at = np.ascontiguousarray(text_of, dtype=np.int64)
    cdef const int64_t* text_at = <const int64_t*> start_of(all_text_at)
    all_given = np.ascontiguousarray(values, dtype=np.float64)
    cdef const double* given = <const double*> start_of(all_given)
    check_weights(door.who, n_rows, weights)
    cdef const double* importance = NULL if weights is None else <const double*> start_of(weights)
    cdef Welcome welcome = ALL if learning else KNOWN
    cdef int32_t id, code
    for row in range(n_rows):
        door.row = row
        if learning and weights is not None:
            welcome = ALL if importance[row] > 0.0 else MET
        for i in range(old[row], old[row + 1]):
            id = map_ids[at[i]]
            if id == UNASKED:
                id = door.lookup_nominal(names[at[i]], text_at[i] >= 0, welcome)
                if id >= 0 or not learning:
                    map_ids[at[i]] = id
            if id < 0:
                continue
            code = NUMBER
            if text_at[i] >= 0:
                code = map_codes[text_at[i]]
                if code == UNASKED:
                    code = door.code(id, texts[text_at[i]], welcome)
                    if code == MISSING:
                        continue
                    if code >= 0 or not learning:
                        map_codes[text_at[i]] = code
            ids[kept] = id
            codes[kept] = code
            out[kept] = given[i] if code == NUMBER else code
            kept += 1
        new_starts[row + 1] = kept
        widths[row], named[row] = door.prospect(welcome), door.named
    return Packed(
        door, all_ids[:kept], all_out[:kept], all_new_starts, all_widths, learning,
        all_codes[:kept], all_named)


cdef class Columns(Source):
    """Columns without gaps, of numbers or nominal values, put together block by block: what is read
    stays in the cache, and the whole never needs memory."""

    cdef list columns         # of each that is known: its numbers, or which of its texts a row has,
    cdef list texts           # and the numbers of these texts; None: a column of numbers
    cdef object block         # values of the present block
    cdef object coded         # their nominal values
    cdef object owner         # the arrays whose memory is used below
    cdef const double* values
    cdef const int32_t* codes
    cdef const int32_t* ids   # features of the columns; NULL: 0, 1, ...
    cdef const int64_t* named # bytes of names once each row is learned; NULL: those of the door
    cdef Py_ssize_t first     # row that stands first in the block
    cdef Py_ssize_t n, width
    cdef double peak

    def __init__(self, Door door, list names, list columns, dict texts, bint learning, double peak):
        """`texts`: of a nominal column the distinct texts, the column says which a row has."""
        cdef Py_ssize_t j
        cdef int32_t id
        cdef Welcome welcome = ALL if learning else KNOWN
        self.door, self.learning = door, learning
        self.rows, self.array_columns = len(columns[0]), -1
        ids, kept, waiting, changes = [], [], [], []
        coded = {j: np.full(len(own), UNASKED, dtype=np.int32) for j, own in texts.items()}
        for j in range(len(columns)):
            door.row = 0
            id = door.lookup_nominal(names[j], j in texts, welcome)
            if id >= 0:
                ids.append(id)
                kept.append(j)
                if j in texts:
                    at = int(columns[j][0])
                    coded[j][at] = door.code(id, texts[j][at], welcome)
                    waiting.extend((row, j, at, id) for row, at in first_rows(columns[j], len(texts[j])))
        changes.append((0, door.named))
        for row, j, at, id in sorted(waiting):  # values become known in the order of the rows
            if coded[j][at] == UNASKED:
                door.row = row
                coded[j][at] = door.code(id, texts[j][at], welcome)
                changes.append((row, door.named))
        self.columns = [columns[j] for j in kept]
        self.texts = [coded.get(j) for j in kept]
        self.peak = max([peak] + [float(own.max()) for own in coded.values()])
        self.n = len(kept)
        self.width = door.prospect(welcome)
        self.chunk = block_rows(self.n)
        self.block = np.empty((self.chunk, self.n))
        self.coded = np.full((self.chunk, self.n), NUMBER, dtype=np.int32)
        self.values = <const double*> cnp.PyArray_DATA(<cnp.ndarray> self.block)
        self.codes = <const int32_t*> cnp.PyArray_DATA(<cnp.ndarray> self.coded) if texts else NULL
        places, named = np.array(ids, dtype=np.int32), None
        self.ids = self.named = NULL
        if ids != list(range(self.n)):
            self.ids = <const int32_t*> cnp.PyArray_DATA(<cnp.ndarray> places)
        if door.most_named:
            named = np.zeros(self.rows, dtype=np.int64)
            for row, bytes in changes:
                named[row] = bytes
            named = np.maximum.accumulate(named)
            self.named = <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> named)
        self.owner = places, named

    cdef int load(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        cdef Py_ssize_t j
        self.first = start
        for j in range(self.n):
            column, texts = self.columns[j][start:stop], self.texts[j]
            if texts is not None:
                column = texts[column]
                self.coded[:stop - start, j] = column
                if self.door.most_named:  # MISSING, the same as NUMBER: its value must be NaN
                    column = np.where(column == MISSING, np.nan, column)
            self.block[:stop - start, j] = column
        return 0

    cdef void row(self, Py_ssize_t i, Example* e) noexcept nogil:
        cdef Py_ssize_t at = (i - self.first) * self.n
        e.ids, e.values, e.n = self.ids, self.values + at, self.n
        e.codes = self.codes + at if self.codes != NULL else NULL
        e.peak, e.width = self.peak, self.width
        e.named = self.named[i] if self.named != NULL else self.door.named


def first_rows(column, Py_ssize_t n):
    """For each of n numbers in a column the first row that has it; those that none has are left out."""
    first = np.full(n, -1, dtype=np.int64)
    first[column[::-1]] = np.arange(len(column) - 1, -1, -1)
    return [(row, at) for at, row in enumerate(first.tolist()) if row >= 0]


def named_sparse_rows(Door door, block, bint learning, weights):
    """What a reader made of text."""
    if door.bits >= 0:
        return hashed_rows(door, block, learning)
    if door.nominal and door.codes_numbers():
        return mapping_rows(door, list(block.mappings()), learning, weights)
    names, which = block.distinct()
    packed = pack(door, names, which, block.values, block.starts, learning, weights)
    return refuse_infinite(door, packed, block)


def hashed_rows(Door door, block, bint learning):
    """Slots straight from the hashes; what collides in a row adds up.

    A table tells which slots a row has had. It is never cleared: a cell is (its row, the place).
    """
    cdef Py_ssize_t n_rows = len(block), n = len(block.values), i, row, kept = 0, first
    cdef Py_ssize_t size = 64, longest = 0
    cdef uint64_t key = seed_key(door.seed), slots = (<uint64_t> 1 << door.bits) - 1, h, at, bits
    cdef uint64_t flip = 0 if door.unsigned else <uint64_t> 1 << 63
    cdef int64_t cell
    cdef int32_t slot
    cdef double x
    ids, values = np.empty(n, dtype=np.int32), np.empty(n)
    starts = np.zeros(n_rows + 1, dtype=np.int64)
    cdef int32_t* id = <int32_t*> cnp.PyArray_DATA(<cnp.ndarray> ids)
    cdef double* value = <double*> cnp.PyArray_DATA(<cnp.ndarray> values)
    cdef int64_t* start = <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> starts)
    cdef const int64_t* old = <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> block.starts)
    cdef const double* given = <const double*> cnp.PyArray_DATA(<cnp.ndarray> block.values)
    cdef const uint64_t* hashes = <const uint64_t*> cnp.PyArray_DATA(<cnp.ndarray> block.hashes)
    cdef int64_t* table
    for row in range(n_rows):
        longest = max(longest, old[row + 1] - old[row])
    while size < 16 * longest and size < 1024 or size < 2 * longest:  # sparse, but in the cache
        size *= 2
    table = <int64_t*> resize(NULL, 0, size * sizeof(int64_t))
    with nogil:
        for row in range(n_rows):
            first = kept
            for i in range(old[row], old[row + 1]):
                h = mix(hashes[i] ^ key)
                slot = <int32_t> (h & slots)
                memcpy(&bits, given + i, sizeof(double))
                bits ^= h & flip  # times the sign, without a jump
                memcpy(&x, &bits, sizeof(double))
                at = <uint64_t> slot & <uint64_t> (size - 1)
                cell = table[at]
                while cell >> 32 == row + 1 and id[first + <int32_t> cell] != slot:
                    at = (at + 1) & <uint64_t> (size - 1)
                    cell = table[at]
                if cell >> 32 == row + 1:
                    value[first + <int32_t> cell] = bounded(value[first + <int32_t> cell] + x)
                else:
                    table[at] = <int64_t> (row + 1) << 32 | (kept - first)
                    id[kept], value[kept] = slot, x
                    kept += 1
            start[row + 1] = kept
    release(table)
    return refuse_infinite(door, Packed(door, ids[:kept], values[:kept], starts, None, learning), block)


cdef object refuse_infinite(Door door, Packed packed, block):
    """The rows, if all values are finite."""
    if packed.peak == INFINITY:
        at = int(np.argmin(np.isfinite(block.values)))
        row = int(np.searchsorted(block.starts, at, side="right")) - 1
        name = bytes(block.names[block.name_starts[at]:block.name_starts[at + 1]]).decode()
        door.bad_value(name, float(block.values[at]), row)
    return packed


def distinct_names(block):
    """For each entry the number of its name, and for each name the first entry that has it."""
    cdef Py_ssize_t n = len(block.values), i, size = 1024, found = 0
    name_starts, names = block.named()  # ours: another thread may make the block's own anew
    cdef const uint64_t* hashes = <const uint64_t*> cnp.PyArray_DATA(<cnp.ndarray> block.hashes)
    cdef const int64_t* at = <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> name_starts)
    cdef const char* text = <const char*> cnp.PyArray_DATA(<cnp.ndarray> names)
    cdef int64_t* table
    cdef uint64_t h
    cdef int64_t other
    which, firsts = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    cdef int64_t* out = <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> which)
    cdef int64_t* first = <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> firsts)
    while size < 2 * n:
        size *= 2
    table = <int64_t*> resize(NULL, 0, size * sizeof(int64_t))  # 1 + number of a name
    with nogil:
        for i in range(n):
            h = hashes[i] & <uint64_t> (size - 1)
            while True:
                if table[h] == 0:
                    first[found] = i
                    found += 1
                    table[h] = found
                    break
                other = first[table[h] - 1]
                if (hashes[other] == hashes[i] and at[other + 1] - at[other] == at[i + 1] - at[i]
                        and memcmp(text + at[other], text + at[i], at[i + 1] - at[i]) == 0):
                    break
                h = (h + 1) & <uint64_t> (size - 1)
            out[i] = table[h] - 1
    release(table)
    return which, firsts[:found]


def mapping_rows(Door door, rows, bint learning, weights):
    """A list of mappings, read one after the other as `learn_one` would."""
    check_weights(door.who, len(rows), weights)
    cdef Py_ssize_t n = len(rows), i, j, used = 0, room = 0
    cdef Row* row = door.take(16, 0)
    cdef Example e
    cdef int32_t* ids = NULL
    cdef double* values = NULL
    cdef int32_t* codes = NULL
    cdef bint nominal = False
    all_starts = np.zeros(n + 1, dtype=np.int64)
    cdef int64_t* starts = <int64_t*> start_of(all_starts)
    all_widths, all_named = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    cdef int64_t* widths = <int64_t*> start_of(all_widths)
    cdef int64_t* named = <int64_t*> start_of(all_named)
    cdef Welcome welcome = ALL if learning else KNOWN
    try:
        for i in range(n):
            door.row = i
            if learning and weights is not None:
                welcome = ALL if weights[i] > 0.0 else MET
            x = rows[i]
            try:
                if type(x) is not dict or door.read(x, welcome, row, &e):
                    x = door.plain(x)
                    if type(x) is not dict:
                        raise TypeError(f"{door.who}: X must be mappings throughout, got an array.")
                    door.read(x, welcome, row, &e)
            except (TypeError, ValueError) as error:
                raise in_row(error, door.who, i) from None
            if used + e.n > room:
                room = roomier(room, used + e.n)
                ids = <int32_t*> resize(ids, used * sizeof(int32_t), room * sizeof(int32_t))
                values = <double*> resize(values, used * sizeof(double), room * sizeof(double))
                codes = <int32_t*> resize(codes, used * sizeof(int32_t), room * sizeof(int32_t))
            for j in range(e.n):
                ids[used] = e.ids[j] if e.ids != NULL else <int32_t> j
                values[used] = e.values[j]
                codes[used] = e.codes[j] if e.codes != NULL else NUMBER
                used += 1
            nominal |= e.codes != NULL
            starts[i + 1] = used
            widths[i], named[i] = door.prospect(welcome), door.named
        return Packed(
            door, copied(ids, used * sizeof(int32_t), np.int32),
            copied(values, used * sizeof(double), np.float64), all_starts,
            all_widths, learning,
            copied(codes, used * sizeof(int32_t), np.int32) if nominal else None, all_named,
        )
    finally:
        door.give(row)
        release(ids)
        release(values)
        release(codes)


cdef inline void* start_of(object array) noexcept:
    return cnp.PyArray_DATA(<cnp.ndarray> array)


cdef object copied(const void* data, Py_ssize_t n_bytes, dtype):
    """n_bytes of C memory as an array of its own."""
    array = np.empty(n_bytes // np.dtype(dtype).itemsize, dtype=dtype)
    if n_bytes:
        memcpy(cnp.PyArray_DATA(<cnp.ndarray> array), data, n_bytes)
    return array
