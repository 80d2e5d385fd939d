"""The data lines of ARFF files, dense or sparse, parsed without the GIL."""

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.mem cimport PyMem_RawFree
from libc.math cimport NAN
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcmp, memcpy, strchr

import numpy as np

from ..core.arrays cimport data_of, int32s, int64s
from ..core.hashing cimport hash_bytes, mix
from ._sparse_text cimport (
    BAD_COUNT, BAD_INDEX, BAD_VALUE, BAD_WEIGHT, BLANK, FINE, INFINITE, NO_LABEL, OPEN_QUOTE,
    OUT_OF_MEMORY, UNKNOWN_VALUE, Flaw, SparseText, grown, set_room,
)
from .tokens cimport is_finite, is_space, scan_number, skip_spaces


cdef const char* LETTERS = b"tnrbfav"
cdef const char* MEANINGS = b"\t\n\r\b\f\a\v"


cdef enum Kind:
    NUMERIC = 0
    NOMINAL = 1
    TEXT = 2

cdef enum Role:
    UNUSED = 0
    FEATURE = 1
    TARGET = 2
    WEIGHT = 3


cdef struct Word:
    const char* start
    const char* stop
    bint quoted
    bint escaped      # has a backslash in it


cdef class ARFFText(SparseText):
    """Lines of values. Dense: a matrix of cells. Sparse: entries, targets and weights.

    A cell is a number, the number of a nominal value, or the number of a span of text; NaN if
    missing.
    """

    cdef Py_ssize_t width      # attributes
    cdef bint sparse
    cdef bint weighing         # an attribute is the weight
    cdef bint worded           # the target is a string
    cdef int32_t* kinds
    cdef int32_t* roles
    cdef double* cells         # dense: `width` for each row
    cdef Py_ssize_t room_cells
    cdef int64_t* spans        # of texts: start and stop
    cdef Py_ssize_t n_spans
    cdef Py_ssize_t room_spans
    cdef bytes pool            # attribute names, then declared values, one after the other
    cdef object offsets        # where they begin
    cdef const char* pooled
    cdef const int64_t* offset
    cdef object owners         # which attribute and which code each declared value is
    cdef const int32_t* owner
    cdef int32_t* table        # 1 + number of a declared value
    cdef uint64_t mask
    cdef unsigned char* scratch  # a word without its backslashes
    cdef Py_ssize_t room_scratch

    def __cinit__(self, list names, list kinds, list roles, list values, bint sparse):
        """`values`: for each nominal attribute its declared values, as bytes; else None."""
        cdef Py_ssize_t i, n = len(names), size = 16
        cdef uint64_t at
        self.width, self.sparse, self.weighing = n, sparse, WEIGHT in roles
        self.worded = (TEXT, TARGET) in zip(kinds, roles)
        pieces = list(names)
        owners = []
        for i, own in enumerate(values):
            for code, value in enumerate(own or ()):
                pieces.append(value)
                owners.append((i, code))
        self.pool = b"".join(pieces)
        self.offsets = np.cumsum([0, *map(len, pieces)]).astype(np.int64)
        self.owners = np.array(owners, dtype=np.int32).reshape(-1, 2)
        self.pooled = self.pool
        self.offset = int64s(self.offsets)
        self.owner = int32s(self.owners)
        while size < 2 * len(owners):
            size *= 2
        self.mask = size - 1
        if not (
            grown(<void**> &self.kinds, max(1, n) * sizeof(int32_t))
            and grown(<void**> &self.roles, max(1, n) * sizeof(int32_t))
            and grown(<void**> &self.table, size * sizeof(int32_t))
        ):
            raise MemoryError("onstream: no memory for the attributes")
        for i in range(n):
            self.kinds[i], self.roles[i] = kinds[i], roles[i]
        for i in range(size):
            self.table[i] = 0
        for i in range(len(owners)):
            at = self.home(self.owner[2 * i], self.pooled + self.offset[n + i],
                           self.offset[n + i + 1] - self.offset[n + i])
            while self.table[at]:
                at = (at + 1) & self.mask
            self.table[at] = <int32_t> i + 1

    def __dealloc__(self):
        PyMem_RawFree(self.kinds)
        PyMem_RawFree(self.roles)
        PyMem_RawFree(self.cells)
        PyMem_RawFree(self.spans)
        PyMem_RawFree(self.table)
        PyMem_RawFree(self.scratch)

    def parse_sparse(self, bytearray data, Py_ssize_t size, bint stop_early):
        """SparseBlock, targets (or their words), weights (None: all 1), rejected lines."""
        self.n_spans = 0
        block, targets, weights, rejects = self.parse(data, size, stop_early)
        if self.worded:
            words = [self.span(data, i) for i in targets.astype(np.int64).tolist()]
            targets = np.array(words, dtype=object)
        return block, targets, weights, rejects

    def parse_dense(self, bytearray data, Py_ssize_t size, bint stop_early):
        """Cells of shape (rows, attributes), texts, rejected lines."""
        self.n_spans = 0
        _, _, _, rejects = self.parse(data, size, stop_early)
        cells = np.empty((self.rows, self.width))
        if self.rows:
            memcpy(data_of(cells), self.cells, cells.nbytes)
        texts = [self.span(data, i) for i in range(self.n_spans)]
        return cells, texts, rejects

    cdef str span(self, bytearray data, Py_ssize_t i):
        """A text; only in quotes does a backslash mean anything."""
        cdef int64_t start = self.spans[2 * i]
        cdef bytes text = bytes(data[start:self.spans[2 * i + 1]])
        quoted = start > 0 and data[start - 1] in b"'\""
        return unescaped(text) if quoted else text.decode()

    cdef uint64_t home(self, Py_ssize_t attribute, const char* text, Py_ssize_t n) noexcept nogil:
        return mix(hash_bytes(<const unsigned char*> text, n) + <uint64_t> attribute) & self.mask

    cdef int32_t code(self, Py_ssize_t attribute, const char* text, Py_ssize_t n) noexcept nogil:
        """The code of a declared value; -1 if it is none."""
        cdef uint64_t at = self.home(attribute, text, n)
        cdef Py_ssize_t i, first
        while self.table[at]:
            i = self.table[at] - 1
            first = self.offset[self.width + i]
            if (self.owner[2 * i] == attribute and self.offset[self.width + i + 1] - first == n
                    and memcmp(self.pooled + first, text, n) == 0):
                return self.owner[2 * i + 1]
            at = (at + 1) & self.mask
        return -1

    cdef Flaw next_word(self, const char** at, const char* end, bint blanks_end, Word* word) noexcept nogil:
        """A value, quoted or not, up to a comma, a brace or (if wanted) a blank."""
        cdef const char* p = skip_spaces(at[0], end)
        cdef char quote
        word.quoted = word.escaped = False
        if p < end and (p[0] == c"'" or p[0] == c'"'):
            quote = p[0]
            p += 1
            word.start = p
            word.quoted = True
            while p < end and p[0] != quote:
                if p[0] == c"\\" and p + 1 < end:
                    word.escaped = True
                    p += 1
                p += 1
            if p >= end:
                return OPEN_QUOTE
            word.stop = p
            p += 1
        else:
            word.start = p
            while p < end and p[0] != c"," and p[0] != c"}" and not (blanks_end and is_space(p[0])):
                p += 1
            word.stop = p
            while word.stop > word.start and is_space(word.stop[-1]):
                word.stop -= 1
        at[0] = skip_spaces(p, end)
        return FINE

    cdef Flaw value(self, Py_ssize_t j, Word* word, double* out) noexcept nogil:
        """The cell that a word is for attribute j."""
        cdef int32_t code
        cdef Py_ssize_t n = word.stop - word.start
        self.word, self.word_stop = word.start, word.stop
        if self.roles[j] == UNUSED or (n == 1 and word.start[0] == c"?" and not word.quoted):
            out[0] = NAN
            return FINE
        if self.kinds[j] == NUMERIC:
            if scan_number(word.start, word.stop, out) != word.stop:
                return BAD_VALUE
            return FINE if is_finite(out[0]) else INFINITE
        if self.kinds[j] == NOMINAL:
            if word.escaped:
                if not self.unescape(word):
                    return OUT_OF_MEMORY
                n = word.stop - word.start
            code = self.code(j, word.start, n)
            out[0] = code
            return FINE if code >= 0 else UNKNOWN_VALUE
        if self.n_spans == self.room_spans and not self.more_spans():
            return OUT_OF_MEMORY
        self.spans[2 * self.n_spans] = word.start - self.text
        self.spans[2 * self.n_spans + 1] = word.stop - self.text
        out[0] = <double> self.n_spans
        self.n_spans += 1
        return FINE

    cdef Flaw line(self, const char* p, const char* end) noexcept nogil:
        p = skip_spaces(p, end)
        while end > p and is_space(end[-1]):
            end -= 1
        if p == end or p[0] == c"%":
            return BLANK
        if self.sparse:
            return self.sparse_line(p, end)
        return self.dense_line(p, end)

    cdef Flaw dense_line(self, const char* p, const char* end) noexcept nogil:
        cdef Py_ssize_t j
        cdef Word word
        cdef Flaw flaw
        cdef double* row
        if (self.rows + 1) * self.width > self.room_cells and not self.more_cells():
            return OUT_OF_MEMORY
        row = self.cells + self.rows * self.width
        for j in range(self.width):
            if j > 0:
                if p == end or p[0] != c",":
                    return BAD_COUNT
                p += 1
            flaw = self.next_word(&p, end, False, &word)
            if flaw != FINE:
                return flaw
            if word.start == word.stop and not word.quoted:
                return BAD_COUNT
            flaw = self.value(j, &word, &row[j])
            if flaw != FINE:
                return flaw
        return FINE if p == end else BAD_COUNT

    cdef Flaw sparse_line(self, const char* p, const char* end) noexcept nogil:
        """`{index value, index value}`: what is not there is 0, or the first nominal value."""
        cdef Py_ssize_t j
        cdef const char* digits
        cdef Word word
        cdef Flaw flaw
        cdef double value
        self.targets[self.rows] = NAN if self.worded else 0.0
        if self.weighing:
            self.weights[self.rows] = 0.0
            self.weighted = True
        if p[0] != c"{":
            return BAD_COUNT
        p = skip_spaces(p + 1, end)
        while p < end and p[0] != c"}":
            digits = p
            j = 0
            while p < end and c"0" <= p[0] <= c"9" and j < self.width:
                j = 10 * j + (p[0] - c"0")
                p += 1
            if p == digits or p == end or not is_space(p[0]) or j >= self.width:
                self.word, self.word_stop = digits, p + 1 if p < end else p
                return BAD_INDEX
            flaw = self.next_word(&p, end, True, &word)
            if flaw != FINE:
                return flaw
            if word.start == word.stop and not word.quoted:
                return BAD_COUNT
            flaw = self.value(j, &word, &value)
            if flaw == FINE:
                flaw = self.use(j, &word, value)
            if flaw != FINE:
                return flaw
            if p < end and p[0] == c",":
                p = skip_spaces(p + 1, end)
            elif p == end or p[0] != c"}":
                return BAD_COUNT
        if p == end or skip_spaces(p + 1, end) != end:
            return BAD_COUNT
        return NO_LABEL if self.targets[self.rows] != self.targets[self.rows] else FINE

    cdef Flaw use(self, Py_ssize_t j, Word* word, double value) noexcept nogil:
        """Value of attribute j in a sparse row."""
        cdef Py_ssize_t size, n = self.offset[j + 1] - self.offset[j]
        cdef unsigned char* out
        if self.roles[j] == TARGET:
            if value != value:
                return BAD_VALUE
            self.targets[self.rows] = value
            return FINE
        if self.roles[j] == WEIGHT:
            if not value >= 0.0:
                return BAD_WEIGHT
            self.weights[self.rows] = value
            return FINE
        if self.roles[j] == UNUSED or value != value:
            return FINE
        if self.kinds[j] == NOMINAL and value == 0.0:
            return FINE
        size = n + 1 + (word.stop - word.start)
        if self.entries == self.room and not self.more_entries(1):
            return OUT_OF_MEMORY
        if self.letters + size > self.room_letters and not self.more_letters(size):
            return OUT_OF_MEMORY
        out = self.names + self.letters
        memcpy(out, self.pooled + self.offset[j], n)
        if self.kinds[j] != NUMERIC:
            if word.escaped and self.kinds[j] == TEXT and not self.unescape(word):
                return OUT_OF_MEMORY
            out[n] = c"="
            memcpy(out + n + 1, word.start, word.stop - word.start)
            n += 1 + (word.stop - word.start)
            value = 1.0
        self.name_starts[self.entries] = self.letters
        self.hashes[self.entries] = hash_bytes(out, n)
        self.values[self.entries] = value
        self.letters += n
        self.entries += 1
        return FINE

    cdef bint unescape(self, Word* word) noexcept nogil:
        """Point `word` at a copy without the backslashes."""
        cdef Py_ssize_t n = word.stop - word.start
        if n > self.room_scratch:
            if not grown(<void**> &self.scratch, 2 * n):
                return False
            self.room_scratch = 2 * n
        n = write_unescaped(word.start, word.stop, self.scratch)
        word.start = <const char*> self.scratch
        word.stop = word.start + n
        word.escaped = False
        return True

    cdef bint more_spans(self) noexcept nogil:
        cdef Py_ssize_t room = 2 * self.room_spans + 256
        return (
            grown(<void**> &self.spans, 2 * room * sizeof(int64_t))
            and set_room(&self.room_spans, room)
        )

    cdef bint more_cells(self) noexcept nogil:
        cdef Py_ssize_t room = 2 * self.room_cells + 16 * self.width
        return grown(<void**> &self.cells, room * sizeof(double)) and set_room(&self.room_cells, room)


