"""Text with sparse rows, one per line, parsed without the GIL into a SparseBlock.

A line becomes either a row or a reject with its reason. The usual
line is read quickly (quick.pxd); if anything in it is unusual, it is read once more, with care.
"""

from cpython.bytearray cimport (
    PyByteArray_AS_STRING, PyByteArray_FromStringAndSize, PyByteArray_GET_SIZE,
)
from cpython.mem cimport PyMem_RawFree, PyMem_RawRealloc
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memchr, memcpy

import numpy as np

from ..core.arrays cimport data_of, int64s
from ..core.hashing cimport hash_bytes
from .quick cimport ONSTREAM_AHEAD, onstream_marks
from .tokens cimport is_finite, is_space, scan_number, skip_word, valid_utf8
from ..core.sparse import SparseBlock


cdef Py_ssize_t SLACK = ONSTREAM_AHEAD  # bytes that may be read, or written, beyond the end

FLAWS = {
    NO_LABEL: "there is no label; give it one, or leave such lines out with on_error='skip' "
              "(--on-error skip)",
    BAD_LABEL: "{} is not a label; it must be a number",
    BAD_WEIGHT: "{} is not a weight; it must be a number from 0 on",
    BAD_INDEX: "{} is not a feature's number",
    BAD_VALUE: "{} is not a number",
    INFINITE: "{} is not finite",
    NO_FEATURES: "there is no | before the features",
    NO_NAME: "{} has no name",
    LONG_NAMES: "the names are too long",
    BAD_TEXT: "the text is not valid UTF-8",
    OUT_OF_MEMORY: "there is no memory for the line",
    LATE_WEIGHT: "{} is the first importance weight; if some lines have one, say weights=True",
    BAD_COUNT: "the number of values is wrong",
    UNKNOWN_VALUE: "{} is not among the declared values",
    OPEN_QUOTE: "a quote is never closed",
}


def name_hash(bytes name):
    """The hash that entries with this name have."""
    return hash_bytes(<const unsigned char*> <const char*> name, len(name))


def unfilled(Py_ssize_t n):
    """Room for n bytes."""
    return PyByteArray_FromStringAndSize(NULL, n)


