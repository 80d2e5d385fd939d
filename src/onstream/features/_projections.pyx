"""Transformers that make features of their own: hashing and random Fourier features."""

from libc.math cimport INFINITY, cos, fabs, log, sin, sqrt
from libc.stdint cimport int32_t, uint64_t

from ..core.encoder cimport Encoder, bounded
from ..core.example cimport LEARNED, Example, feature, onstream_axpy, onstream_peak, onstream_scores
from ..core.hashing cimport mix, seeded
from ..core.memory cimport release, resize, roomier
from ..core.transformer cimport Pool, TransformerState


cdef Encoder numbered(str who, Py_ssize_t n):
    """Features 0 ... n-1."""
    cdef Encoder features = Encoder(who, None, 0)
    features.implicit = features.width = n
    return features


cdef class HasherState(TransformerState):
    cdef Encoder hasher          # knows the slots
    cdef bint binary
    cdef int32_t* slots       # not the first step: slot of each feature
    cdef double* signs
    cdef Py_ssize_t rows
    cdef Py_ssize_t room

    def __init__(self, bits, seed, bint signed, bint binary):
        self.hasher = Encoder("FeatureHasher", bits, seed)
        self.hasher.unsigned = not signed
        self.constant = True
        self.binary = binary

    def __dealloc__(self):
        release(self.slots)
        release(self.signs)

    def keeps_nominal(self):
        return False

    def hashes(self):
        return True

    cdef Encoder own_encoder(self, str who):
        cdef Encoder features = Encoder(who, self.hasher.bits, self.hasher.seed)
        features.unsigned = self.hasher.unsigned
        return features

    cdef int connect(self, Encoder features, Encoder encoder) except -1:
        self.output_features = numbered(self.who, <Py_ssize_t> 1 << self.hasher.bits)
        return TransformerState.connect(self, features, encoder)

    cdef int reserve(self, Py_ssize_t width) except -1:
        cdef Py_ssize_t room
        if self.features.bits >= 0 or width <= self.rows:
            return 0
        if width > self.room:
            room = roomier(self.room, width)
            self.slots = <int32_t*> resize(self.slots, self.room * sizeof(int32_t), room * sizeof(int32_t))
            self.signs = <double*> resize(self.signs, self.room * sizeof(double), room * sizeof(double))
            self.room = room
        while self.rows < width:
            name = self.features.name_of(self.rows)
            self.slots[self.rows] = self.hasher.slot(self.hasher.hash_name(name, None), &self.signs[self.rows])
            self.rows += 1
        return 0

    cdef int shrink(self, Py_ssize_t width) except -1:
        self.rows = min(self.rows, width)
        return 0

    cdef int transform(self, const Example* e, Example* out, Pool* pool) noexcept nogil:
        cdef Py_ssize_t i, n = 0
        cdef int32_t* ids = pool.ids
        cdef double* values = pool.values
        cdef int32_t id
        for i in range(e.n):
            id = feature(e, i)
            if self.features.bits >= 0:
                ids[n], values[n] = id, e.values[i]
                n += 1
            elif id < self.rows and e.values[i] == e.values[i]:
                ids[n], values[n] = self.slots[id], self.signs[id] * e.values[i]
                n += 1
        if self.features.bits < 0:
            n = merged(ids, values, n)
        if self.binary:
            for i in range(n):
                values[i] = 1.0 if values[i] > 0.0 else -1.0 if values[i] < 0.0 else 0.0
        out.ids, out.values, out.n, out.codes = ids, values, n, NULL
        return LEARNED

    def own_bytes(self):
        return TransformerState.own_bytes(self) + 12 * self.room


