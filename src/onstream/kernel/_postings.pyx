"""Supports with few of very many features, held as an inverted index.

A dense block of 500 supports over 50,000 features takes 200 MB, nearly all of it zeros. Here memory
is that of the values, however many features there are, and a row of dot products visits only pairs
that share a feature. The values of a pair are added in the order of the example, as for the dense
block, so both give the same bits.
"""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawRealloc
from libc.stdint cimport int32_t, uint32_t
from libc.string cimport memset

from ..core.example cimport Example, feature


cdef inline Py_ssize_t home(int32_t id, Py_ssize_t size) noexcept nogil:
    """Where to look for a feature first."""
    cdef uint32_t mixed = <uint32_t> id * <uint32_t> 2654435769
    return (mixed ^ (mixed >> 15)) & <uint32_t> (size - 1)


cdef class Postings:
    def __dealloc__(self):
        self.clear()

    cdef void clear(self) noexcept nogil:
        """Free everything."""
        cdef Py_ssize_t i
        for i in range(self.size):
            PyMem_RawFree(self.table[i].entries)
        for i in range(self.room):
            PyMem_RawFree(self.lines[i].ids)
            PyMem_RawFree(self.lines[i].values)
        PyMem_RawFree(self.spare.ids)
        PyMem_RawFree(self.spare.values)
        PyMem_RawFree(self.table)
        PyMem_RawFree(self.lines)
        memset(&self.spare, 0, sizeof(Line))
        self.table, self.lines = NULL, NULL
        self.size = self.taken = self.room = 0
        self.bytes = 0

    cdef Posting* find(self, int32_t id) noexcept nogil:
        """The posting of a feature, or the free place where it would be."""
        cdef Py_ssize_t at = home(id, self.size)
        while self.table[at].room and self.table[at].feature != id:
            at = (at + 1) & (self.size - 1)
        return &self.table[at]

    cdef bint fit(self, Py_ssize_t supports, const Example* e) noexcept nogil:
        """Make room for `supports` of them, and for the example as one. False: no memory."""
        cdef Py_ssize_t i, n = 0
        cdef int32_t room
        cdef Posting* posting
        if supports > self.room:
            if not self.longer(<void**> &self.lines, self.room, supports, sizeof(Line)):
                return False
            self.room = supports
        for i in range(e.n):
            n += e.values[i] != 0.0
        if n > self.spare.room:
            if not (
                self.longer(<void**> &self.spare.ids, self.spare.room, n, sizeof(int32_t))
                and self.longer(<void**> &self.spare.values, self.spare.room, n, sizeof(double))
            ):
                return False
            self.spare.room = n
        if not self.widen(self.taken + n):
            return False
        for i in range(e.n):
            if e.values[i] == 0.0:
                continue
            posting = self.find(feature(e, i))
            if posting.n == posting.room:
                room = posting.room + 1 if posting.room < 4 else posting.room + posting.room // 2
                if not self.longer(<void**> &posting.entries, posting.room, room, sizeof(Entry)):
                    return False
                self.taken += posting.room == 0
                posting.feature, posting.room = feature(e, i), room
        return True

    cdef bint widen(self, Py_ssize_t postings) noexcept nogil:
        """Make the table large enough for `postings`. False: no memory, nothing is changed."""
        cdef Posting* old = self.table
        cdef Posting* table
        cdef Py_ssize_t i, before = self.size, size = max(before, 16)
        while size < 2 * postings + 2:
            size *= 2
        if size == before:
            return True
        table = <Posting*> PyMem_RawCalloc(size, sizeof(Posting))
        if table == NULL:
            return False
        self.table, self.size = table, size
        for i in range(before):
            if old[i].room:
                self.find(old[i].feature)[0] = old[i]
        PyMem_RawFree(old)
        self.bytes += (size - before) * sizeof(Posting)
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
        for i in range(old.n):  # remove the old support; empty postings stay, they may be needed below
            posting = self.find(old.ids[i])
            for j in range(posting.n):
                if posting.entries[j].slot == slot:
                    posting.n -= 1
                    posting.entries[j] = posting.entries[posting.n]
                    break
        line.n = 0
        for i in range(e.n):
            if e.values[i] != 0.0:
                line.ids[line.n], line.values[line.n] = feature(e, i), e.values[i]
                posting = self.find(line.ids[line.n])
                posting.entries[posting.n].slot = slot
                posting.entries[posting.n].value = e.values[i]
                posting.n += 1
                line.n += 1
        self.lines[slot], self.spare = line, old
        for i in range(old.n):
            posting = self.find(old.ids[i])
            if posting.n == 0:
                self.drop(posting)

    cdef void drop(self, Posting* posting) noexcept nogil:
        """No support has this feature: free its place, and move up those behind it."""
        cdef Py_ssize_t hole = posting - self.table, at = hole, mask = self.size - 1
        self.bytes -= posting.room * sizeof(Entry)
        self.taken -= 1
        PyMem_RawFree(posting.entries)
        while True:
            at = (at + 1) & mask
            if not self.table[at].room:
                break
            # It may move up unless its home lies behind the hole.
            if ((at - home(self.table[at].feature, self.size)) & mask) >= ((at - hole) & mask):
                self.table[hole] = self.table[at]
                hole = at
        memset(&self.table[hole], 0, sizeof(Posting))

    cdef void dots(self, const Example* e, double* out, Py_ssize_t n) noexcept nogil:
        """The dot product of the first n supports with the example."""
        cdef Py_ssize_t i, j
        cdef const Posting* posting
        cdef double x
        memset(out, 0, n * sizeof(double))
        for i in range(e.n if self.size else 0):
            x = e.values[i]
            if x == 0.0:
                continue
            posting = self.find(feature(e, i))
            for j in range(posting.n):
                out[posting.entries[j].slot] += x * posting.entries[j].value
