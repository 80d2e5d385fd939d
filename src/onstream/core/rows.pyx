"""`make_source`: choose the source for an X, and find the features of its columns or keys.

Arrays and sparse matrices whose columns are the features in order are read in place; everything
else is packed row by row into arrays of ids and values.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcmp, memcpy

import numpy as np
from collections.abc import Mapping
from types import SimpleNamespace

from .arrays cimport data_of, doubles, int32s, int64s, uint64s
from .encoder cimport Encoder, RowBuffer, bounded, merge_repeats
from .example cimport NUMBER, Example, feature
from .hashing cimport mix, seed_key
from .feature_index cimport ALL, KNOWN, MET, MISSING, UNASKED, NewFeatures
from .memory cimport release, resize, roomier
from .doubts import doubt_new_columns
from .coerce import in_row, coerce_array, to_float64
from .sources cimport Dense, Filled, Packed, Source, Sparse
from .sparse import SparseBlock, gathered


MOST_COLUMNS = 2**31 - 1


def make_source(Encoder encoder, X, bint learning, weights):
    """A source for X. Rows whose weight in `weights` is 0 bring no new features."""
    X = encoder.as_rows(X)
    if isinstance(X, np.ndarray):
        return array_rows(encoder, X, learning, weights)
    if isinstance(X, SparseBlock):
        return named_sparse_rows(encoder, X, learning, weights)
    if hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__"):
        from .frames import table_rows

        return table_rows(encoder, X, learning, weights)
    if hasattr(X, "tocsr") or hasattr(X, "indptr"):
        return sparse_rows(encoder, X, learning, weights)
    if isinstance(X, (list, tuple)):
        if len(X) and (isinstance(X[0], Mapping) or hasattr(X[0], "keys")):
            return mapping_rows(encoder, X, learning, weights)
        X = coerce_array(encoder.who, X if len(X) else np.empty((0, 0)), 2)
        return array_rows(encoder, X, learning, weights)
    if hasattr(X, "__array__"):
        if hasattr(X, "to_frame") and len(getattr(X, "shape", ())) == 1:  # a series without a stream
            from .frames import one_column

            raise one_column(encoder.who, X)
        if hasattr(X, "columns"):
            raise TypeError(
                f"{encoder.who}: X is a {type(X).__name__} of {type(X).__module__.split('.')[0]} without an "
                f"Arrow stream, so its columns' names cannot be read. Use a newer release (pandas "
                f"2.2, Polars 1.3), or pass an Arrow table or a list of mappings."
            )
        return array_rows(encoder, np.asarray(X), learning, weights)
    raise TypeError(
        f"{encoder.who}: X must be a 2-D array, a CSR matrix, a list of mappings or a data frame, "
        f"got {type(X).__name__}.{' Pass X.collect().' * hasattr(X, 'collect')}"
    )


def check_weights(str who, Py_ssize_t rows, weights):
    """Refuse weights if there is not one for each row."""
    if weights is not None and len(weights) != rows:
        raise ValueError(f"{who}: X has {rows:,} rows, w has {len(weights):,}.")


def array_rows(Encoder encoder, X, bint learning, weights):
    """A source for an array; read by columns, like a table, if numbers may be nominal values."""
    if learning and encoder.width > 0 and encoder.implicit == 0 and X.ndim == 2 and len(X):
        doubt_new_columns(encoder, range(X.shape[1]))
    if not (encoder.nominal and encoder.codes_numbers() and X.ndim == 2 and len(X)):
        return Dense(encoder, X, learning)
    X = coerce_array(encoder.who, X, 2)
    encoder.check_columns(X.shape[1])
    packed = number_rows(encoder, X, learning, weights)
    (<Source> packed).array_columns = X.shape[1]
    return packed


cdef object number_rows(Encoder encoder, X, bint learning, weights):
    """Rows of an array, for a learner that takes numbers of some columns as nominal values."""
    from .cell_rows import nominal_rows, numbers_table

    return nominal_rows(encoder, numbers_table(list(range(X.shape[1])), X, False), learning, weights)


def sparse_rows(Encoder encoder, X, bint learning, weights):
    """A source for a CSR matrix (SciPy's, or anything with its attributes), with features 0, 1, ..."""
    n_rows, n_columns, starts, columns, values = csr_parts(encoder.who, X)
    if values.dtype.kind not in "fiub":
        raise TypeError(f"{encoder.who}: X must hold numbers, got {values.dtype}.")
    values = to_float64(values)
    cdef bint wide = n_rows > 0 and n_columns > MOST_COLUMNS
    cdef bint direct = not wide and not encoder.fill_sparse and (
        n_rows == 0 or encoder.column_map(None, n_columns, ALL if learning else KNOWN, NULL, NULL))
    if wide and (encoder.bits < 0 or encoder.fill_sparse):
        raise ValueError(
            f"{encoder.who}: X has {n_columns:,} columns; without hashing at most {MOST_COLUMNS:,} can be "
            f"told apart. Renumber those that are used, or set hash_bits where the learner has it."
        )
    if not direct:  # our own copies; `Sparse` copies block by block
        columns, values = columns.copy(), values.copy()
    if encoder.fill_sparse and n_rows:
        refuse_wrong_entries(encoder, starts, columns, values, n_columns)
        if encoder.nominal and encoder.codes_numbers():
            rows = np.repeat(np.arange(n_rows), np.diff(starts))
            block = np.zeros((n_rows, n_columns))
            with np.errstate(over="ignore"):  # infinite sums are refused later
                np.add.at(block, (rows, columns), values)
            return number_rows(encoder, block, learning, weights)
        filled = Filled(encoder, np.broadcast_to(0.0, (n_rows, n_columns)), learning)
        (<Filled> filled).parts = starts, columns, values
        (<Filled> filled).given = NULL  # X is one broadcast 0.0, not an array to read
        (<Filled> filled).array_columns = -1
        return filled
    if encoder.blank_step is not None and len(values) < n_rows * n_columns:
        encoder.warn_once("blanks", (
            f"{encoder.blank_step} takes what a sparse matrix leaves out as missing, not as the number 0. "
            f"If it is 0, pass X.toarray()."
        ))
    if encoder.nan_missing and np.isnan(values).any():
        there = ~np.isnan(values)
        starts = np.concatenate([[0], np.cumsum(there)])[starts]
        columns, values = columns[there], values[there]
    if direct:
        packed = Sparse(encoder, columns, values, starts, None, learning)
        (<Sparse> packed).columns = min(n_columns, MOST_COLUMNS)
        return packed
    refuse_wrong_entries(encoder, starts, columns, values, n_columns)
    distinct, which = np.unique(columns, return_inverse=True)
    return pack(encoder, distinct.tolist(), which, values, starts, learning, weights)


def refuse_wrong_entries(Encoder encoder, starts, columns, values, n_columns):
    """Refuse bad entries before repeated ones are added: inf - inf is NaN, and would look missing."""
    if len(columns) and not 0 <= columns.min() <= columns.max() < n_columns:
        raise ValueError(f"{encoder.who}: X is not a valid CSR matrix: a column is not in its shape.")
    bad = np.flatnonzero(np.isinf(values) if encoder.nan_missing else ~np.isfinite(values))
    if len(bad):
        row = int(np.searchsorted(starts, bad[0], side="right")) - 1
        encoder.bad_value(int(columns[bad[0]]), float(values[bad[0]]), row)


def csr_parts(who, X):
    """Shape, row starts, columns and values of a CSR matrix, refused if they do not fit together."""
    try:
        return read_csr(X)
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"{who}: X is not a valid CSR matrix: {error}.") from None