cdef Py_ssize_t merged(int32_t* ids, double* values, Py_ssize_t n) noexcept nogil:
    """Add up the values of each slot, in place (Shell's sort); how many slots there are."""
    cdef Py_ssize_t gap = n // 2, i, j, kept = 0
    cdef int32_t id
    cdef double value
    while gap > 0:
        for i in range(gap, n):
            id, value = ids[i], values[i]
            j = i
            while j >= gap and ids[j - gap] > id:
                ids[j], values[j] = ids[j - gap], values[j - gap]
                j -= gap
            ids[j], values[j] = id, value
        gap //= 2
    for i in range(n):
        if kept and ids[kept - 1] == ids[i]:
            values[kept - 1] = bounded(values[kept - 1] + values[i])
        else:
            ids[kept], values[kept] = ids[i], values[i]
            kept += 1
    return kept


cdef class FourierState(TransformerState):
    cdef Py_ssize_t d         # frequencies
    cdef double deviation     # of the frequencies
    cdef uint64_t seed
    cdef double* omega        # d for each feature, in rows of `stride`
    cdef Py_ssize_t stride    # whole vector registers
    cdef Py_ssize_t rows
    cdef Py_ssize_t room

    def __init__(self, Py_ssize_t n_components, double gamma, seed):
        self.d = n_components
        self.stride = (n_components + 7) // 8 * 8
        self.constant = True
        self.deviation = sqrt(2.0 * gamma)
        self.seed = seed & 0xFFFFFFFFFFFFFFFF

    cdef int connect(self, Encoder features, Encoder encoder) except -1:
        self.output_features = numbered(self.who, 2 * self.d)
        return TransformerState.connect(self, features, encoder)

    def __dealloc__(self):
        release(self.omega)

    cdef int reserve(self, Py_ssize_t width) except -1:
        cdef Py_ssize_t room, j
        cdef uint64_t h
        cdef double u, v
        cdef double* row
        if width > self.room:
            room = roomier(self.room, width)
            self.omega = <double*> resize(
                self.omega, self.room * self.stride * sizeof(double),
                room * self.stride * sizeof(double))
            self.room = room
        while self.rows < width:
            name = self.rows if self.features.bits >= 0 else self.features.name_of(self.rows)
            h = seeded(self.features.hash_name(name, None), self.seed)
            row = self.omega + self.rows * self.stride
            for j in range(self.d):  # normal numbers by Box and Muller, from two uniform ones
                u = ((mix(h + 2 * <uint64_t> j) >> 11) + 1) * (1.0 / 9007199254740992.0)
                v = (mix(h + 2 * <uint64_t> j + 1) >> 11) * (1.0 / 9007199254740992.0)
                row[j] = self.deviation * sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v)
            self.rows += 1
        return 0

    cdef int shrink(self, Py_ssize_t width) except -1:
        self.rows = min(self.rows, width)
        return 0

    def keeps_nominal(self):
        return False

    cdef Py_ssize_t most(self, Py_ssize_t n) noexcept nogil:
        return 2 * self.d

    cdef int transform(self, const Example* e, Example* out, Pool* pool) noexcept nogil:
        cdef Py_ssize_t i, j
        cdef int32_t id
        cdef double* values = pool.values
        cdef double length = 1.0 / sqrt(<double> self.d), p
        if e.width <= self.rows and onstream_peak(e.values, e.n) < INFINITY:  # all count
            onstream_scores(values, self.omega, e.ids, e.values, e.n, self.d, self.stride)
        else:
            for j in range(self.d):
                values[j] = 0.0
            for i in range(e.n):
                id = feature(e, i)
                if id < self.rows and e.values[i] == e.values[i]:
                    onstream_axpy(values, self.omega + id * self.stride, e.values[i], self.d)
        for j in range(self.d):
            p = values[j] if fabs(values[j]) < INFINITY else 0.0
            values[j] = length * cos(p)
            values[self.d + j] = length * sin(p)
        out.ids, out.values, out.n, out.codes = NULL, values, 2 * self.d, NULL
        return LEARNED

    def own_bytes(self):
        return TransformerState.own_bytes(self) + self.room * self.stride * 8
