"""Lines of libsvm text, parsed without the GIL."""

from libc.stdint cimport uint32_t, uint64_t

from ..core.hashing cimport hash_bytes, hash_start, hash_word, load_word
from .quick cimport all_digits, quick_value
from ._sparse_text cimport (
    BAD_INDEX, BAD_LABEL, BAD_VALUE, BLANK, FINE, OUT_OF_MEMORY, UNUSUAL, Flaw, SparseText,
)
from .tokens cimport skip_spaces, skip_word


cdef class LibsvmText(SparseText):
    """`label index:value index:value ... # comment`; `qid:n` is passed over."""

    def __cinit__(self):
        self.integers = True

    cdef Flaw quick(self, const char* p, const char* end) noexcept nogil:
        cdef const uint32_t* marks
        cdef Py_ssize_t found, k = 0, entries = self.entries, start, size
        cdef uint64_t word
        cdef double* values
        cdef uint64_t* hashes
        if end > p and end[-1] == c"\r":
            end -= 1
        found = self.mark(p, end)
        if found < 0:
            return UNUSUAL
        marks, values, hashes = self.marks, self.values, self.hashes
        if not quick_value(p, p + marks[0], &self.targets[self.rows]):
            return UNUSUAL
        while k < found:
            if p[marks[k]] != c" " and p[marks[k]] != c"\t":
                return UNUSUAL
            start, k = marks[k] + 1, k + 1
            size = marks[k] - start
            if not 1 <= size <= 8 or k == found or p[marks[k]] != c":":
                return UNUSUAL
            word = load_word(<const unsigned char*> p + start, 8)
            if not all_digits(word << 8 * (8 - size) | (<uint64_t> 0x3030303030303030 >> 8) >> 8 * (size - 1)):
                return UNUSUAL
            if p[start] == c"0" and size > 1:
                return UNUSUAL
            word &= <uint64_t> 0xFFFFFFFFFFFFFFFF >> (64 - 8 * size)
            hashes[entries] = hash_word(hash_start(size), word)
            if self.naming:
                self.entries = entries
                if not self.name(NULL, 0, p + start, size):
                    return UNUSUAL
            start, k = marks[k] + 1, k + 1
            if not quick_value(p + start, p + marks[k], values + entries):
                return UNUSUAL
            entries += 1
        self.entries = entries
        return FINE

    cdef Flaw line(self, const char* p, const char* end) noexcept nogil:
        cdef const char* start
        cdef Py_ssize_t size
        cdef double value
        cdef Flaw flaw
        p = skip_spaces(p, end)
        if p == end or p[0] == c"#":
            return BLANK
        flaw = self.number(&p, end, &value)
        if flaw != FINE:
            return BAD_LABEL if flaw == BAD_VALUE else flaw
        self.targets[self.rows] = value
        while True:
            p = skip_spaces(p, end)
            if p == end or p[0] == c"#":
                return FINE
            start = p
            while p < end and c"0" <= p[0] <= c"9":
                p += 1
            if p == start or p == end or p[0] != c":" or p - start > 18:
                if is_qid(start, end):
                    p = skip_word(p, end)
                    continue
                self.word, self.word_stop = start, skip_word(start, end)
                return BAD_INDEX
            while start + 1 < p and start[0] == c"0":
                start += 1
            size = p - start
            if self.entries == self.room and not self.more_entries(1):
                return OUT_OF_MEMORY
            if not self.name(NULL, 0, start, size):
                return OUT_OF_MEMORY
            self.hashes[self.entries] = hash_bytes(<const unsigned char*> start, size)
            p += 1
            flaw = self.number(&p, end, &value)
            if flaw != FINE:
                return flaw
            self.values[self.entries] = value
            self.entries += 1


cdef bint is_qid(const char* p, const char* end) noexcept nogil:
    return end - p > 4 and p[0] == c"q" and p[1] == c"i" and p[2] == c"d" and p[3] == c":"