def read_csr(X):
    """The same. Row starts are checked; columns only if they are not int32, and not their order.

    Columns are returned as int32, or as int64 if one of them does not fit.
    """
    if hasattr(X, "tocsr"):
        X = X.tocsr()
    n_rows, n_columns = map(int, X.shape)
    starts, columns, values = np.asarray(X.indptr), np.asarray(X.indices), np.asarray(X.data)
    if not starts.ndim == columns.ndim == values.ndim == 1:
        raise ValueError("indptr, indices and data must have one dimension")
    if starts.dtype.kind not in "iu" or columns.dtype.kind not in "iu":
        raise ValueError("indptr and indices must be whole numbers")
    starts = np.array(starts, dtype=np.int64)  # our copy: no thread can change it after the check
    if len(starts) != n_rows + 1 or starts[0] != 0 or not never_falls(starts):
        raise ValueError(f"indptr does not describe {n_rows} rows")
    used = int(starts[-1])
    if used > min(len(columns), len(values)):
        raise ValueError(f"indptr names {used:,} entries, there are {min(len(columns), len(values)):,}")
    columns = columns[:used]
    kind = np.int32
    if columns.dtype != np.int32 and used:
        if columns.min() < 0 or columns.max() >= min(n_columns, 2**63 - 1):
            raise ValueError("a column is not in its shape")
        if columns.max() >= MOST_COLUMNS:
            kind = np.int64
    columns = np.require(columns, kind, ("C", "A"))
    return n_rows, n_columns, starts, columns, values[:used]


