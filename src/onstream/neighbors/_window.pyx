"""The window of nearest-neighbour learners: a ring of examples, their scales, and the search."""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from cpython.pythread cimport PyThread_get_thread_ident
from libc.math cimport INFINITY, NAN, fabs, sqrt
from libc.stdint cimport int64_t
from libc.string cimport memset

import numpy as np

from ..core.arrays cimport doubles
from ..core.example cimport FAILED, LEARNED, NO_MEMORY, feature
from ..core.memory cimport release, resize
from ._leaves cimport LEAF, leaves_build, leaves_bytes, leaves_free


cdef extern from "distance.h" nogil:
    void onstream_squares(double* out, const double* block, Py_ssize_t stride, const double* x,
                          const double* s, Py_ssize_t d, Py_ssize_t n)
    void onstream_sizes(double* out, const double* block, Py_ssize_t stride, const double* x,
                        const double* s, Py_ssize_t d, Py_ssize_t n)
    void onstream_square_bounds(double* out, const double* low, const double* high,
                                Py_ssize_t stride, const double* x, const double* s, Py_ssize_t d,
                                Py_ssize_t n)
    void onstream_size_bounds(double* out, const double* low, const double* high,
                              Py_ssize_t stride, const double* x, const double* s, Py_ssize_t d,
                              Py_ssize_t n)
    void onstream_angles(double* dots, double* lengths, const double* block, Py_ssize_t stride,
                         const double* x, const double* o, const double* s, Py_ssize_t d,
                         Py_ssize_t n)

cdef enum:
    CHUNK = 64   # points measured at a time
    SPARE = 8    # numbers behind the block that may be read
    LONG = 4096  # examples from which on an index pays

LARGEST = 1e120
cdef double HEAVIEST = 1e100  # heavier examples are refused


