"""The window of nearest-neighbour learners: the search among the latest examples."""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from cpython.pythread cimport PyThread_get_thread_ident
from libc.math cimport INFINITY, NAN, sqrt
from libc.stdint cimport int64_t
from libc.string cimport memset

import numpy as np

from ..core.example cimport FAILED, LEARNED, NO_MEMORY, feature
from ._examples cimport Examples
from ._found cimport enter, farthest, found_free, found_start, may_enter
from ._leaves cimport LEAF, MIXED, leaves_build, leaves_bytes, leaves_free
from ._rows cimport row_make, row_sizes, row_squares
from ._sieve cimport (
    ASKED,
    FEWEST,
    GROUP,
    NARROWEST,
    WIDEST,
    Sieve,
    sieve_ask,
    sieve_free,
    sieve_holds,
    sieve_make,
    sieve_multiply,
    sieve_take,
)
from ._tiles cimport ABSENT, TILE, code_at, number_at
from ._value_difference cimport value_differences


cdef extern from "distance.h" nogil:
    void onstream_squares(double* out, const double* block, Py_ssize_t stride, const double* x,
                          const double* s, Py_ssize_t d, Py_ssize_t n, double limit)
    void onstream_sizes(double* out, const double* block, Py_ssize_t stride, const double* x,
                        const double* s, Py_ssize_t d, Py_ssize_t n, double limit)
    void onstream_mismatches(double* out, const int32_t* codes, Py_ssize_t stride,
                             const int32_t* x, Py_ssize_t c, Py_ssize_t n)
    void onstream_square_bounds(double* out, const double* low, const double* high,
                                Py_ssize_t stride, const double* x, const double* s, Py_ssize_t d,
                                Py_ssize_t n)
    void onstream_size_bounds(double* out, const double* low, const double* high,
                              Py_ssize_t stride, const double* x, const double* s, Py_ssize_t d,
                              Py_ssize_t n)
    void onstream_mismatch_bounds(double* out, const int32_t* only, Py_ssize_t stride,
                                  const int32_t* x, int32_t mixed, Py_ssize_t c, Py_ssize_t n)
    void onstream_angles(double* dots, double* lengths, const double* block, Py_ssize_t stride,
                         const double* x, const double* o, const double* s, Py_ssize_t d,
                         Py_ssize_t n)
    void onstream_nominal_angles(double* dots, double* lengths, const int32_t* codes,
                                 Py_ssize_t stride, const int32_t* x, int32_t absent, Py_ssize_t c,
                                 Py_ssize_t n)

cdef enum:
    SPARE = 8     # bounds behind the last that may be written
    ABREAST = 16  # points measured at a time
    LONG = 4096   # examples from which on an index pays