def shuffled_csr(who, X, order):
    """The rows of a CSR matrix that is not SciPy's in the given order."""
    _, _, starts, columns, values = csr_parts(who, X)
    starts, entries = gathered(starts, order)
    return SimpleNamespace(shape=X.shape, indptr=starts, indices=columns[entries], data=values[entries])


cdef bint never_falls(starts):
    """Are the numbers at least 0, and none smaller than the one before it?"""
    cdef const uint64_t* first = uint64s(starts)
    cdef uint64_t signs = first[0]
    cdef Py_ssize_t i
    for i in range(1, len(starts)):
        signs |= first[i] | (first[i] - first[i - 1])  # the top bit is set in a negative number
    return signs >> 63 == 0


cdef class Packing:
    """Builds `Packed` rows value by value; with codes, if the learner takes nominal values."""

    cdef Encoder encoder
    cdef bint learning
    cdef object arrays        # own the memory of the pointers below; see `Packed`
    cdef int32_t* ids
    cdef double* values
    cdef int32_t* codes
    cdef int64_t* starts
    cdef int64_t* widths
    cdef int64_t* named
    cdef Py_ssize_t room      # values that fit
    cdef Py_ssize_t kept      # values so far
    cdef Py_ssize_t row       # the row that comes next
    cdef bint coded           # some value so far is nominal

    def __cinit__(self, Encoder encoder, Py_ssize_t n_rows, Py_ssize_t room, bint learning):
        self.encoder, self.learning = encoder, learning
        starts, widths, named = (np.zeros(n, dtype=np.int64) for n in (n_rows + 1, n_rows, n_rows))
        codes = np.empty(room if encoder.nominal else 0, dtype=np.int32)
        self.arrays = np.empty(room, dtype=np.int32), np.empty(room), codes, starts, widths, named
        self.starts, self.widths, self.named = int64s(starts), int64s(widths), int64s(named)
        self.use(room)

    cdef int grow(self, Py_ssize_t room) except -1:
        """Make room for `room` values."""
        for array in self.arrays[:3 if self.encoder.nominal else 2]:
            array.resize(room, refcheck=False)
        return self.use(room)

    cdef int use(self, Py_ssize_t room) except -1:
        """Set the pointers, after the arrays were resized."""
        ids, values, codes = self.arrays[:3]
        self.ids, self.values, self.codes = int32s(ids), doubles(values), int32s(codes)
        self.room = room
        return 0

    cdef inline void put(self, int32_t id, double value, int32_t code) noexcept:
        """Append a value to this row; there must be room."""
        self.ids[self.kept], self.values[self.kept] = id, value
        if self.encoder.nominal:
            self.codes[self.kept] = code
            self.coded |= code != NUMBER
        self.kept += 1

    cdef int end_row(self, NewFeatures new_features) except -1:
        """Finish this row."""
        self.widths[self.row] = self.encoder.width_after_commit(new_features)
        self.named[self.row] = self.encoder.named
        self.row += 1
        self.starts[self.row] = self.kept
        return 0

    cdef Packed rows(self):
        """The source of all rows."""
        ids, values, codes, starts, widths, named = self.arrays
        n = self.kept
        cdef Packed packed = Packed(
            self.encoder, ids[:n], values[:n], starts, widths, self.learning,
            codes[:n] if self.coded else None, named,
        )
        packed.blank = n == 0 < self.row
        return packed