cdef class Window:
    def __cinit__(self, Py_ssize_t room, metric, scale, Py_ssize_t k, weights):
        self.room, self.k, self.by_distance = room, k, weights == "distance"
        self.stride = room + SPARE
        self.indexed = metric in ("euclidean", "manhattan")
        self.function = metric if callable(metric) else None
        self.failures = {}
        words = {"euclidean": EUCLIDEAN, "manhattan": MANHATTAN, "cosine": COSINE}
        self.metric = CALLABLE if callable(metric) else words[metric]
        self.scale = {None: UNSCALED, "minmax": MINMAX, "standard": STANDARD}[scale]
        self.weight = <double*> resize(NULL, 0, room * sizeof(double))

    def __dealloc__(self):
        cdef Py_ssize_t j
        if self.low != NULL:
            for j in range(self.d):
                release(self.low[j].slots)
                release(self.high[j].slots)
        release(self.block)
        release(self.weight)
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
            self.factor[j] = 1.0 if self.scale == UNSCALED else 0.0
        self.d = d
        leaves_free(&self.leaves)  # until it is next built
        return 0

    cdef Py_ssize_t slot(self, Py_ssize_t age) noexcept nogil:
        """Where example number `age` stands, the oldest being 0."""
        age += self.first
        return age - self.room if age >= self.room else age

    # -- in and out -----------------------------------------------------------------------------

    cdef Py_ssize_t remember(self, const Example* e) noexcept nogil:
        """Make the example the latest: its slot; -1, and nothing changed, if it is too large."""
        cdef Py_ssize_t i, at
        if e.weight > HEAVIEST:
            return -1
        if e.peak > LARGEST:  # of this example, or of its whole block
            for i in range(e.n):
                if fabs(e.values[i]) > LARGEST:
                    return -1
        at = self.insert(e)
        self.weight[at] = e.weight
        return at

    cdef Py_ssize_t insert(self, const Example* e) noexcept nogil:
        """Make the example the latest: its slot."""
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
            self.build_index()
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
        """Means and variances from the examples, so that rounding does not add up."""
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
        """Offset and factor of feature j; a constant one counts 0."""
        cdef const double* column = self.block + j * self.stride
        cdef double spread
        if self.scale == MINMAX and self.n:
            self.offset[j] = column[self.low[j].slots[self.low[j].first]]
            spread = column[self.high[j].slots[self.high[j].first]] - self.offset[j]
            self.factor[j] = 1.0 / spread if spread > 1e-300 else 0.0
        elif self.scale == STANDARD and self.n:
            self.offset[j] = self.mean[j]
            spread = sqrt(self.m2[j] / self.n)
            # Rounding alone can leave a little spread.
            self.factor[j] = 1.0 / spread if spread > max(1e-300, 1e-12 * abs(self.mean[j])) else 0.0

    # -- the search -----------------------------------------------------------------------------

    cdef int search(self, const Example* e, Found* f) noexcept nogil:
        """The neighbours that vote: LEARNED, NO_MEMORY or FAILED; call `finish` in any case."""
        f.slots, f.distances = f.few_slots, f.few_distances
        f.k, f.n = min(self.k, self.n), 0
        if f.k > FEW:
            f.slots = <Py_ssize_t*> PyMem_RawMalloc(f.k * sizeof(Py_ssize_t))
            f.distances = <double*> PyMem_RawMalloc(f.k * sizeof(double))
            if f.slots == NULL or f.distances == NULL:
                return NO_MEMORY
        return self.nearest(e, f) if f.k else LEARNED

    cdef int nearest(self, const Example* e, Found* f) noexcept nogil:
        """The k nearest, at equal distance the oldest first: LEARNED, NO_MEMORY or FAILED."""
        cdef double space[256]
        cdef double* x = space
        cdef Py_ssize_t j, i, opened
        cdef int status = LEARNED
        if self.d > 256:
            x = <double*> PyMem_RawMalloc(self.d * sizeof(double))
            if x == NULL:
                return NO_MEMORY
        memset(x, 0, self.d * sizeof(double))
        for i in range(e.n):
            j = feature(e, i)
            if j < self.d:
                x[j] = e.values[i]
        if self.metric == CALLABLE:
            status = self.ask(x, f)
        elif self.leaves.n == 0 or self.look_up(x, f, &opened) != LEARNED:
            self.scan(x, f)
        if self.metric == EUCLIDEAN:
            for i in range(f.n):
                f.distances[i] = sqrt(f.distances[i])
        if x != space:
            PyMem_RawFree(x)
        return status

    cdef void scan(self, double* x, Found* f) noexcept nogil:
        """The nearest by the distances to all examples. For cosines, x is scaled in place."""
        cdef double out[CHUNK + SPARE]
        cdef Py_ssize_t i, j, part, start, stop, n
        cdef double far
        cdef bint full
        if self.metric == COSINE:
            for j in range(self.d):
                x[j] = (x[j] - self.offset[j]) * self.factor[j]
        for part in range(2):  # the ring, from the oldest: up to the end, then from the start
            start = self.first if part == 0 else 0
            stop = self.first + self.n
            stop = min(stop, self.room) if part == 0 else stop - self.room
            while start < stop:
                n = min(CHUNK, stop - start)
                self.measure_to(x, self.block + start, self.stride, n, out)
                far, full = farthest(f), f.n == f.k
                for i in range(n):
                    if out[i] < far or not full:
                        place(f, start + i, out[i])
                        far, full = farthest(f), f.n == f.k
                start += n

    cdef void measure_to(
        self, const double* x, const double* points, Py_ssize_t stride, Py_ssize_t n, double* out,
    ) noexcept nogil:
        """Distances from x to n points (Euclidean ones are still squared)."""
        cdef double lengths[CHUNK + SPARE]
        cdef double length = 0.0, v
        cdef Py_ssize_t i, j
        if self.metric == EUCLIDEAN:
            onstream_squares(out, points, stride, x, self.factor, self.d, n)
        elif self.metric == MANHATTAN:
            onstream_sizes(out, points, stride, x, self.factor, self.d, n)
        else:  # 1 - cos(x, point); 1 where one of them is 0
            onstream_angles(out, lengths, points, stride, x, self.offset, self.factor, self.d, n)
            for j in range(self.d):
                length += x[j] * x[j]
            for i in range(n):
                v = sqrt(length) * sqrt(lengths[i])
                out[i] = 1.0 - out[i] / v if v > 0.0 else 1.0

    cdef void build_index(self) noexcept nogil:
        """Build the index. Where it saves little (many features, evenly spread), there is none."""
        cdef Found f
        cdef Py_ssize_t i, j, at, opened, total = 0
        cdef double* x
        leaves_build(
            &self.leaves, self.block, self.stride, self.d, self.factor, self.first, self.n,
            self.room, self.count - self.n)
        self.renewal = self.count + max(256, self.n // 32)
        x = <double*> PyMem_RawMalloc(self.d * sizeof(double))
        if self.leaves.n and x != NULL:
            f.slots, f.distances, f.k = f.few_slots, f.few_distances, 5
            for i in range(8):  # try it with eight of the latest examples
                at = self.slot(self.n - 1 - i * 16)
                for j in range(self.d):
                    x[j] = self.block[j * self.stride + at]
                f.n = 0
                self.look_up(x, &f, &opened)
                total += opened
            if 2 * total > 8 * self.leaves.n:
                leaves_free(&self.leaves)
                self.renewal = self.count + self.n
        PyMem_RawFree(x)

    cdef int look_up(self, const double* x, Found* f, Py_ssize_t* opened) noexcept nogil:
        """The nearest by the index: leaves whose box is too far away are left out.

        LEARNED, or NO_MEMORY, and none was found. `opened`: leaves that were looked into.
        """
        cdef double out[LEAF + SPARE]
        cdef Leaves* t = &self.leaves
        cdef int64_t oldest = self.count - self.n, number
        cdef Py_ssize_t i, leaf, best = 0, start, n
        cdef double limit, share = 1.0 / 64.0
        cdef double* bounds = <double*> PyMem_RawMalloc((t.n + SPARE) * sizeof(double))
        opened[0] = 0
        if bounds == NULL:
            return NO_MEMORY
        if self.metric == EUCLIDEAN:
            onstream_square_bounds(bounds, t.low, t.high, t.stride, x, self.factor, self.d, t.n)
        else:
            onstream_size_bounds(bounds, t.low, t.high, t.stride, x, self.factor, self.d, t.n)
        for leaf in range(1, t.n):
            if bounds[leaf] < bounds[best]:
                best = leaf
        limit = bounds[best]  # the nearest leaf first, then farther and farther ones
        while True:
            for leaf in range(t.n):
                if bounds[leaf] <= limit and not bounds[leaf] > farthest(f):
                    bounds[leaf] = NAN  # done
                    opened[0] += 1
                    self.measure_to(x, t.points + leaf * LEAF * self.d, LEAF, LEAF, out)
                    for i in range(LEAF):
                        number = t.numbers[leaf * LEAF + i]
                        if number >= oldest and (f.n < f.k or out[i] <= f.distances[f.k - 1]):
                            place_by_age(f, number - oldest, out[i])
            if share > 1.0:
                break
            limit = share * farthest(f)
            if limit == INFINITY:
                share = 1.0
            share *= 4.0
        PyMem_RawFree(bounds)
        start = max(t.next - oldest, 0)
        while start < self.n:  # those that came after the index was built
            i = self.slot(start)
            n = min(LEAF, min(self.n - start, self.room - i))
            self.measure_to(x, self.block + i, self.stride, n, out)
            for i in range(n):
                if f.n < f.k or out[i] < f.distances[f.k - 1]:
                    place_by_age(f, start + i, out[i])
            start += n
        for i in range(f.n):
            f.slots[i] = self.slot(f.slots[i])
        return LEARNED

    cdef int ask(self, const double* x, Found* f) noexcept with gil:
        """The nearest by the user's function of two arrays: LEARNED, or FAILED (see `refusal`)."""
        cdef Py_ssize_t i, j, at
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
                if f.n < f.k or v < f.distances[f.k - 1]:
                    place(f, at, v)
            return LEARNED
        except BaseException as error:
            self.failures[PyThread_get_thread_ident()] = error
            return FAILED

    def refusal(self):
        """What the user's function has raised in this thread."""
        return self.failures.pop(PyThread_get_thread_ident())

    def drop_index(self):
        """For measurements: scan all examples, however long the window."""
        self.indexed = False
        leaves_free(&self.leaves)

    # -- state ----------------------------------------------------------------------------------

    cdef dict export(self, Py_ssize_t width):
        """The examples, the oldest first, and what "standard" keeps of them."""
        cdef Py_ssize_t i, j
        self.set_features(width)
        rows = np.zeros((self.n, width))
        cdef double* p = doubles(rows)
        for i in range(self.n):
            for j in range(width):
                p[i * width + j] = self.block[j * self.stride + self.slot(i)]
        fields = {"examples": self.n, "rows": rows}
        if self.scale == STANDARD:
            sums = [[self.mean[j], self.m2[j]] for j in range(width)]
            fields["sums"], fields["since"] = np.array(sums).reshape(width, 2), self.since
        return fields

    def weights(self):
        """Of the examples, the oldest first."""
        return np.array([self.weight[self.slot(i)] for i in range(self.n)], dtype=np.float64)

    cdef Py_ssize_t restore(self, object fields, Py_ssize_t width, Py_ssize_t seen) except -1:
        """Take over what `export` gave: how many examples there are, in slots 0, 1, ..."""
        cdef Py_ssize_t i, j
        cdef Example e
        n = fields.integer("examples", 0, min(self.room, seen))
        if seen > 0 and n == 0:
            raise ValueError("the window is empty")
        rows = np.ascontiguousarray(fields.array("rows", (n, width)))
        if (np.abs(rows) > LARGEST).any():
            raise ValueError("a value is too large")
        self.set_features(width)
        cdef const double* p = doubles(rows)
        e.ids, e.n, e.codes = NULL, width, NULL
        for i in range(n):
            e.values = p + i * width
            self.insert(&e)
        if self.scale == STANDARD:
            sums = fields.array("sums", (width, 2))
            if (sums[:, 1] < 0.0).any():
                raise ValueError("a variance is negative")
            for j in range(width):
                self.mean[j], self.m2[j] = sums[j]
                self.rescale(j)
            self.since = fields.integer("since", 0, self.room)
        return n

    def restore_weights(self, weights):
        """Take over what `weights` gave."""
        cdef Py_ssize_t i
        for i in range(self.n):
            self.weight[i] = weights[i]

    cdef Py_ssize_t bytes(self):
        held = (self.d * self.stride + SPARE + 4 * self.d) * sizeof(double) if self.d else 0
        if self.scale == MINMAX:
            held += self.d * 2 * (sizeof(Queue) + self.room * sizeof(int32_t))
        return held + self.room * sizeof(double) + leaves_bytes(&self.leaves)


# -- queues of minima and maxima ---------------------------------------------------------------


cdef inline void push(
    Queue* q, const double* column, int32_t at, double sign, Py_ssize_t room,
) noexcept nogil:
    """A new value: the less extreme ones leave."""
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


# -- the nearest so far --------------------------------------------------------------------------


cdef inline double farthest(const Found* f) noexcept nogil:
    """The distance that a further neighbour must not exceed."""
    return f.distances[f.k - 1] if f.n == f.k else INFINITY


cdef void place(Found* f, Py_ssize_t slot, double distance) noexcept nogil:
    """Put a candidate into its place; behind those at equal distance."""
    cdef Py_ssize_t i = f.n if f.n < f.k else f.k - 1
    while i > 0 and f.distances[i - 1] > distance:
        f.distances[i], f.slots[i] = f.distances[i - 1], f.slots[i - 1]
        i -= 1
    f.distances[i], f.slots[i] = distance, slot
    f.n = min(f.n + 1, f.k)


cdef void place_by_age(Found* f, Py_ssize_t age, double distance) noexcept nogil:
    """The same with ages in place of slots; at equal distance by age."""
    cdef Py_ssize_t i = f.n if f.n < f.k else f.k - 1
    if f.n == f.k and f.distances[i] == distance and f.slots[i] < age:
        return
    while i > 0 and (
        f.distances[i - 1] > distance or (f.distances[i - 1] == distance and f.slots[i - 1] > age)
    ):
        f.distances[i], f.slots[i] = f.distances[i - 1], f.slots[i - 1]
        i -= 1
    f.distances[i], f.slots[i] = distance, age
    f.n = min(f.n + 1, f.k)


cdef void finish(Found* f) noexcept nogil:
    """Give back the memory of `search`."""
    if f.slots != f.few_slots:
        PyMem_RawFree(f.slots)
    if f.distances != f.few_distances:
        PyMem_RawFree(f.distances)
