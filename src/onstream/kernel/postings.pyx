"""Supports with few of very many features, held as an inverted index.

A dense block of 500 supports over 50,000 features takes 200 MB, nearly all of it zeros. Here memory
is that of the values, and a row of dot products visits only pairs that share a feature. The values
of a pair are added in the order of the example, as for the dense block, so both give the same bits.
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawRealloc
from libc.stdint cimport int32_t
from libc.string cimport memset

from ..core.example cimport Example


cdef inline int32_t feature(const Example* e, Py_ssize_t i) noexcept nogil:
    return <int32_t> i if e.ids == NULL else e.ids[i]


cdef class Postings:
    def __cinit__(self):
        self.of, self.lines = NULL, NULL
        self.features = self.room = 0
        self.bytes = 0
        memset(&self.spare, 0, sizeof(Line))

    def __dealloc__(self):
        self.clear()

    cdef void clear(self) noexcept nogil:
        """Hold nothing any more."""
        cdef Py_ssize_t i
        for i in range(self.features):
            if self.of[i] != NULL:
                PyMem_RawFree(self.of[i].entries)
                PyMem_RawFree(self.of[i])
        for i in range(self.room):
            PyMem_RawFree(self.lines[i].ids)
            PyMem_RawFree(self.lines[i].values)
        PyMem_RawFree(self.spare.ids)
        PyMem_RawFree(self.spare.values)
        PyMem_RawFree(self.of)
        PyMem_RawFree(self.lines)
        memset(&self.spare, 0, sizeof(Line))
        self.of, self.lines = NULL, NULL
        self.features = self.room = 0
        self.bytes = 0

    cdef bint fit(self, Py_ssize_t supports, const Example* e) noexcept nogil:
        """Room for so many supports, and for the example as one of them. False: no memory."""
        cdef Py_ssize_t i, n = 0, features = self.features
        cdef int32_t id
        cdef Posting* posting
        if supports > self.room:
            if not self.longer(<void**> &self.lines, self.room, supports, sizeof(Line)):
                return False
            self.room = supports
        for i in range(e.n):
            if e.values[i] != 0.0:
                n += 1
                features = max(features, feature(e, i) + 1)
        if features > self.features:
            features = max(features, self.features + self.features // 2)
            if not self.longer(<void**> &self.of, self.features, features, sizeof(Posting*)):
                return False
            self.features = features
        if n > self.spare.room:
            if not (
                self.longer(<void**> &self.spare.ids, self.spare.room, n, sizeof(int32_t))
                and self.longer(<void**> &self.spare.values, self.spare.room, n, sizeof(double))
            ):
                return False
            self.spare.room = n
        for i in range(e.n):
            if e.values[i] == 0.0:
                continue
            id = feature(e, i)
            if self.of[id] == NULL:
                if not self.longer(<void**> &self.of[id], 0, 1, sizeof(Posting)):
                    return False
            posting = self.of[id]
            if posting.n == posting.room:
                n = posting.room + 1 if posting.room < 4 else posting.room + posting.room // 2
                if not self.longer(<void**> &posting.entries, posting.room, n, sizeof(Entry)):
                    return False
                posting.room = n
        return True

    cdef bint longer(self, void** block, size_t old, size_t new, size_t size) noexcept nogil:
        """Make an array longer, the new items zero. False: no memory, nothing is changed."""
        cdef void* moved = PyMem_RawRealloc(block[0], new * size)
        if moved == NULL:
            return False
        memset(<char*> moved + old * size, 0, (new - old) * size)
        block[0] = moved
        self.bytes += (new - old) * size
        return True

    cdef void put(self, Py_ssize_t slot, const Example* e) noexcept nogil:
        """Write the example, for which `fit` has made room, to a slot."""
        cdef Line old = self.lines[slot], line = self.spare
        cdef Posting* posting
        cdef Py_ssize_t i, j
        for i in range(old.n):  # what stands there goes; features may come back in a moment
            posting = self.of[old.ids[i]]
            for j in range(posting.n):
                if posting.entries[j].slot == slot:
                    posting.n -= 1
                    posting.entries[j] = posting.entries[posting.n]
                    break
        line.n = 0
        for i in range(e.n):
            if e.values[i] != 0.0:
                line.ids[line.n], line.values[line.n] = feature(e, i), e.values[i]
                posting = self.of[line.ids[line.n]]
                posting.entries[posting.n].slot = slot
                posting.entries[posting.n].value = e.values[i]
                posting.n += 1
                line.n += 1
        self.lines[slot], self.spare = line, old
        for i in range(old.n):  # nobody has this feature any more
            posting = self.of[old.ids[i]]
            if posting.n == 0:
                self.bytes -= posting.room * sizeof(Entry) + sizeof(Posting)
                PyMem_RawFree(posting.entries)
                PyMem_RawFree(posting)
                self.of[old.ids[i]] = NULL

    cdef void dots(self, const Example* e, double* out, Py_ssize_t n) noexcept nogil:
        """The dot product of the first n supports with the example."""
        cdef Py_ssize_t i, j
        cdef int32_t id
        cdef const Posting* posting
        cdef double x
        memset(out, 0, n * sizeof(double))
        for i in range(e.n):
            x = e.values[i]
            id = feature(e, i)
            if x == 0.0 or id >= self.features or self.of[id] == NULL:
                continue
            posting = self.of[id]
            for j in range(posting.n):
                out[posting.entries[j].slot] += x * posting.entries[j].value