cdef class Cells:
    """Rows that are packed piece by piece: entry j is feature names[which[j]] with value values[j].

    Unknown features are left out, values of a repeated one are added. A feature becomes known in
    the first row of weight above 0 that has it.

    With `texts`, for a learner with nominal values, the value of entry j is texts[text_of[j]], unless
    text_of[j] is -1; then no row may repeat a feature.
    """

    cdef Encoder encoder
    cdef Packing packing
    cdef bint learning
    cdef list names
    cdef list texts
    cdef object weights
    cdef object found         # for each name its id, or UNASKED
    cdef object signed        # for each name the sign of its hash
    cdef object coded         # for each text its code, or UNASKED

    def __init__(
        self, Encoder encoder, list names, Py_ssize_t n_rows, Py_ssize_t room, bint learning, weights,
        list texts=None
    ):
        """`n_rows` rows, and at most `room` entries in all."""
        check_weights(encoder.who, n_rows, weights)
        self.encoder, self.names, self.texts, self.learning = encoder, names, texts, learning
        self.packing, self.weights = Packing(encoder, n_rows, room, learning), weights
        self.found, self.signed = np.full(len(names), UNASKED, dtype=np.int32), np.ones(len(names))
        if texts is not None:
            self.coded = np.full(len(texts), UNASKED, dtype=np.int32)

    def add(self, which, values, starts, text_of=None):
        """Append the rows whose entries begin at `starts`."""
        cdef Py_ssize_t i, row, first, n_rows = len(starts) - 1, before = self.packing.row
        cdef Encoder encoder = self.encoder
        cdef Packing packing = self.packing
        cdef list names = self.names, texts = self.texts
        cdef int32_t* ids = int32s(self.found)
        cdef double* signs = doubles(self.signed)
        starts = np.ascontiguousarray(starts, dtype=np.int64)
        cdef const int64_t* start = int64s(starts)
        which = np.ascontiguousarray(which, dtype=np.int64)
        cdef const int64_t* at = int64s(which)
        values = np.ascontiguousarray(values, dtype=np.float64)
        cdef const double* given = doubles(values)
        cdef int32_t* codes = int32s(self.coded)
        cdef const int64_t* text_at = NULL
        if texts is not None:
            text_of = np.ascontiguousarray(text_of, dtype=np.int64)
            text_at = int64s(text_of)
        cdef const double* importance = doubles(self.weights)
        cdef NewFeatures new_features = ALL if self.learning else KNOWN
        cdef int32_t id, code
        for row in range(n_rows):
            encoder.row = before + row
            first = packing.kept
            if self.learning and importance != NULL:
                new_features = ALL if importance[before + row] > 0.0 else MET
            for i in range(start[row], start[row + 1]):
                id = ids[at[i]]
                if id == UNASKED:
                    if text_at == NULL:
                        id = encoder.lookup(names[at[i]], None, new_features, &signs[at[i]])
                    else:
                        id = encoder.lookup_nominal(names[at[i]], text_at[i] >= 0, new_features)
                    if id >= 0 or not self.learning:
                        ids[at[i]] = id
                if id < 0:
                    continue
                if text_at == NULL or text_at[i] < 0:
                    packing.put(id, given[i] * signs[at[i]], NUMBER)
                    continue
                code = codes[text_at[i]]
                if code == UNASKED:
                    code = encoder.code(id, texts[text_at[i]], new_features)
                    if code >= 0 or (code != MISSING and not self.learning):
                        codes[text_at[i]] = code
                if code != MISSING:
                    packing.put(id, code, code)
            if text_at == NULL:
                packing.kept = first + merge_repeats(
                    packing.ids + first, packing.values + first, packing.kept - first)
            packing.end_row(new_features)

    def rows(self):
        """The source of all rows."""
        return self.packing.rows()


def pack(Encoder encoder, list names, which, values, starts, bint learning, weights):
    """All rows in one piece (`Cells`)."""
    cells = Cells(encoder, names, len(starts) - 1, len(values), learning, weights)
    cells.add(which, values, starts)
    return cells.rows()


def named_sparse_rows(Encoder encoder, block, bint learning, weights):
    """A source for a `SparseBlock`."""
    if encoder.bits >= 0:
        return hashed_rows(encoder, block, learning)
    if encoder.nominal and encoder.codes_numbers():
        return mapping_rows(encoder, list(block.mappings()), learning, weights)
    names, which = block.distinct()
    packed = pack(encoder, names, which, block.values, block.starts, learning, weights)
    return refuse_infinite(encoder, packed, block)


