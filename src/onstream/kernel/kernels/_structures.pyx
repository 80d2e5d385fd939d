"""Histograms, sequences and trees in C arrays, and the arithmetic of their kernels."""

from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

from ...core.memory cimport release, resize


cdef class Histogram:
    """How often each feature occurs. Features are numbers of 64 bits."""

    cdef int64_t* features
    cdef double* counts
    cdef Py_ssize_t n
    cdef readonly double square  # the inner product with itself

    def __cinit__(self, dict counts):
        cdef Py_ssize_t i = 0
        self.n = len(counts)
        self.features = <int64_t*> resize(NULL, 0, self.n * sizeof(int64_t))
        self.counts = <double*> resize(NULL, 0, self.n * sizeof(double))
        for feature, count in counts.items():
            self.features[i], self.counts[i] = feature, count
            self.square += self.counts[i] * self.counts[i]
            i += 1

    def __dealloc__(self):
        release(self.features)
        release(self.counts)

    def __sizeof__(self):
        return 80 + 16 * self.n


def histogram_row(list supports, Histogram x):
    """The inner products of many histograms with one, whose features are in a table meanwhile."""
    cdef Py_ssize_t size = 4, i, at
    cdef double total
    cdef Histogram s
    cdef int32_t* places = NULL  # 1 + number of a feature of x; 0: free
    values = []
    while size < 4 * x.n:
        size *= 2
    try:
        places = <int32_t*> resize(NULL, 0, size * sizeof(int32_t))
        memset(places, 0, size * sizeof(int32_t))
        for i in range(x.n):
            at = place(x.features[i], size)
            while places[at]:
                at = (at + 1) & (size - 1)
            places[at] = <int32_t> (i + 1)
        for s in supports:
            total = 0.0
            for i in range(s.n):
                at = place(s.features[i], size)
                while places[at] and x.features[places[at] - 1] != s.features[i]:
                    at = (at + 1) & (size - 1)
                if places[at]:
                    total += s.counts[i] * x.counts[places[at] - 1]
            values.append(total)
    finally:
        release(places)
    return values


def normal_row(list values, list lengths, double own):
    """Kernel values divided by the lengths of both sides (squares of these are given); 0 if one is."""
    cdef Py_ssize_t i
    cdef double length, root = sqrt(own)
    for i in range(len(values)):
        length = lengths[i]
        values[i] = <double> values[i] / (sqrt(length) * root) if length > 0.0 and own > 0.0 else 0.0
    return values


cdef inline Py_ssize_t place(int64_t feature, Py_ssize_t size) noexcept nogil:
    """Where to look for a feature first."""
    return <Py_ssize_t> ((<uint64_t> feature * <uint64_t> 0x9E3779B97F4A7C15 >> 32) & <uint64_t> (size - 1))


cdef class Sequence:
    """A sequence of symbols, each a number."""

    cdef int64_t* codes
    cdef Py_ssize_t n

    def __cinit__(self, codes):
        cdef Py_ssize_t i
        self.n = len(codes)
        self.codes = <int64_t*> resize(NULL, 0, self.n * sizeof(int64_t))
        for i in range(self.n):
            self.codes[i] = codes[i]

    def __dealloc__(self):
        release(self.codes)

    def __sizeof__(self):
        return 48 + 8 * self.n


cdef double subsequences(Sequence s, Sequence t, int n, double lam, double* room) noexcept nogil:
    """The sum over common subsequences of length n of lam ** (span in s + span in t).

    `inner[a, b]` is K'_i of the first a and b symbols; K'' is summed along a row.
    """
    cdef Py_ssize_t wide = t.n + 1, size = (s.n + 1) * wide, a, b
    cdef double* inner = room
    cdef double* next_ = room + size
    cdef double run, total = 0.0
    cdef int _i
    if n > s.n or n > t.n:
        return 0.0
    for a in range(size):
        inner[a] = 1.0
    for _i in range(1, n):
        memset(next_, 0, wide * sizeof(double))
        for a in range(1, s.n + 1):
            next_[a * wide] = 0.0
            run = 0.0
            for b in range(1, wide):
                run *= lam
                if s.codes[a - 1] == t.codes[b - 1]:
                    run += lam * lam * inner[(a - 1) * wide + b - 1]
                next_[a * wide + b] = lam * next_[(a - 1) * wide + b] + run
        inner, next_ = next_, inner
    for a in range(1, s.n + 1):
        for b in range(1, wide):
            if s.codes[a - 1] == t.codes[b - 1]:
                total += lam * lam * inner[(a - 1) * wide + b - 1]
    return total


def subsequence_row(list supports, Sequence x, int n, double lam):
    """The gappy subsequence kernel of many sequences with one."""
    cdef double* room
    cdef Sequence s
    cdef Py_ssize_t longest = 0
    for s in supports:
        longest = max(longest, s.n)
    room = <double*> resize(NULL, 0, 2 * (longest + 1) * (x.n + 1) * sizeof(double))
    values = []
    try:
        for s in supports:
            values.append(subsequences(s, x, n, lam, room))
    finally:
        release(room)
    return values


cdef class Tree:
    """The inner nodes of a tree, children before parents: production and children of each."""

    cdef int64_t* productions
    cdef int64_t* starts    # node i has the children starts[i] ... starts[i + 1] - 1
    cdef int64_t* children  # numbers of inner nodes; -1: a leaf
    cdef Py_ssize_t n

    def __cinit__(self, productions, children):
        cdef Py_ssize_t i, at = 0
        self.n = len(productions)
        self.productions = <int64_t*> resize(NULL, 0, self.n * sizeof(int64_t))
        self.starts = <int64_t*> resize(NULL, 0, (self.n + 1) * sizeof(int64_t))
        self.children = <int64_t*> resize(NULL, 0, sum(map(len, children)) * sizeof(int64_t))
        self.starts[0] = 0
        for i in range(self.n):
            self.productions[i] = productions[i]
            for child in children[i]:
                self.children[at] = child
                at += 1
            self.starts[i + 1] = at

    def __dealloc__(self):
        release(self.productions)
        release(self.starts)
        release(self.children)

    def __sizeof__(self):
        return 80 + 8 * (2 * self.n + self.starts[self.n])


cdef double common(Tree s, Tree t, double lam, double sigma, double* room) noexcept nogil:
    """The sum over pairs of inner nodes of C(n1, n2) (Collins & Duffy)."""
    cdef Py_ssize_t i, j, c, k
    cdef int64_t one, two
    cdef double value, total = 0.0
    memset(room, 0, s.n * t.n * sizeof(double))
    for i in range(s.n):
        for j in range(t.n):
            if s.productions[i] != t.productions[j]:
                continue
            value = lam
            k = t.starts[j] - s.starts[i]
            for c in range(s.starts[i], s.starts[i + 1]):
                one, two = s.children[c], t.children[c + k]
                if one >= 0 and two >= 0:
                    value *= sigma + room[one * t.n + two]
                elif one >= 0 or two >= 0:  # a leaf here, a node there: the same label, no more
                    value *= sigma
            room[i * t.n + j] = value
            total += value
    return total


def tree_row(list supports, Tree x, double lam, double sigma):
    """The tree kernel of many trees with one."""
    cdef double* room
    cdef Tree s
    cdef Py_ssize_t largest = 0
    for s in supports:
        largest = max(largest, s.n)
    room = <double*> resize(NULL, 0, largest * x.n * sizeof(double))
    values = []
    try:
        for s in supports:
            values.append(common(s, x, lam, sigma, room))
    finally:
        release(room)
    return values