def unescaped(bytes text):
    """A quoted text as it is meant: see `write_unescaped`."""
    if b"\\" not in text:
        return text.decode()
    cdef bytearray out = bytearray(len(text))
    cdef const char* start = text
    cdef unsigned char* room = <unsigned char*> PyByteArray_AS_STRING(out)
    cdef Py_ssize_t n = write_unescaped(start, start + len(text), room)
    return out[:n].decode()


cdef Py_ssize_t write_unescaped(
    const char* p, const char* stop, unsigned char* out
) noexcept nogil:
    r"""Write a quoted text without its backslashes; how many bytes, never more than before.

    As Weka and liac-arff have it: letters such as \t and \n, up to three octal digits, and \u with
    four hexadecimal digits, two of them for a character beyond. Another character stands for
    itself.
    """
    cdef unsigned char* begin = out
    cdef const char* last
    cdef int code, low
    while p < stop:
        if p[0] != c"\\" or p + 1 == stop:
            out[0] = <unsigned char> p[0]
            out += 1
            p += 1
            continue
        p += 1
        code = unicode_escape(p, stop)
        if 0xD800 <= code < 0xDC00 and p + 5 < stop and p[5] == c"\\":
            low = unicode_escape(p + 6, stop)
            if 0xDC00 <= low < 0xE000:
                out += write_utf8(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00), out)
                p += 11
                continue
        if code >= 0 and not 0xD800 <= code < 0xE000:
            out += write_utf8(code, out)
            p += 5
        elif c"0" <= p[0] <= c"7":
            code = 0
            last = p + 3
            while p < stop and p < last and c"0" <= p[0] <= c"7" and 8 * code + (p[0] - c"0") < 256:
                code = 8 * code + (p[0] - c"0")
                p += 1
            out += write_utf8(code, out)
        else:
            out[0] = letter_escape(<unsigned char> p[0])
            out += 1
            p += 1
    return out - begin