def hashed_rows(Encoder encoder, block, bint learning):
    """A source for a `SparseBlock` whose hashes give the slots; collisions in a row are added.

    A hash table finds the slots that the current row already has. Its cells hold (row + 1, index in
    the row), so that those of earlier rows count as empty, and it need not be cleared.
    """
    cdef Py_ssize_t n_rows = len(block), n = len(block.values), i, row, kept = 0, first
    cdef Py_ssize_t size = 64, longest = 0
    cdef uint64_t key = seed_key(encoder.seed), slots = (<uint64_t> 1 << encoder.bits) - 1, h, at, bits
    cdef uint64_t flip = 0 if encoder.unsigned else <uint64_t> 1 << 63
    cdef int64_t cell
    cdef int32_t slot
    cdef double x
    ids, values = np.empty(n, dtype=np.int32), np.empty(n)
    starts = np.zeros(n_rows + 1, dtype=np.int64)
    cdef int32_t* id = int32s(ids)
    cdef double* value = doubles(values)
    cdef int64_t* start = int64s(starts)
    cdef const int64_t* old = int64s(block.starts)
    cdef const double* given = doubles(block.values)
    cdef const uint64_t* hashes = uint64s(block.hashes)
    cdef int64_t* table
    for row in range(n_rows):
        longest = max(longest, old[row + 1] - old[row])
    while size < 16 * longest and size < 1024 or size < 2 * longest:  # few collisions, but still in the cache
        size *= 2
    table = <int64_t*> resize(NULL, 0, size * sizeof(int64_t))
    with nogil:
        for row in range(n_rows):
            first = kept
            for i in range(old[row], old[row + 1]):
                h = mix(hashes[i] ^ key)
                slot = <int32_t> (h & slots)
                memcpy(&bits, given + i, sizeof(double))
                bits ^= h & flip  # times the sign, branch-free
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
    packed = Packed(encoder, ids[:kept], values[:kept], starts, None, learning)
    return refuse_infinite(encoder, packed, block)


cdef object refuse_infinite(Encoder encoder, Packed packed, block):
    """`packed`, if all values are finite."""
    if packed.peak == INFINITY:
        at = int(np.argmin(np.isfinite(block.values)))
        row = int(np.searchsorted(block.starts, at, side="right")) - 1
        name = bytes(block.names[block.name_starts[at]:block.name_starts[at + 1]]).decode()
        encoder.bad_value(name, float(block.values[at]), row)
    return packed


def distinct_names(block):
    """For each entry the index of its name, and for each name the first entry that has it."""
    cdef Py_ssize_t n = len(block.values), i, size = 1024, found = 0
    name_starts, names = block.named()  # keeps them alive: another thread may replace the block's own
    cdef const uint64_t* hashes = uint64s(block.hashes)
    cdef const int64_t* at = int64s(name_starts)
    cdef const char* text = <const char*> data_of(names)
    cdef int64_t* table
    cdef uint64_t h
    cdef int64_t other
    which, firsts = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    cdef int64_t* out = int64s(which)
    cdef int64_t* first = int64s(firsts)
    while size < 2 * n:
        size *= 2
    table = <int64_t*> resize(NULL, 0, size * sizeof(int64_t))  # 1 + index of a name; 0: empty
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


def mapping_rows(Encoder encoder, rows, bint learning, weights):
    """A source for a list of mappings, each read as `learn_one` would."""
    rows = list(rows)  # our copy: another thread may shorten the list
    check_weights(encoder.who, len(rows), weights)
    cdef Py_ssize_t i, j, features, values
    cdef Packing packing = Packing(encoder, len(rows), 0, learning)
    cdef RowBuffer* row = encoder.acquire_row(16, 0)
    cdef Example e
    cdef NewFeatures new_features = ALL if learning else KNOWN
    try:
        for i in range(len(rows)):
            encoder.row = i
            if learning and weights is not None:
                new_features = ALL if weights[i] > 0.0 else MET
            x = rows[i]
            features, values = encoder.width_after_commit(ALL), len(encoder.new_values)
            try:
                if type(x) is not dict or encoder.read(x, new_features, row, &e):
                    encoder.drop(features, values)  # roll back what this row brought so far
                    x = encoder.coerce(x)
                    if type(x) is not dict:
                        raise TypeError(f"{encoder.who}: X must be mappings throughout, got an array.")
                    encoder.read(x, new_features, row, &e)
            except (TypeError, ValueError) as error:
                raise in_row(error, encoder.who, i) from None
            if packing.kept + e.n > packing.room:
                packing.grow(roomier(packing.room, packing.kept + e.n))
            for j in range(e.n):
                packing.put(
                    feature(&e, j), e.values[j],
                    e.codes[j] if e.codes != NULL else NUMBER)
            packing.end_row(new_features)
        return packing.rows()
    finally:
        encoder.release_row(row)
