"""The window of nearest-neighbour learners: a ring of examples, their scales, and the search."""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport INFINITY, NAN, sqrt
from libc.stdint cimport int64_t
from libc.string cimport memset

import numpy as np

from ..core.arrays cimport doubles
from ..core.example cimport feature
from ..core.memory cimport release, resize
from .leaves cimport LEAF, leaves_build, leaves_bytes, leaves_free


cdef extern from "distance.h" nogil:
    void onstream_squares(double* out, const double* block, Py_ssize_t stride, const double* x,
                          const double* s, Py_ssize_t d, Py_ssize_t n)
    void onstream_sizes(double* out, const double* block, Py_ssize_t stride, const double* x,
                        const double* s, Py_ssize_t d, Py_ssize_t n)
    void onstream_square_bounds(double* out, const double* low, const double* high, Py_ssize_t stride,
                                const double* x, const double* s, Py_ssize_t d, Py_ssize_t n)
    void onstream_size_bounds(double* out, const double* low, const double* high, Py_ssize_t stride,
                              const double* x, const double* s, Py_ssize_t d, Py_ssize_t n)
    void onstream_angles(double* dots, double* lengths, const double* block, Py_ssize_t stride,
                         const double* x, const double* o, const double* s, Py_ssize_t d,
                         Py_ssize_t n)

cdef enum:
    CHUNK = 64   # points measured at a time
    SPARE = 8    # numbers behind the block that may be read
    LONG = 4096  # examples from which on an index is worth its while