cdef unsigned char letter_escape(unsigned char letter) noexcept nogil:
    """What a letter after a backslash means: the same as in C, or itself."""
    cdef const char* found = strchr(LETTERS, letter)
    return letter if found == NULL else <unsigned char> MEANINGS[found - LETTERS]


cdef int unicode_escape(const char* p, const char* stop) noexcept nogil:
    """The number written as uXXXX; -1 if there is none."""
    cdef int code = 0, i
    cdef char c
    if stop - p < 5 or p[0] != c"u":
        return -1
    for i in range(1, 5):
        c = p[i]
        if c"0" <= c <= c"9":
            code = 16 * code + (c - c"0")
        elif c"a" <= c <= c"f":
            code = 16 * code + (c - c"a" + 10)
        elif c"A" <= c <= c"F":
            code = 16 * code + (c - c"A" + 10)
        else:
            return -1
    return code


cdef int write_utf8(int code, unsigned char* out) noexcept nogil:
    """Write a character; how many bytes."""
    cdef int more = 0 if code < 0x80 else 1 if code < 0x800 else 2 if code < 0x10000 else 3
    cdef int i
    if more == 0:
        out[0] = <unsigned char> code
        return 1
    for i in range(more, 0, -1):
        out[i] = 0x80 | (code & 0x3F)
        code >>= 6
    out[0] = <unsigned char> ((0xFF00 >> (more + 1)) | code)  # as many ones as there are bytes
    return more + 1
