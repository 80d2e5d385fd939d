"""The window of nearest-neighbour learners: a ring of examples, their scales, and the search."""

cimport numpy as cnp
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport INFINITY, sqrt
from libc.string cimport memset

import numpy as np

from ..core.memory cimport release, resize, roomier

cnp.import_array()

cdef extern from "distance.h" nogil:
    void onstream_squares(double* out, const double* block, Py_ssize_t stride, const double* x,
                          const double* s, Py_ssize_t d, Py_ssize_t n)
    void onstream_sizes(double* out, const double* block, Py_ssize_t stride, const double* x,
                        const double* s, Py_ssize_t d, Py_ssize_t n)
    void onstream_angles(double* dots, double* lengths, const double* block, Py_ssize_t stride,
                         const double* x, const double* o, const double* s, Py_ssize_t d,
                         Py_ssize_t n)

cdef enum:
    CHUNK = 64   # points measured at a time
    SPARE = 8    # numbers behind the block that may be read


cdef class Window:
    def __cinit__(self, Py_ssize_t room, metric, scale):
        self.room = room
        self.stride = room + SPARE
        self.n = self.first = self.d = 0
        self.since = 0
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
            j = e.ids[i] if e.ids != NULL else i
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
        return at

    cdef void drop_oldest(self) noexcept nogil:
        cdef Py_ssize_t at = self.first, j
        cdef double v, mean
        self.first = self.first + 1 if self.first + 1 < self.room else 0
        self.n -= 1
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
            self.factor[j] = 1.0 / spread if spread > 0.0 else 0.0
        elif self.scale == STANDARD and self.n:
            self.offset[j] = self.mean[j]
            spread = sqrt(self.m2[j] / self.n)
            # what rounding alone can leave is no spread
            self.factor[j] = 1.0 / spread if spread > 1e-12 * abs(self.mean[j]) else 0.0

    # -- the search ---------------------------------------------------------------------------------

    cdef Py_ssize_t nearest(self, const Example* e, Py_ssize_t k, Py_ssize_t* slots, double* distances) noexcept nogil:
        """The k nearest, at equal distance the oldest first; how many there are."""
        cdef double space[256]
        cdef double out[CHUNK + SPARE]
        cdef double lengths[CHUNK + SPARE]
        cdef double* x = space
        cdef Py_ssize_t j, i, found = 0, start, stop, at, part
        cdef double length = 0.0, far, v
        if self.d > 256:
            x = <double*> PyMem_RawMalloc(self.d * sizeof(double))
            if x == NULL:
                return 0
        memset(x, 0, self.d * sizeof(double))
        for i in range(e.n):
            j = e.ids[i] if e.ids != NULL else i
            if j < self.d:
                x[j] = e.values[i]
        if self.metric == CALLABLE:
            found = self.by_function(x, k, slots, distances)
        else:
            if self.metric == COSINE:
                for j in range(self.d):
                    x[j] = (x[j] - self.offset[j]) * self.factor[j]
                    length += x[j] * x[j]
            for part in range(2):  # the ring, from the oldest: up to the end, then from the start
                start = self.first if part == 0 else 0
                stop = min(self.first + self.n, self.room) if part == 0 else self.first + self.n - self.room
                while start < stop:
                    at = min(start + CHUNK, stop)
                    if self.metric == EUCLIDEAN:
                        onstream_squares(out, self.block + start, self.stride, x, self.factor, self.d, at - start)
                    elif self.metric == MANHATTAN:
                        onstream_sizes(out, self.block + start, self.stride, x, self.factor, self.d, at - start)
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

    # -- state ------------------------------------------------------------------------------------------

    def rows(self, Py_ssize_t d):
        """The examples, the oldest first, as an array."""
        cdef Py_ssize_t i, j
        out = np.zeros((self.n, d))
        cdef double* p = <double*> cnp.PyArray_DATA(<cnp.ndarray> out)
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
        cdef const double* p = <const double*> cnp.PyArray_DATA(<cnp.ndarray> rows)
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
        return held


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


cdef Py_ssize_t place(Py_ssize_t* slots, double* distances, Py_ssize_t n, Py_ssize_t k, Py_ssize_t slot, double distance) noexcept nogil:
    """Put a candidate into its place among the nearest so far; behind those at equal distance."""
    cdef Py_ssize_t i = n if n < k else k - 1
    while i > 0 and distances[i - 1] > distance:
        distances[i], slots[i] = distances[i - 1], slots[i - 1]
        i -= 1
    distances[i], slots[i] = distance, slot
    return n + 1 if n < k else k