cdef class Window:
    def __cinit__(self, Py_ssize_t room, metric, scale):
        self.room = room
        self.stride = room + SPARE
        self.n = self.first = self.d = 0
        self.since = self.count = self.renewal = 0
        self.indexed = metric in ("euclidean", "manhattan")
        self.leaves.n = self.leaves.room = self.leaves.d = 0
        self.leaves.numbers, self.leaves.points = NULL, NULL
        self.leaves.low, self.leaves.high = NULL, NULL
        self.function = metric if callable(metric) else None
        self.failure = None
        words = {"euclidean": EUCLIDEAN, "manhattan": MANHATTAN, "cosine": COSINE}
        self.metric = CALLABLE if callable(metric) else words[metric]
        self.scale = {None: PLAIN, "minmax": MINMAX, "standard": STANDARD}[scale]
        self.block = self.offset = self.factor = self.mean = self.m2 = NULL
        self.low = self.high = NULL

    def __dealloc__(self):
        cdef Py_ssize_t j
        if self.low != NULL:
            for j in range(self.d):
                release(self.low[j].slots)
                release(self.high[j].slots)
        release(self.block)
        release(self.offset)
        release(self.factor)
        release(self.mean)
        release(self.m2)
        release(self.low)
        release(self.high)
        leaves_free(&self.leaves)

    cdef int set_features(self, Py_ssize_t d) except -1:
        """Room for d features. To examples of the window, a new one was 0."""
        cdef Py_ssize_t j, old = self.d * sizeof(double), new = d * sizeof(double)
        if d <= self.d:
            return 0
        self.block = <double*> resize(
            self.block, (self.d * self.stride + SPARE if self.d else 0) * sizeof(double),
            (d * self.stride + SPARE) * sizeof(double))
        self.offset = <double*> resize(self.offset, old, new)
        self.factor = <double*> resize(self.factor, old, new)
        self.mean = <double*> resize(self.mean, old, new)
        self.m2 = <double*> resize(self.m2, old, new)
        if self.scale == MINMAX:
            self.low = <Queue*> resize(self.low, self.d * sizeof(Queue), d * sizeof(Queue))
            self.high = <Queue*> resize(self.high, self.d * sizeof(Queue), d * sizeof(Queue))
            for j in range(self.d, d):
                self.low[j].slots = <int32_t*> resize(NULL, 0, self.room * sizeof(int32_t))
                self.high[j].slots = <int32_t*> resize(NULL, 0, self.room * sizeof(int32_t))
                if self.n:
                    self.low[j].slots[0] = self.high[j].slots[0] = <int32_t> self.slot(self.n - 1)
                    self.low[j].n = self.high[j].n = 1
        for j in range(self.d, d):
            self.factor[j] = 1.0 if self.scale == PLAIN else 0.0
        self.d = d
        leaves_free(&self.leaves)  # until it is made anew in its turn
        return 0

    cdef Py_ssize_t slot(self, Py_ssize_t age) noexcept nogil:
        """Where example number `age` stands, the oldest being 0."""
        age += self.first
        return age - self.room if age >= self.room else age

    # -- in and out -------------------------------------------------------------------------------

    cdef Py_ssize_t insert(self, const Example* e) noexcept nogil:
        """The example becomes the latest; where it stands."""
        cdef Py_ssize_t at, j, i
        cdef double v
        if self.n == self.room:
            self.drop_oldest()
        at = self.slot(self.n)
        for j in range(self.d):
            self.block[j * self.stride + at] = 0.0
        for i in range(e.n):
            j = feature(e, i)
            self.block[j * self.stride + at] = e.values[i]
        self.n += 1
        if self.scale == MINMAX:
            for j in range(self.d):
                push(&self.low[j], self.block + j * self.stride, <int32_t> at, 1.0, self.room)
                push(&self.high[j], self.block + j * self.stride, <int32_t> at, -1.0, self.room)
                self.rescale(j)
        elif self.scale == STANDARD:
            self.since += 1
            if self.since >= self.room:
                self.recount()
            else:
                for j in range(self.d):
                    v = self.block[j * self.stride + at] - self.mean[j]
                    self.mean[j] += v / self.n
                    self.m2[j] += v * (self.block[j * self.stride + at] - self.mean[j])
                    self.rescale(j)
        self.count += 1
        if self.n >= LONG and self.d and self.indexed and self.count >= self.renewal:
            self.make_leaves()
        return at

    cdef void drop_oldest(self) noexcept nogil:
        cdef Py_ssize_t at = self.first, j
        cdef double v, mean
        self.first = self.first + 1 if self.first + 1 < self.room else 0
        self.n -= 1
        if self.leaves.room and 2 * self.n < self.leaves.n * LEAF:
            leaves_free(&self.leaves)
            self.renewal = 0
        for j in range(self.d):
            if self.scale == MINMAX:
                pop(&self.low[j], <int32_t> at, self.room)
                pop(&self.high[j], <int32_t> at, self.room)
            elif self.scale == STANDARD:
                if self.n == 0:
                    self.mean[j] = self.m2[j] = 0.0
                    continue
                v = self.block[j * self.stride + at]
                mean = self.mean[j] - (v - self.mean[j]) / self.n
                self.m2[j] = max(0.0, self.m2[j] - (v - self.mean[j]) * (v - mean))
                self.mean[j] = mean
            self.rescale(j)

    cdef void recount(self) noexcept nogil:
        """Means and variances anew, so that rounding does not add up."""
        cdef Py_ssize_t j, i
        cdef double sum, v
        for j in range(self.d):
            sum = 0.0
            for i in range(self.n):
                sum += self.block[j * self.stride + self.slot(i)]
            self.mean[j] = sum / self.n
            self.m2[j] = 0.0
            for i in range(self.n):
                v = self.block[j * self.stride + self.slot(i)] - self.mean[j]
                self.m2[j] += v * v
            self.rescale(j)
        self.since = 0

    cdef void rescale(self, Py_ssize_t j) noexcept nogil:
        """A feature that is constant counts 0."""
        cdef const double* column = self.block + j * self.stride
        cdef double spread
        if self.scale == MINMAX and self.n:
            self.offset[j] = column[self.low[j].slots[self.low[j].first]]
            spread = column[self.high[j].slots[self.high[j].first]] - self.offset[j]
            self.factor[j] = 1.0 / spread if spread > 1e-300 else 0.0
        elif self.scale == STANDARD and self.n:
            self.offset[j] = self.mean[j]
            spread = sqrt(self.m2[j] / self.n)
            # what rounding alone can leave is no spread
            self.factor[j] = 1.0 / spread if spread > max(1e-300, 1e-12 * abs(self.mean[j])) else 0.0

    # -- the search ---------------------------------------------------------------------------------

    cdef Py_ssize_t nearest(self, const Example* e, Py_ssize_t k, Py_ssize_t* slots, double* distances) noexcept nogil:
        """The k nearest, at equal distance the oldest first; how many there are. -1: no memory."""
        cdef double space[256]
        cdef double out[CHUNK + SPARE]
        cdef double lengths[CHUNK + SPARE]
        cdef double* x = space
        cdef Py_ssize_t j, i, found = -1, start, stop, at, part
        cdef double length = 0.0, far, v
        if self.d > 256:
            x = <double*> PyMem_RawMalloc(self.d * sizeof(double))
            if x == NULL:
                return -1
        memset(x, 0, self.d * sizeof(double))
        for i in range(e.n):
            j = feature(e, i)
            if j < self.d:
                x[j] = e.values[i]
        if self.metric == CALLABLE:
            found = self.by_function(x, k, slots, distances)
        elif self.leaves.n:
            found = self.by_leaves(x, k, slots, distances, &part)
        if found < 0:  # no index, or no memory to use it
            found = 0
            if self.metric == COSINE:
                for j in range(self.d):
                    x[j] = (x[j] - self.offset[j]) * self.factor[j]
                    length += x[j] * x[j]
            for part in range(2):  # the ring, from the oldest: up to the end, then from the start
                start = self.first if part == 0 else 0
                stop = min(self.first + self.n, self.room) if part == 0 else self.first + self.n - self.room
                while start < stop:
                    at = min(start + CHUNK, stop)
                    if self.metric != COSINE:
                        self.measure(x, self.block + start, self.stride, at - start, out)
                    else:
                        onstream_angles(
                            out, lengths, self.block + start, self.stride, x, self.offset, self.factor,
                            self.d, at - start)
                        for i in range(at - start):
                            v = sqrt(length) * sqrt(lengths[i])
                            out[i] = 1.0 - out[i] / v if v > 0.0 else 1.0
                    far = distances[k - 1] if found == k else INFINITY
                    for i in range(at - start):
                        if out[i] < far or found < k:
                            found = place(slots, distances, found, k, start + i, out[i])
                            far = distances[k - 1] if found == k else INFINITY
                    start = at
        if self.metric == EUCLIDEAN:
            for i in range(found):
                distances[i] = sqrt(distances[i])
        if x != space:
            PyMem_RawFree(x)
        return found

    cdef void measure(self, const double* x, const double* points, Py_ssize_t stride, Py_ssize_t n, double* out) noexcept nogil:
        """Distances from x to n points (Euclidean ones are still squared)."""
        if self.metric == EUCLIDEAN:
            onstream_squares(out, points, stride, x, self.factor, self.d, n)
        else:
            onstream_sizes(out, points, stride, x, self.factor, self.d, n)

    cdef void make_leaves(self) noexcept nogil:
        """The index, anew. Where it saves little (many features, evenly spread), there is none."""
        cdef Py_ssize_t slots[5]
        cdef double distances[5]
        cdef Py_ssize_t i, j, at, looked, total = 0
        cdef double* x
        leaves_build(
            &self.leaves, self.block, self.stride, self.d, self.factor, self.first, self.n, self.room,
            self.count - self.n)
        self.renewal = self.count + max(256, self.n // 32)
        x = <double*> PyMem_RawMalloc(self.d * sizeof(double))
        if self.leaves.n and x != NULL:
            for i in range(8):
                at = self.slot(self.n - 1 - i * 16)
                for j in range(self.d):
                    x[j] = self.block[j * self.stride + at]
                self.by_leaves(x, 5, slots, distances, &looked)
                total += looked
            if 2 * total > 8 * self.leaves.n:
                leaves_free(&self.leaves)
                self.renewal = self.count + self.n
        PyMem_RawFree(x)

    cdef Py_ssize_t by_leaves(self, const double* x, Py_ssize_t k, Py_ssize_t* slots, double* distances, Py_ssize_t* looked) noexcept nogil:
        """The same by the index: leaves whose box is too far away are left out. -1: no memory."""
        cdef double out[LEAF + SPARE]
        cdef int64_t oldest = self.count - self.n, number
        cdef Py_ssize_t i, leaf, best = 0, found = 0, start, n, n_leaves = self.leaves.n
        cdef double limit = 0.0, share = 1.0 / 64.0
        cdef double* bounds = <double*> PyMem_RawMalloc((n_leaves + SPARE) * sizeof(double))
        looked[0] = 0
        if bounds == NULL:
            return -1
        if self.metric == EUCLIDEAN:
            onstream_square_bounds(
                bounds, self.leaves.low, self.leaves.high, self.leaves.stride, x, self.factor, self.d, n_leaves)
        else:
            onstream_size_bounds(
                bounds, self.leaves.low, self.leaves.high, self.leaves.stride, x, self.factor, self.d, n_leaves)
        for leaf in range(1, n_leaves):
            if bounds[leaf] < bounds[best]:
                best = leaf
        limit = bounds[best]  # the nearest leaf first, then farther and farther ones
        while True:
            for leaf in range(n_leaves):
                if bounds[leaf] <= limit and not (found == k and bounds[leaf] > distances[k - 1]):
                    bounds[leaf] = NAN
                    looked[0] += 1
                    self.measure(x, self.leaves.points + leaf * LEAF * self.d, LEAF, LEAF, out)
                    for i in range(LEAF):
                        number = self.leaves.numbers[leaf * LEAF + i]
                        if number >= oldest and (found < k or out[i] <= distances[k - 1]):
                            found = place_by_age(slots, distances, found, k, number - oldest, out[i])
            if share > 1.0:
                break
            limit = share * distances[k - 1] if found == k else INFINITY
            if limit == INFINITY:
                share = 1.0
            share *= 4.0
        PyMem_RawFree(bounds)
        start = max(self.leaves.next - oldest, 0)
        while start < self.n:  # those that came after the index was made
            i = self.slot(start)
            n = min(LEAF, min(self.n - start, self.room - i))
            self.measure(x, self.block + i, self.stride, n, out)
            for i in range(n):
                if found < k or out[i] < distances[k - 1]:
                    found = place_by_age(slots, distances, found, k, start + i, out[i])
            start += n
        for i in range(found):
            slots[i] = self.slot(slots[i])
        return found

    cdef Py_ssize_t by_function(self, const double* x, Py_ssize_t k, Py_ssize_t* slots, double* distances) noexcept with gil:
        """The same by the user's function of two arrays."""
        cdef Py_ssize_t i, j, found = 0
        cdef double v
        try:
            q = np.array([(x[j] - self.offset[j]) * self.factor[j] for j in range(self.d)])
            for i in range(self.n):
                at = self.slot(i)
                row = np.array([
                    (self.block[j * self.stride + at] - self.offset[j]) * self.factor[j]
                    for j in range(self.d)
                ])
                v = self.function(q, row)
                if not v >= 0.0:
                    raise ValueError(f"the metric gave {v!r}; a distance must be at least 0.")
                if found < k or v < distances[k - 1]:
                    found = place(slots, distances, found, k, at, v)
        except BaseException as error:
            if self.failure is None:
                self.failure = error
            found = 0
        return found

    def leave_index(self):
        """For measurements: look at every example, however long the window."""
        self.indexed = False
        leaves_free(&self.leaves)

    # -- state ------------------------------------------------------------------------------------------

    def rows(self, Py_ssize_t d):
        """The examples, the oldest first, as an array."""
        cdef Py_ssize_t i, j
        out = np.zeros((self.n, d))
        cdef double* p = doubles(out)
        for i in range(self.n):
            for j in range(min(d, self.d)):
                p[i * d + j] = self.block[j * self.stride + self.slot(i)]
        return out

    def fill(self, rows):
        """These examples become the window."""
        cdef Py_ssize_t i
        cdef Example e
        rows = np.ascontiguousarray(rows)
        cdef Py_ssize_t n = rows.shape[0], d = rows.shape[1]
        cdef const double* p = doubles(rows)
        self.set_features(d)
        e.ids, e.n, e.codes = NULL, d, NULL
        for i in range(n):
            e.values = p + i * d
            self.insert(&e)

    def sums(self):
        """What "standard" keeps: means, sums of squares, and their age."""
        cdef Py_ssize_t j
        return np.array([[self.mean[j], self.m2[j]] for j in range(self.d)]).reshape(self.d, 2), self.since

    def set_sums(self, sums, since):
        cdef Py_ssize_t j
        for j in range(self.d):
            self.mean[j], self.m2[j] = sums[j]
            self.rescale(j)
        self.since = since

    def check(self):
        """Raise what the user's metric has raised."""
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure

    cdef Py_ssize_t bytes(self):
        held = (self.d * self.stride + SPARE + 4 * self.d) * sizeof(double) if self.d else 0
        if self.scale == MINMAX:
            held += self.d * 2 * (sizeof(Queue) + self.room * sizeof(int32_t))
        return held + leaves_bytes(&self.leaves)


cdef inline void push(Queue* q, const double* column, int32_t at, double sign, Py_ssize_t room) noexcept nogil:
    """A new value: those it outdoes leave."""
    cdef int32_t last
    while q.n:
        last = q.first + q.n - 1
        last = q.slots[last - room if last >= room else last]
        if sign * column[last] < sign * column[at]:
            break
        q.n -= 1
    last = q.first + q.n
    q.slots[last - room if last >= room else last] = at
    q.n += 1


cdef inline void pop(Queue* q, int32_t at, Py_ssize_t room) noexcept nogil:
    """The oldest example leaves the window."""
    if q.n and q.slots[q.first] == at:
        q.first = q.first + 1 if q.first + 1 < room else 0
        q.n -= 1


cdef Py_ssize_t place_by_age(Py_ssize_t* ages, double* distances, Py_ssize_t n, Py_ssize_t k, Py_ssize_t age, double distance) noexcept nogil:
    """Put a candidate into its place among the nearest so far; at equal distance by age."""
    cdef Py_ssize_t i = n if n < k else k - 1
    if n == k and distances[i] == distance and ages[i] < age:
        return n
    while i > 0 and (distances[i - 1] > distance or (distances[i - 1] == distance and ages[i - 1] > age)):
        distances[i], ages[i] = distances[i - 1], ages[i - 1]
        i -= 1
    distances[i], ages[i] = distance, age
    return n + 1 if n < k else k


cdef Py_ssize_t place(Py_ssize_t* slots, double* distances, Py_ssize_t n, Py_ssize_t k, Py_ssize_t slot, double distance) noexcept nogil:
    """Put a candidate into its place among the nearest so far; behind those at equal distance."""
    cdef Py_ssize_t i = n if n < k else k - 1
    while i > 0 and distances[i - 1] > distance:
        distances[i], slots[i] = distances[i - 1], slots[i - 1]
        i -= 1
    distances[i], slots[i] = distance, slot
    return n + 1 if n < k else k