cdef class SparseText:
    """Rows of a block of lines; subclasses know what a line is."""

    def __dealloc__(self):
        PyMem_RawFree(self.targets)
        PyMem_RawFree(self.weights)
        PyMem_RawFree(self.values)
        PyMem_RawFree(self.starts)
        PyMem_RawFree(self.name_starts)
        PyMem_RawFree(self.hashes)
        PyMem_RawFree(self.names)
        PyMem_RawFree(self.rejects)
        PyMem_RawFree(self.marks)

    def parse(self, bytearray data, Py_ssize_t size, bint stop_early, later=None):
        """SparseBlock, targets, weights (None: all 1), and the rejected lines, of some bytes.

        A rejected line is (its number from 0, its text, the reason). If `later` is given,
        the block has no names; when it is asked for them, `later` is called and the bytes, which
        must not have changed, are parsed again.
        """
        cdef const char* text = PyByteArray_AS_STRING(data)
        if not 0 <= size <= PyByteArray_GET_SIZE(data):
            raise ValueError(f"there are not {size} bytes")
        if size + SLACK > PyByteArray_GET_SIZE(data):  # words are read beyond the end
            data = data + bytearray(SLACK)
            text = PyByteArray_AS_STRING(data)
        self.rows = self.entries = self.letters = self.n_rejects = 0
        self.weighted = False
        self.naming = later is None
        self.text = text
        with nogil:
            self.parse_lines(text, text + size, stop_early)
        if self.starved:
            raise MemoryError("there is no memory for the list of lines that cannot be read")
        rows, entries = self.rows, self.entries
        names = self.all_names() if later is None else self.late(data, size, stop_early, later)
        block = SparseBlock.trusted(
            bounds(self.starts, rows, entries),
            copied(self.values, entries * sizeof(double), np.float64),
            copied(self.hashes, entries * sizeof(uint64_t), np.uint64),
            names,
            self.integers,
        )
        targets = copied(self.targets, rows * sizeof(double), np.float64)
        weights = copied(self.weights, rows * sizeof(double), np.float64) if self.weighted else None
        return block, targets, weights, [self.rejected_line(data, i) for i in range(self.n_rejects)]

    def again(self):
        """Make a parser that does the same."""
        return type(self)()

    def late(self, bytearray data, Py_ssize_t size, bint stop_early, later):
        """What gives the names of this parse, whatever this parser does then."""
        twin, entries = self.again(), self.entries

        def names():
            later()
            return twin.again().names_again(data, size, stop_early, entries)  # threads may ask at once

        return names

    def names_again(self, bytearray data, Py_ssize_t size, bint stop_early, Py_ssize_t entries):
        self.parse(data, size, stop_early)
        if self.entries != entries:
            raise MemoryError
        return self.all_names()

    def all_names(self):
        return (
            bounds(self.name_starts, self.entries, self.letters),
            copied(self.names, self.letters, np.uint8),
        )

    def rejected_line(self, bytearray data, Py_ssize_t i):
        """A rejected line: number, text and reason."""
        cdef Reject* r = &self.rejects[i]
        word = data[r.word:min(r.word_stop, r.word + 40)].decode(errors="replace")
        return r.line, bytes(data[r.start:r.stop]), FLAWS[r.flaw].format(repr(word))

    cdef void parse_lines(self, const char* p, const char* end, bint stop_early) noexcept nogil:
        cdef const char* stop
        cdef Py_ssize_t entries, letters
        cdef bint weighted
        cdef Flaw flaw
        cdef Reject* reject
        self.lines = 0
        self.starved = False
        while p < end:
            stop = <const char*> memchr(p, c"\n", end - p)
            if stop == NULL:
                stop = end
            entries, letters, weighted = self.entries, self.letters, self.weighted
            self.word = self.word_stop = p
            if not self.more_rows():
                flaw = OUT_OF_MEMORY
            else:
                self.starts[self.rows] = entries
                self.weights[self.rows] = 1.0
                flaw = self.quick(p, stop)
                if flaw == UNUSUAL:
                    self.entries, self.letters = entries, letters
                    self.weights[self.rows] = 1.0
                    if valid_utf8(<const unsigned char*> p, <const unsigned char*> stop):
                        flaw = self.line(p, stop)
                    else:
                        flaw = BAD_TEXT
            if flaw == FINE:
                self.rows += 1
            else:
                self.entries, self.letters, self.weighted = entries, letters, weighted
                if flaw != BLANK:
                    if not self.more_rejects():
                        self.starved = True
                        return
                    reject = &self.rejects[self.n_rejects]
                    reject.line, reject.flaw = self.lines, flaw
                    reject.start, reject.stop = p - self.text, stop - self.text
                    reject.word, reject.word_stop = self.word - self.text, self.word_stop - self.text
                    self.n_rejects += 1
                    if stop_early:
                        return
            self.lines += 1
            p = stop + 1

    cdef Flaw line(self, const char* p, const char* end) noexcept nogil:
        """One line becomes row number `rows`."""
        return BLANK

    cdef Flaw quick(self, const char* p, const char* end) noexcept nogil:
        """The same for the usual line; UNUSUAL: look closer."""
        return UNUSUAL

    cdef Py_ssize_t mark(self, const char* p, const char* end) noexcept nogil:
        """Mark the blanks, colons and bars of a line: how many, -1 if it is no UTF-8 or too much.

        There is then room for as many entries.
        """
        cdef Py_ssize_t n = end - p, found
        cdef bint high = False
        if n >= self.room_marks:  # of an empty line, too: one mark stands at its end
            if not grown(<void**> &self.marks, (2 * n + 1024 + SLACK) * sizeof(uint32_t)):
                return -1
            self.room_marks = 2 * n + 1024
        found = onstream_marks(p, n, self.marks, &high)
        if high and not valid_utf8(<const unsigned char*> p, <const unsigned char*> end):
            return -1
        if self.entries + found + 1 > self.room and not self.more_entries(found + 1):
            return -1
        return found

    cdef bint name(self, const char* prefix, Py_ssize_t m, const char* text, Py_ssize_t n) noexcept nogil:
        """Write the name of the next entry: prefix, ^ and text, or only the text."""
        cdef Py_ssize_t size = m + 1 + n
        cdef unsigned char* out
        if self.letters + size > self.room_letters and not self.more_letters(size):
            return False
        self.name_starts[self.entries] = self.letters
        out = self.names + self.letters
        if m:
            copy_short(out, prefix, m)
            out[m] = c"^"
            out += m + 1
        else:
            size -= 1
        copy_short(out, text, n)
        self.letters += size
        return True

    cdef Flaw number(self, const char** p, const char* end, double* value) noexcept nogil:
        """Read a finite number that a blank, a bar or the end of the line follows."""
        cdef const char* after = scan_number(p[0], end, value)
        if after == NULL or (after < end and not is_space(after[0]) and after[0] != c"|"):
            self.word, self.word_stop = p[0], skip_word(p[0], end)
            return BAD_VALUE
        if not is_finite(value[0]):
            self.word, self.word_stop = p[0], after
            return INFINITE
        p[0] = after
        return FINE

    cdef bint more_entries(self, Py_ssize_t n) noexcept nogil:
        """Room for n more entries."""
        cdef Py_ssize_t room
        room = 2 * self.room + n + 1024
        return (
            grown(<void**> &self.values, room * sizeof(double))
            and grown(<void**> &self.hashes, room * sizeof(uint64_t))
            and grown(<void**> &self.name_starts, (room + 1) * sizeof(int64_t))
            and set_room(&self.room, room)
        )

    cdef bint more_letters(self, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t room
        room = 2 * self.room_letters + n + 4096
        return grown(<void**> &self.names, room + SLACK) and set_room(&self.room_letters, room)

    cdef bint more_rows(self) noexcept nogil:
        cdef Py_ssize_t room
        if self.rows + 1 < self.room_rows:
            return True
        room = 2 * self.room_rows + 1024
        return (
            grown(<void**> &self.targets, room * sizeof(double))
            and grown(<void**> &self.weights, room * sizeof(double))
            and grown(<void**> &self.starts, (room + 1) * sizeof(int64_t))
            and set_room(&self.room_rows, room)
        )

    cdef bint more_rejects(self) noexcept nogil:
        cdef Py_ssize_t room
        if self.n_rejects < self.room_rejects:
            return True
        room = 2 * self.room_rejects + 16
        return grown(<void**> &self.rejects, room * sizeof(Reject)) and set_room(&self.room_rejects, room)


cdef inline void copy_short(unsigned char* out, const char* text, Py_ssize_t n) noexcept nogil:
    """Copy n bytes; up to 16 as two words, beyond the end of both."""
    if n <= 16:
        memcpy(out, text, 16)
    else:
        memcpy(out, text, n)


cdef bint grown(void** block, Py_ssize_t size) noexcept nogil:
    """Resize a block of memory; False, and nothing is changed, if there is none."""
    cdef void* moved = PyMem_RawRealloc(block[0], size)
    if moved == NULL:
        return False
    block[0] = moved
    return True


cdef bint set_room(Py_ssize_t* room, Py_ssize_t size) noexcept nogil:
    """Note the new size, after `grown`."""
    room[0] = size
    return True


cdef object copied(const void* data, Py_ssize_t n_bytes, dtype):
    """n_bytes of C memory as an array of its own."""
    array = np.empty(n_bytes // np.dtype(dtype).itemsize, dtype=dtype)
    if n_bytes:
        memcpy(data_of(array), data, n_bytes)
    return array


cdef object bounds(const int64_t* starts, Py_ssize_t n, Py_ssize_t total):
    """Where n pieces begin, and the end of the last one."""
    array = np.empty(n + 1, dtype=np.int64)
    cdef int64_t* out = int64s(array)
    if n:
        memcpy(out, starts, n * sizeof(int64_t))
    out[n] = total
    return array