cdef class Window(Examples):
    def __cinit__(self, Py_ssize_t room, metric, scale, Py_ssize_t k, weights, ties):
        self.k, self.by_distance = k, weights == "distance"
        self.all_ties = ties == "all"
        self.indexed = metric in ("euclidean", "manhattan")
        self.function = metric if callable(metric) else None
        self.failures = {}
        words = {"euclidean": EUCLIDEAN, "manhattan": MANHATTAN, "cosine": COSINE}
        self.metric = CALLABLE if callable(metric) else words[metric]

    def __dealloc__(self):
        leaves_free(&self.leaves)

    cdef void compare_by(self, const int32_t* labels) noexcept:
        """Nominal values are as far apart as the labels (of each slot) that come with them."""
        self.labels = labels
        self.indexed = False  # boxes know only whether values differ
        self.tiles_only = True

    cdef int search(self, const Example* e, Query* q) noexcept nogil:
        """The neighbours that vote: LEARNED, NO_MEMORY or FAILED; call `close` in any case."""
        cdef int status = self.open(e, q)
        return status if status != LEARNED else self.nearest(q)

    cdef int search_rows(
        self, Source source, Py_ssize_t start, Py_ssize_t n, Query* queries,
    ) noexcept nogil:
        """The same for n rows: each finds what `search` would. Call `close` for each in any case."""
        cdef Example e
        cdef Py_ssize_t i
        cdef int status = LEARNED, one
        e.codes = NULL
        for i in range(n):
            source.row(start + i, &e)
            one = self.open(&e, &queries[i])
            status = status if status != LEARNED else one
        if status != LEARNED:
            return status
        if self.metric != CALLABLE and self.leaves.n == 0:
            return self.scan(queries, n)
        for i in range(n):
            status = self.nearest(&queries[i])
            if status != LEARNED:
                return status
        return LEARNED

    cdef int open(self, const Example* e, Query* q) noexcept nogil:
        """Make a query of an example: LEARNED or NO_MEMORY."""
        cdef Py_ssize_t i, j, d = self.tiles.d, c = self.tiles.c
        found_start(&q.f, min(self.k, self.n), self.all_ties)
        q.x, q.row.entries, q.apart = q.few, NULL, NULL
        if self.rows != NULL:
            return LEARNED if row_make(&q.row, e, self.width) == 0 else NO_MEMORY
        if 2 * d + c > 2 * NARROW:
            q.x = <double*> PyMem_RawMalloc(d * sizeof(double) + c * sizeof(int32_t))
            if q.x == NULL:
                return NO_MEMORY
        q.codes = <int32_t*> (q.x + d)
        memset(q.x, 0, d * sizeof(double))
        for j in range(c):
            q.codes[j] = ABSENT
        for i in range(e.n):
            j = feature(e, i)
            if j < self.width:
                j = self.column[j]
                if j >= 0:
                    q.x[j] = e.values[i]
                else:
                    q.codes[~j] = e.codes[i]
        if self.labels != NULL and c and self.n:
            q.apart = <double*> PyMem_RawMalloc(self.room * sizeof(double))
            if q.apart == NULL or value_differences(
                &self.tiles, q.codes, self.labels, self.weight, self.first, self.n, self.room,
                self.metric == EUCLIDEAN, q.apart,
            ) != 0:
                return NO_MEMORY
        if self.metric == COSINE:
            q.length = 0.0
            for j in range(d):
                q.x[j] = (q.x[j] - self.offset[j]) * self.factor[j]
                q.length += q.x[j] * q.x[j]
            for j in range(c):
                q.length += q.codes[j] != ABSENT
        return LEARNED

    cdef int nearest(self, Query* q) noexcept nogil:
        """The k nearest, at equal distance the oldest first: LEARNED, NO_MEMORY or FAILED."""
        cdef Py_ssize_t opened
        cdef int status
        if q.f.k == 0:
            return LEARNED
        if self.metric == CALLABLE:
            return self.ask(q)
        if self.leaves.n == 0:
            return self.scan(q, 1)
        status = self.look_up(q, &opened)
        self.settle(q)
        return status

    cdef void settle(self, Query* q) noexcept nogil:
        """Distances out of what was compared."""
        cdef Py_ssize_t i
        if self.metric == EUCLIDEAN:
            for i in range(q.f.n):
                q.f.distances[i] = sqrt(q.f.distances[i])

    cdef int scan(self, Query* queries, Py_ssize_t n) noexcept nogil:
        """The nearest by the distances to all examples: LEARNED or NO_MEMORY. Tile after tile is
        compared with all queries, so that it is read once."""
        cdef Py_ssize_t age = 0, start, piece, i
        if self.rows != NULL:
            for i in range(n):
                if self.scan_rows(&queries[i]) != 0:
                    return NO_MEMORY
                self.settle(&queries[i])
            return LEARNED
        if self.metric == EUCLIDEAN and n >= FEWEST and NARROWEST <= self.tiles.d <= WIDEST:
            if self.scan_sieved(queries, n) != 0:
                return NO_MEMORY
        else:
            while age < self.n:  # from the oldest
                start, piece = self.slot(age), self.piece(age)
                for i in range(n):
                    if self.scan_piece(&queries[i], start, piece) != 0:
                        return NO_MEMORY
                age += piece
        for i in range(n):
            self.settle(&queries[i])
        return LEARNED

    cdef Py_ssize_t piece(self, Py_ssize_t age) noexcept nogil:
        """How many examples, from number `age` on, stand one behind the other in one tile."""
        cdef Py_ssize_t start = self.slot(age)
        return min(min(TILE - start % TILE, self.room - start), self.n - age)

    cdef int scan_sieved(self, Query* queries, Py_ssize_t n) noexcept nogil:
        """Let in what is near, for many questions: 0, or -1 without memory. What a question cannot
        let in is told by the products of many with many, and its distances are not summed up."""
        cdef Sieve sieve
        cdef Py_ssize_t age = 0, i
        # Seen from the first question, numbers are small where they are much alike.
        cdef int status = sieve_make(&sieve, self.tiles.d, n, queries[0].x, self.factor)
        if status == 0:
            for i in range(n):
                sieve_ask(&sieve, i, queries[i].x)
        while status == 0 and age < self.n:  # from the oldest
            status = self.scan_sieved_piece(&sieve, queries, n, self.slot(age), self.piece(age))
            age += self.piece(age)
        sieve_free(&sieve)
        return status

    cdef int scan_sieved_piece(
        self, Sieve* sieve, Query* queries, Py_ssize_t n, Py_ssize_t start, Py_ssize_t piece,
    ) noexcept nogil:
        """The same among examples that stand in one tile."""
        cdef Py_ssize_t stop = start + piece, tile = start - start % TILE, end, i
        sieve_take(sieve, number_at(&self.tiles, 0, tile))
        while start < stop:  # group after group
            end = min(start - start % GROUP + GROUP, stop)
            for i in range(n):
                if i % ASKED == 0:
                    sieve_multiply(sieve, i, start % TILE - start % GROUP)
                if sieve_holds(sieve, i, start % TILE - start % GROUP, farthest(&queries[i].f)):
                    if self.scan_piece(&queries[i], start, end - start) != 0:
                        return -1
            start = end
        return 0

    cdef int scan_rows(self, Query* q) noexcept nogil:
        """Let in what is near of the rows: 0, or -1 without memory."""
        cdef Py_ssize_t age, slot
        cdef double v
        for age in range(self.n):
            slot = self.slot(age)
            if self.metric == EUCLIDEAN:
                v = row_squares(&q.row, &self.rows[slot], self.column, self.factor)
            else:
                v = row_sizes(&q.row, &self.rows[slot], self.column, self.factor)
            if may_enter(&q.f, v) and enter(&q.f, slot, v, False) != 0:
                return -1
        return 0

    cdef int scan_piece(self, Query* q, Py_ssize_t start, Py_ssize_t n) noexcept nogil:
        """Let in what is near of n examples that stand in one tile: 0, or -1 without memory."""
        cdef double out[TILE]
        cdef Py_ssize_t i, before = start % ABREAST  # measuring may begin before them
        cdef double far = farthest(&q.f)
        self.measure(
            q, number_at(&self.tiles, 0, start - before), code_at(&self.tiles, 0, start - before),
            n + before, out)
        if q.apart != NULL:
            for i in range(before, before + n):
                out[i] += q.apart[start - before + i]
        for i in range(before, before + n):
            if out[i] <= far and may_enter(&q.f, out[i]):
                if enter(&q.f, start - before + i, out[i], False) != 0:
                    return -1
                far = farthest(&q.f)
        return 0

    cdef void measure(
        self, const Query* q, const double* points, const int32_t* codes, Py_ssize_t n, double* out,
    ) noexcept nogil:
        """Distances to n points of a tile or leaf, Euclidean ones still squared; of what is farther
        than the k-th so far, no more than that."""
        cdef double lengths[TILE]
        cdef double v
        cdef Py_ssize_t i, d = self.tiles.d, c = self.tiles.c
        if self.metric == EUCLIDEAN:
            onstream_squares(out, points, TILE, q.x, self.factor, d, n, farthest(&q.f))
        elif self.metric == MANHATTAN:
            onstream_sizes(out, points, TILE, q.x, self.factor, d, n, farthest(&q.f))
        else:  # 1 - cos(x, point); 1 where one of them is 0
            onstream_angles(out, lengths, points, TILE, q.x, self.offset, self.factor, d, n)
            onstream_nominal_angles(out, lengths, codes, TILE, q.codes, ABSENT, c, n)
            for i in range(n):
                v = sqrt(q.length) * sqrt(lengths[i])
                out[i] = 1.0 - out[i] / v if v > 0.0 else 1.0
            return
        if c and q.apart == NULL:
            onstream_mismatches(out, codes, TILE, q.codes, c, n)

    # -- the index --------------------------------------------------------------------------------

    cdef void forget_index(self) noexcept nogil:
        leaves_free(&self.leaves)

    cdef void trim_index(self) noexcept nogil:
        if self.leaves.room and 2 * self.n < self.leaves.n * LEAF:
            leaves_free(&self.leaves)
            self.renewal = 0

    cdef void renew_index(self) noexcept nogil:
        if (
            self.n >= LONG and self.width and self.indexed and self.rows == NULL
            and self.count >= self.renewal
        ):
            self.build_index()

    cdef void build_index(self) noexcept nogil:
        """Build the index. Where it saves little (many features, evenly spread), there is none."""
        cdef Query q
        cdef Py_ssize_t i, j, at, opened, total = 0, d = self.tiles.d, c = self.tiles.c
        leaves_build(
            &self.leaves, &self.tiles, self.factor, self.first, self.n, self.room,
            self.count - self.n)
        self.renewal = self.count + max(256, self.n // 32)
        q.apart = NULL
        q.x = <double*> PyMem_RawMalloc(d * sizeof(double) + c * sizeof(int32_t))
        if self.leaves.n and q.x != NULL:
            q.codes = <int32_t*> (q.x + d)
            for i in range(8):  # try it with eight of the latest examples
                at = self.slot(self.n - 1 - i * 16)
                for j in range(d):
                    q.x[j] = number_at(&self.tiles, j, at)[0]
                for j in range(c):
                    q.codes[j] = code_at(&self.tiles, j, at)[0]
                found_start(&q.f, 5, False)
                self.look_up(&q, &opened)
                total += opened
            if 2 * total > 8 * self.leaves.n:
                leaves_free(&self.leaves)
                self.renewal = self.count + self.n
        PyMem_RawFree(q.x)

    cdef int look_up(self, Query* q, Py_ssize_t* opened) noexcept nogil:
        """The nearest by the index: leaves whose box is too far away are left out.

        LEARNED or NO_MEMORY. `opened`: leaves that were looked into.
        """
        cdef double out[LEAF]
        cdef Leaves* t = &self.leaves
        cdef Found* f = &q.f
        cdef int64_t oldest = self.count - self.n, number
        cdef Py_ssize_t i, leaf, best = 0, age, start, n
        cdef double limit, share = 1.0 / 64.0
        cdef double* bounds = <double*> PyMem_RawMalloc((t.n + SPARE) * sizeof(double))
        opened[0] = 0
        if bounds == NULL:
            return NO_MEMORY
        if self.metric == EUCLIDEAN:
            onstream_square_bounds(
                bounds, t.low, t.high, t.stride, q.x, self.factor, self.tiles.d, t.n)
        else:
            onstream_size_bounds(
                bounds, t.low, t.high, t.stride, q.x, self.factor, self.tiles.d, t.n)
        onstream_mismatch_bounds(bounds, t.only, t.stride, q.codes, MIXED, self.tiles.c, t.n)
        for leaf in range(1, t.n):
            if bounds[leaf] < bounds[best]:
                best = leaf
        limit = bounds[best]  # the nearest leaf first, then farther and farther ones
        while True:
            for leaf in range(t.n):
                if bounds[leaf] <= limit and not bounds[leaf] > farthest(f):
                    bounds[leaf] = NAN  # done
                    opened[0] += 1
                    self.measure(
                        q, t.points + leaf * LEAF * t.d, t.codes + leaf * LEAF * t.c, LEAF, out)
                    for i in range(LEAF):
                        number = t.numbers[leaf * LEAF + i]
                        if number < oldest or not enters_by_age(f, number - oldest, out[i]):
                            continue
                        if enter(f, number - oldest, out[i], True) != 0:
                            PyMem_RawFree(bounds)
                            return NO_MEMORY
            if share > 1.0:
                break
            limit = share * farthest(f)
            if limit == INFINITY:
                share = 1.0
            share *= 4.0
        PyMem_RawFree(bounds)
        for i in range(f.n):
            f.slots[i] = self.slot(f.slots[i])
        age = max(t.next - oldest, 0)
        while age < self.n:  # those that came after the index was built
            start, n = self.slot(age), self.piece(age)
            if self.scan_piece(q, start, n) != 0:
                return NO_MEMORY
            age += n
        return LEARNED

    def drop_index(self):
        """For measurements: scan all examples, however long the window."""
        self.indexed = False
        leaves_free(&self.leaves)

    # -- a function of the user -------------------------------------------------------------------

    cdef int ask(self, Query* q) noexcept with gil:
        """The nearest by the user's function of two arrays: LEARNED, NO_MEMORY or FAILED (see
        `refusal`). A nominal value is 0 in the query, and in the row 0 if it is the same, else 1."""
        cdef Py_ssize_t i, j, id, at
        cdef double v
        try:
            x = np.zeros(self.width)
            for id in range(self.width):
                j = self.column[id]
                if j >= 0:
                    x[id] = (q.x[j] - self.offset[j]) * self.factor[j]
            for i in range(self.n):
                at = self.slot(i)
                row = np.zeros(self.width)
                for id in range(self.width):
                    j = self.column[id]
                    if j >= 0:
                        row[id] = (number_at(&self.tiles, j, at)[0] - self.offset[j]) * self.factor[j]
                    else:
                        row[id] = code_at(&self.tiles, ~j, at)[0] != q.codes[~j]
                v = self.function(x.copy(), row)
                if not v >= 0.0:
                    raise ValueError(f"the metric gave {v!r}; a distance must be at least 0.")
                if may_enter(&q.f, v) and enter(&q.f, at, v, False) != 0:
                    return NO_MEMORY
            return LEARNED
        except BaseException as error:
            self.failures[PyThread_get_thread_ident()] = error
            return FAILED

    def refusal(self):
        """What the user's function has raised in this thread."""
        return self.failures.pop(PyThread_get_thread_ident())

    cdef Py_ssize_t bytes(self):
        return Examples.bytes(self) + leaves_bytes(&self.leaves)


cdef void close(Query* q) noexcept nogil:
    """Give back the memory of a query."""
    if q.x != q.few:
        PyMem_RawFree(q.x)
    PyMem_RawFree(q.row.entries)
    PyMem_RawFree(q.apart)
    found_free(&q.f)


cdef inline bint enters_by_age(const Found* f, Py_ssize_t age, double distance) noexcept nogil:
    """Does an example count that may be older than some that were found?"""
    if f.n < f.k or distance < f.distances[f.k - 1]:
        return True
    return distance == f.distances[f.k - 1] and (f.all_ties or age < f.slots[f.k - 1])
