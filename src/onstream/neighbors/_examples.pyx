"""The latest examples: a ring of them, the scales of their numbers, and how they stand in memory.

They stand in tiles, or, where each has few of very many features, in rows. Distances are the same in
both, bit for bit, so that this is no part of what was learned.
"""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport fabs, sqrt

import numpy as np

from ..core.arrays cimport doubles, int32s
from ..core.example cimport NO_MEMORY, NUMBER, OVERFLOW, feature
from ..core.memory cimport release, resize, roomier
from ._extremes cimport Extreme, highest, lowest, range_add, range_drop, range_free, range_hold
from ._rows cimport Entry, entries_of, row_make
from ._tiles cimport (
    ABSENT,
    TILE,
    code_at,
    number_at,
    tiles_bytes,
    tiles_free,
    tiles_hold,
    tiles_widen,
)

cdef enum:
    WIDE = 512  # features from which on examples may be rows
    THIN = 16   # rows take less time and memory if one in so many features is there
    THICK = 4   # and tiles if one in so many is

LARGEST = 1e120
cdef double HEAVIEST = 1e100  # heavier examples are refused


cdef class Examples:
    def __cinit__(self, Py_ssize_t room, metric, scale, *rest):
        self.room = room
        self.scale = {None: UNSCALED, "minmax": MINMAX, "standard": STANDARD}[scale]
        # Elsewhere, what is 0 in two examples counts in their distance, or changes a scale.
        self.tiles_only = metric not in ("euclidean", "manhattan") or self.scale == STANDARD
        self.weight = <double*> resize(NULL, 0, room * sizeof(double))

    def __dealloc__(self):
        cdef Py_ssize_t i
        if self.ranges != NULL:
            for i in range(self.room_width):  # also of features that were not learned after all
                range_free(&self.ranges[i])
        if self.rows != NULL:
            for i in range(self.room):
                PyMem_RawFree(self.rows[i].entries)
        tiles_free(&self.tiles)
        PyMem_RawFree(self.rows)
        release(self.column)
        release(self.weight)
        release(self.offset)
        release(self.factor)
        release(self.mean)
        release(self.m2)
        release(self.ranges)

    # -- features ---------------------------------------------------------------------------------

    cdef int set_features(self, Py_ssize_t width, dict nominal) except -1:
        """Room for features 0 ... width-1; those in `nominal` are. To examples of the window, a
        new number was 0, and a new nominal value was left out."""
        cdef Py_ssize_t id, d = self.tiles.d, c = self.tiles.c, old, new, room
        if width <= self.width:
            return 0
        if width > self.room_width:
            room = roomier(self.room_width, width) if self.room_width else width
            old, new = self.room_width * sizeof(double), room * sizeof(double)
            self.offset = <double*> resize(self.offset, old, new)
            self.factor = <double*> resize(self.factor, old, new)
            if self.scale == STANDARD:
                self.mean = <double*> resize(self.mean, old, new)
                self.m2 = <double*> resize(self.m2, old, new)
            if self.scale == MINMAX:
                self.ranges = <Range*> resize(
                    self.ranges, self.room_width * sizeof(Range), room * sizeof(Range))
            self.column = <int32_t*> resize(
                self.column, self.room_width * sizeof(int32_t), room * sizeof(int32_t))
            self.room_width = room
        for id in range(self.width, width):
            if nominal and id in nominal:
                self.column[id] = <int32_t> ~c
                c += 1
            else:
                self.column[id] = <int32_t> d
                d += 1
        old = self.tiles.d
        tiles_widen(&self.tiles, d, c)
        for id in range(old, d):
            self.offset[id] = 0.0
            self.factor[id] = 1.0 if self.scale == UNSCALED else 0.0
            if self.scale == STANDARD:
                self.mean[id] = self.m2[id] = 0.0
        self.width = width
        self.forget_index()
        return 0

    cdef void shrink(self, Py_ssize_t width) noexcept:
        """Features from `width` on were not learned after all: the next ones may be of other kinds."""
        while self.width > width:
            self.width -= 1
            if self.column[self.width] < 0:
                self.tiles.c -= 1
            else:
                self.tiles.d -= 1
            self.forget_index()

    cdef Py_ssize_t slot(self, Py_ssize_t age) noexcept nogil:
        """Where example number `age` stands, the oldest being 0."""
        age += self.first
        return age - self.room if age >= self.room else age

    # -- in and out -----------------------------------------------------------------------------

    cdef Py_ssize_t remember(self, const Example* e) noexcept nogil:
        """Make the example the latest: its slot; if it is too large -OVERFLOW, if there is no room
        NO_MEMORY, and nothing changed."""
        cdef Py_ssize_t i, at
        if e.weight > HEAVIEST:
            return -OVERFLOW
        if e.peak > LARGEST:  # of this example, or of its whole block
            for i in range(e.n):
                if fabs(e.values[i]) > LARGEST:
                    return -OVERFLOW
        at = self.insert(e)
        if at >= 0:
            self.weight[at] = e.weight
        return at

    cdef Py_ssize_t insert(self, const Example* e) noexcept nogil:
        """Make the example the latest: its slot, or NO_MEMORY."""
        cdef Py_ssize_t at = self.first if self.n == self.room else self.slot(self.n), i, j
        cdef Py_ssize_t more = entries_of(e)
        cdef Row row, gone
        cdef double v
        # First everything that may lack memory.
        if self.scale == MINMAX:
            for i in range(e.n):
                j = self.column[feature(e, i)]
                if j >= 0 and e.values[i] != 0.0 and range_hold(&self.ranges[j]) != 0:
                    return NO_MEMORY
        self.choose_layout(more)
        if self.rows == NULL and tiles_hold(&self.tiles, at) != 0:
            return NO_MEMORY
        if self.rows != NULL and row_make(&row, e, self.width) != 0:
            return NO_MEMORY
        gone.entries, gone.n = NULL, 0
        if self.n == self.room:
            self.leave(&gone)
        if self.rows != NULL:
            self.rows[at] = row
        else:
            self.write(e, at)
        self.n += 1
        self.entries += more
        if self.scale == MINMAX:
            for i in range(e.n):
                j = self.column[feature(e, i)]
                if j >= 0 and e.values[i] != 0.0:
                    range_add(&self.ranges[j], e.values[i], <int32_t> at)
        if self.rows != NULL:
            self.rescale_row(at)
            if self.n > 1:  # what all had until now, it may lack
                self.rescale_row(self.slot(self.n - 2))
        elif self.scale == MINMAX:
            for j in range(self.tiles.d):
                self.rescale(j)
        elif self.scale == STANDARD:
            self.since += 1
            if self.since >= self.room:
                self.recount()
            else:
                for j in range(self.tiles.d):
                    v = number_at(&self.tiles, j, at)[0] - self.mean[j]
                    self.mean[j] += v / self.n
                    self.m2[j] += v * (number_at(&self.tiles, j, at)[0] - self.mean[j])
                    self.rescale(j)
        self.discard(&gone)
        self.count += 1
        self.renew_index()
        return at

    cdef void write(self, const Example* e, Py_ssize_t at) noexcept nogil:
        """Write the example into its tile."""
        cdef double* numbers = number_at(&self.tiles, 0, at)
        cdef int32_t* codes = code_at(&self.tiles, 0, at)
        cdef Py_ssize_t i, j
        for j in range(self.tiles.d):
            numbers[j * TILE] = 0.0
        for j in range(self.tiles.c):
            codes[j * TILE] = ABSENT
        for i in range(e.n):
            j = self.column[feature(e, i)]
            if j >= 0:
                numbers[j * TILE] = e.values[i]
            else:
                codes[~j * TILE] = e.codes[i]

    cdef void drop_oldest(self) noexcept nogil:
        cdef Row gone
        gone.entries, gone.n = NULL, 0
        self.leave(&gone)
        self.discard(&gone)

    cdef void discard(self, Row* gone) noexcept nogil:
        """Give back the memory of a row, and of ranges whose last value it had."""
        cdef Py_ssize_t i
        cdef Range* r
        for i in range(gone.n):
            if self.scale == MINMAX and gone.entries[i].code == NUMBER:
                r = &self.ranges[self.column[gone.entries[i].id]]
                if r.count == 0:
                    range_free(r)
        PyMem_RawFree(gone.entries)

    cdef void leave(self, Row* gone) noexcept nogil:
        """The oldest leaves the window. If it is a row, the caller must `discard` it."""
        cdef Py_ssize_t at = self.first, i, j
        cdef double v, mean
        self.first = self.first + 1 if self.first + 1 < self.room else 0
        self.n -= 1
        self.trim_index()
        if self.rows != NULL:
            self.entries -= self.rows[at].n
            if self.scale == MINMAX:
                for i in range(self.rows[at].n):
                    if self.rows[at].entries[i].code == NUMBER:
                        j = self.column[self.rows[at].entries[i].id]
                        range_drop(&self.ranges[j], <int32_t> at)
            self.rescale_row(at)
            if self.n:  # what all have that are left, it may have lacked
                self.rescale_row(self.slot(self.n - 1))
            gone[0] = self.rows[at]
            self.rows[at].entries, self.rows[at].n = NULL, 0
            return
        for j in range(self.tiles.c):
            self.entries -= code_at(&self.tiles, j, at)[0] != ABSENT
        for j in range(self.tiles.d):
            v = number_at(&self.tiles, j, at)[0]
            self.entries -= v != 0.0
            if self.scale == MINMAX:
                if v != 0.0:
                    range_drop(&self.ranges[j], <int32_t> at)
            elif self.scale == STANDARD:
                if self.n == 0:
                    self.mean[j] = self.m2[j] = 0.0
                    continue
                mean = self.mean[j] - (v - self.mean[j]) / self.n
                self.m2[j] = max(0.0, self.m2[j] - (v - self.mean[j]) * (v - mean))
                self.mean[j] = mean
            self.rescale(j)

    cdef void recount(self) noexcept nogil:
        """Means and variances from the examples, so that rounding does not add up."""
        cdef Py_ssize_t j, i
        cdef double sum, v
        for j in range(self.tiles.d):
            sum = 0.0
            for i in range(self.n):
                sum += number_at(&self.tiles, j, self.slot(i))[0]
            self.mean[j] = sum / self.n
            self.m2[j] = 0.0
            for i in range(self.n):
                v = number_at(&self.tiles, j, self.slot(i))[0] - self.mean[j]
                self.m2[j] += v * v
            self.rescale(j)
        self.since = 0

    cdef void rescale(self, Py_ssize_t j) noexcept nogil:
        """Offset and factor of column j; a constant one counts 0."""
        cdef double spread
        if self.scale == MINMAX:
            self.offset[j] = lowest(&self.ranges[j], self.n)
            spread = highest(&self.ranges[j], self.n) - self.offset[j]
            self.factor[j] = 1.0 / spread if spread > 1e-300 else 0.0
        elif self.scale == STANDARD and self.n:
            self.offset[j] = self.mean[j]
            spread = sqrt(self.m2[j] / self.n)
            # Rounding alone can leave a little spread.
            self.factor[j] = 1.0 / spread if spread > max(1e-300, 1e-12 * abs(self.mean[j])) else 0.0

    cdef void rescale_row(self, Py_ssize_t slot) noexcept nogil:
        """The same for the numbers of an example."""
        cdef Py_ssize_t i
        cdef const Row* row = &self.rows[slot]
        if self.scale == MINMAX:
            for i in range(row.n):
                if row.entries[i].code == NUMBER:
                    self.rescale(self.column[row.entries[i].id])

    # -- tiles or rows ----------------------------------------------------------------------------

    cdef bint is_thin(self, int64_t entries, Py_ssize_t n, Py_ssize_t width) noexcept nogil:
        """Do n examples with so many values in all have few of very many features?"""
        return width > WIDE and THIN * entries < n * width

    cdef void choose_layout(self, int64_t more) noexcept nogil:
        """Before an example with so many values comes. Distances are the same in both, bit for bit."""
        if self.rows == NULL:
            if not self.tiles_only and self.is_thin(self.entries + more, self.n + 1, self.width):
                self.to_rows()
        elif THICK * (self.entries + more) > (self.n + 1) * self.width:
            self.to_tiles()

    cdef void to_rows(self) noexcept nogil:
        """From tiles to rows, if there is memory."""
        cdef Py_ssize_t i, j
        cdef Row* rows = <Row*> PyMem_RawCalloc(self.room, sizeof(Row))
        if rows == NULL:
            return
        for i in range(self.n):
            if self.row_at(self.slot(i), &rows[self.slot(i)]) != 0:
                for j in range(self.room):
                    PyMem_RawFree(rows[j].entries)
                PyMem_RawFree(rows)
                return
        self.rows = rows
        tiles_free(&self.tiles)
        self.forget_index()

    cdef void to_tiles(self) noexcept nogil:
        """From rows to tiles, if there is memory."""
        cdef Py_ssize_t i, last = min(self.first + self.n, self.room - 1)
        for i in range(last // TILE + 1):
            if tiles_hold(&self.tiles, i * TILE) != 0:
                tiles_free(&self.tiles)
                return
        for i in range(self.n):
            self.put(&self.rows[self.slot(i)], self.slot(i))
        for i in range(self.room):
            PyMem_RawFree(self.rows[i].entries)
        PyMem_RawFree(self.rows)
        self.rows = NULL

    cdef int row_at(self, Py_ssize_t slot, Row* row) noexcept nogil:
        """The example of a tile as a row: 0, or -1 if there is no memory."""
        cdef Py_ssize_t id, j, n = 0
        cdef Entry* here
        for j in range(self.tiles.d):
            n += number_at(&self.tiles, j, slot)[0] != 0.0
        for j in range(self.tiles.c):
            n += code_at(&self.tiles, j, slot)[0] != ABSENT
        row.n = 0
        row.entries = <Entry*> PyMem_RawMalloc(max(1, n) * sizeof(Entry))
        if row.entries == NULL:
            return -1
        for id in range(self.width):
            j = self.column[id]
            if row.n == n:
                break
            here = row.entries + row.n
            here.id, here.code = <int32_t> id, NUMBER
            if j >= 0:
                here.value = number_at(&self.tiles, j, slot)[0]
                row.n += here.value != 0.0
            else:
                here.code = code_at(&self.tiles, ~j, slot)[0]
                here.value = here.code
                row.n += here.code != ABSENT
        return 0

    cdef void put(self, const Row* row, Py_ssize_t slot) noexcept nogil:
        """Write a row into its tile, where nothing stands."""
        cdef Py_ssize_t i, j
        for i in range(row.n):
            j = self.column[row.entries[i].id]
            if j >= 0:
                number_at(&self.tiles, j, slot)[0] = row.entries[i].value
            else:
                code_at(&self.tiles, ~j, slot)[0] = row.entries[i].code

    # -- an index over them, if there is one (see `Window`) ---------------------------------------

    cdef void forget_index(self) noexcept nogil:
        """Columns changed: there is none until it is next built."""

    cdef void renew_index(self) noexcept nogil:
        """An example came."""

    cdef void trim_index(self) noexcept nogil:
        """An example left."""

    def keep_tiles(self):
        """For measurements: tiles, however few of the features examples have."""
        self.tiles_only = True

    @property
    def in_rows(self):
        """Are examples kept as rows of few features?"""
        return self.rows != NULL

    # -- state ----------------------------------------------------------------------------------

    cdef dict export(self, Py_ssize_t width, dict nominal):
        """The first features of the examples, the oldest first, and what "standard" keeps of them.

        How they are written follows from what they are, not from how they stand in memory.
        """
        self.set_features(width, nominal)
        d = len([id for id in range(width) if self.column[id] >= 0])
        thin = self.is_thin(self.entries, self.n, width)
        told = self.export_rows() if thin else self.export_tiles(d, width - d)
        fields = {"examples": self.n, **told}
        if self.scale == STANDARD:
            sums = [[self.mean[j], self.m2[j]] for j in range(d)]
            fields["sums"], fields["since"] = np.array(sums).reshape(d, 2), self.since
        return fields

    def export_tiles(self, Py_ssize_t d, Py_ssize_t c):
        """Numbers and codes of all examples, feature by feature."""
        cdef Py_ssize_t i, j
        cdef Row row
        rows, codes = np.zeros((self.n, d)), np.full((self.n, c), ABSENT)
        for i in range(self.n):
            if self.rows == NULL:
                for j in range(d):
                    rows[i, j] = number_at(&self.tiles, j, self.slot(i))[0]
                for j in range(c):
                    codes[i, j] = code_at(&self.tiles, j, self.slot(i))[0]
                continue
            row = self.rows[self.slot(i)]
            for j in range(row.n):
                if row.entries[j].code == NUMBER:
                    rows[i, self.column[row.entries[j].id]] = row.entries[j].value
                else:
                    codes[i, ~self.column[row.entries[j].id]] = row.entries[j].code
        return {"rows": rows, "codes": codes} if c else {"rows": rows}

    def export_rows(self):
        """Only what is not 0 and not left out; of a nominal value the code."""
        cdef Py_ssize_t i, j
        cdef Row row
        starts, ids, values = [0], [], []
        for i in range(self.n):
            if self.rows != NULL:
                row = self.rows[self.slot(i)]
            elif self.row_at(self.slot(i), &row) != 0:
                raise MemoryError("onstream: no memory for an example")
            ids += [row.entries[j].id for j in range(row.n)]
            values += [row.entries[j].value for j in range(row.n)]
            starts.append(len(ids))
            if self.rows == NULL:
                PyMem_RawFree(row.entries)
        return {
            "starts": np.array(starts, dtype=np.int64), "ids": np.array(ids, dtype=np.int64),
            "values": np.array(values, dtype=np.float64),
        }

    def weights(self):
        """Of the examples, the oldest first."""
        return np.array([self.weight[self.slot(i)] for i in range(self.n)], dtype=np.float64)

    cdef Py_ssize_t restore(
        self, object fields, Py_ssize_t width, dict nominal, Py_ssize_t seen,
    ) except -1:
        """Take over what `export` gave: how many examples there are, in slots 0, 1, ..."""
        cdef Py_ssize_t i, j
        cdef Example e
        n = fields.integer("examples", 0, min(self.room, seen))
        if seen > 0 and n == 0:
            raise ValueError("the window is empty")
        self.set_features(width, nominal)
        is_nominal = np.array([self.column[id] < 0 for id in range(width)], dtype=bool)
        given = self.read_tiles(fields, n, is_nominal) if fields.missing("starts") else (
            read_rows(fields, n, is_nominal))
        starts, ids, values, codes = given
        if values.size and np.abs(values).max() > LARGEST:
            raise ValueError("a value is too large")
        for i in range(n):
            e.ids, e.values = int32s(ids) + <Py_ssize_t> starts[i], doubles(values) + <Py_ssize_t> starts[i]
            e.codes = int32s(codes) + <Py_ssize_t> starts[i]
            e.n = starts[i + 1] - starts[i]
            if self.insert(&e) < 0:
                raise MemoryError("onstream: no memory for the examples of a window")
        if self.scale == STANDARD:
            d = self.tiles.d
            sums = fields.array("sums", (d, 2))
            if (sums[:, 1] < 0.0).any():
                raise ValueError("a variance is negative")
            for j in range(d):
                self.mean[j], self.m2[j] = sums[j]
                self.rescale(j)
            self.since = fields.integer("since", 0, self.room)
        return n

    def read_tiles(self, fields, n, is_nominal):
        """Starts, features, values and codes of what `export_tiles` gave."""
        width = len(is_nominal)
        values, codes = np.zeros((n, width)), np.full((n, width), NUMBER, dtype=np.int32)
        values[:, ~is_nominal] = fields.array("rows", (n, width - is_nominal.sum()))
        present = np.ones((n, width), dtype=bool)
        if is_nominal.any():
            codes[:, is_nominal] = fields.integers("codes", (n, is_nominal.sum()), ABSENT, 2**31 - 1)
            values[:, is_nominal] = codes[:, is_nominal]
            present[:, is_nominal] = codes[:, is_nominal] != ABSENT
        starts = np.r_[0, present.sum(axis=1).cumsum()]
        return starts, np.nonzero(present)[1].astype(np.int32), values[present], codes[present]

    def restore_weights(self, weights):
        """Take over what `weights` gave."""
        cdef Py_ssize_t i
        for i in range(self.n):
            self.weight[i] = weights[i]

    cdef Py_ssize_t bytes(self):
        cdef Py_ssize_t j
        held = tiles_bytes(&self.tiles) + self.room * sizeof(double)
        held += self.room_width * (sizeof(int32_t) + 2 * sizeof(double))
        if self.rows != NULL:
            held += self.room * sizeof(Row) + self.entries * sizeof(Entry)
        if self.scale == STANDARD:
            held += self.room_width * 2 * sizeof(double)
        if self.scale == MINMAX:
            held += self.room_width * sizeof(Range)
            for j in range(self.room_width):
                held += (self.ranges[j].low.room + self.ranges[j].high.room) * sizeof(Extreme)
        return held


def read_rows(fields, n, is_nominal):
    """Starts, features, values and codes of what `export_rows` gave."""
    ids = fields.integers("ids", (-1,), 0, len(is_nominal) - 1)
    starts = fields.integers("starts", (n + 1,), 0, len(ids))
    values = fields.array("values", (len(ids),))
    if starts[0] != 0 or starts[-1] != len(ids) or (np.diff(starts) < 0).any():
        raise ValueError("the examples do not fit together")
    rises = np.diff(ids) > 0
    rises[starts[1:-1][(starts[1:-1] > 0) & (starts[1:-1] < len(ids))] - 1] = True
    named = is_nominal[ids]
    codes = np.where(named, values, NUMBER)
    if not rises.all() or (codes != np.floor(codes)).any() or (codes[named] < 0.0).any():
        raise ValueError("an example is broken")
    if (codes >= 2**31).any():
        raise ValueError("a nominal value is too large")
    return starts, ids.astype(np.int32), values, codes.astype(np.int32)
