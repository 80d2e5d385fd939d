"""Text with sparse rows, one per line: libsvm and VW. Parsed without the GIL into a SparseBlock.

A line either becomes a row or a reject with its reason; nothing else can happen to it. The usual
line is read quickly (quick.pxd); if anything in it is unusual, it is read once more, with care.
"""

cimport numpy as cnp
from cpython.bytearray cimport (
    PyByteArray_AS_STRING, PyByteArray_FromStringAndSize, PyByteArray_GET_SIZE,
)
from cpython.mem cimport PyMem_RawFree, PyMem_RawRealloc
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memchr, memcpy

import numpy as np

from ..core.hashing cimport hash_bytes, hash_start, hash_word, load_word
from .quick cimport (
    ONSTREAM_AHEAD, Prefix, all_digits, onstream_marks, quick_hash, quick_value, set_prefix,
)
from .tokens cimport is_finite, is_space, scan_number, valid_utf8
from ..core.sparse import SparseBlock

cnp.import_array()

cdef Py_ssize_t MOST_LETTERS = 1 << 26  # bytes of names in one line: a namespace stands before each

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

    def __cinit__(self, *args, **kwargs):
        self.targets = self.weights = self.values = NULL
        self.starts = self.name_starts = NULL
        self.hashes = NULL
        self.names = NULL
        self.rejects = NULL
        self.marks = NULL
        self.room_marks = 0
        self.naming = True
        self.rows = self.room_rows = self.entries = self.room = 0
        self.letters = self.room_letters = self.n_rejects = self.room_rejects = 0
        self.integers = self.weighted = False

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

        A rejected line is (rows before it, line from 0, its text, the reason). If `later` is given,
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
        return block, targets, weights, [self.told(data, i) for i in range(self.n_rejects)]

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

    def told(self, bytearray data, Py_ssize_t i):
        """A rejected line for Python."""
        cdef Reject* r = &self.rejects[i]
        word = data[r.word:min(r.word_stop, r.word + 40)].decode(errors="replace")
        return r.row, r.line, bytes(data[r.start:r.stop]), FLAWS[r.flaw].format(repr(word))

    @property
    def lines(self):
        """How many lines the latest parse has read."""
        return self.n_lines

    cdef void parse_lines(self, const char* p, const char* end, bint stop_early) noexcept nogil:
        cdef const char* stop
        cdef Py_ssize_t entries, letters
        cdef bint weighted
        cdef Flaw flaw
        cdef Reject* reject
        self.n_lines = 0
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
                    reject.row, reject.line, reject.flaw = self.rows, self.n_lines, flaw
                    reject.start, reject.stop = p - self.text, stop - self.text
                    reject.word, reject.word_stop = self.word - self.text, self.word_stop - self.text
                    self.n_rejects += 1
                    if stop_early:
                        return
            self.n_lines += 1
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
            self.word = self.word_stop = p[0]
            while self.word_stop < end and not is_space(self.word_stop[0]):
                self.word_stop += 1
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


cdef bint grown(void** block, Py_ssize_t size) noexcept nogil:
    cdef void* moved = PyMem_RawRealloc(block[0], size)
    if moved == NULL:
        return False
    block[0] = moved
    return True


cdef bint set_room(Py_ssize_t* room, Py_ssize_t size) noexcept nogil:
    room[0] = size
    return True


cdef object copied(const void* data, Py_ssize_t n_bytes, dtype):
    """n_bytes of C memory as an array of its own."""
    array = np.empty(n_bytes // np.dtype(dtype).itemsize, dtype=dtype)
    if n_bytes:
        memcpy(cnp.PyArray_DATA(<cnp.ndarray> array), data, n_bytes)
    return array


cdef object bounds(const int64_t* starts, Py_ssize_t n, Py_ssize_t total):
    """Where n pieces begin, and the end of the last one."""
    array = np.empty(n + 1, dtype=np.int64)
    cdef int64_t* out = <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> array)
    if n:
        memcpy(out, starts, n * sizeof(int64_t))
    out[n] = total
    return array


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
        while p < end and is_space(p[0]):
            p += 1
        if p == end or p[0] == c"#":
            return BLANK
        flaw = self.number(&p, end, &value)
        if flaw != FINE:
            return BAD_LABEL if flaw == BAD_VALUE else flaw
        self.targets[self.rows] = value
        while True:
            while p < end and is_space(p[0]):
                p += 1
            if p == end or p[0] == c"#":
                return FINE
            start = p
            while p < end and c"0" <= p[0] <= c"9":
                p += 1
            if p == start or p == end or p[0] != c":" or p - start > 18:
                if is_qid(start, end):
                    while p < end and not is_space(p[0]):
                        p += 1
                    continue
                self.blame(start, end)
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

    cdef void blame(self, const char* start, const char* end) noexcept nogil:
        """The word that begins here is wrong."""
        self.word = self.word_stop = start
        while self.word_stop < end and not is_space(self.word_stop[0]):
            self.word_stop += 1


cdef inline void copy_short(unsigned char* out, const char* text, Py_ssize_t n) noexcept nogil:
    """Copy n bytes; up to 16 as two words, beyond the end of both."""
    if n <= 16:
        memcpy(out, text, 16)
    else:
        memcpy(out, text, n)


cdef bint is_qid(const char* p, const char* end) noexcept nogil:
    return end - p > 4 and p[0] == c"q" and p[1] == c"i" and p[2] == c"d" and p[3] == c":"


cdef class VWText(SparseText):
    """`label importance base 'tag|namespace:scale name:value name |namespace ...`.

    Features are called `namespace^name`, or `name` where the namespace has none.
    """

    cdef bint labelled         # lines must have a label
    cdef bint weights_allowed  # a weight may appear
    cdef const char* space     # the present namespace
    cdef Py_ssize_t space_size
    cdef double scale          # of its values
    cdef Py_ssize_t letters_before  # bytes of names before this line

    def __cinit__(self, bint labelled=True, bint weights_allowed=True):
        self.labelled = labelled
        self.weights_allowed = weights_allowed

    def again(self):
        return VWText(self.labelled, self.weights_allowed)

    cdef Flaw quick(self, const char* p, const char* end) noexcept nogil:
        cdef const uint32_t* marks
        cdef Py_ssize_t found, k = 0, entries = self.entries, start, size
        cdef const char* space
        cdef Py_ssize_t space_size
        cdef Prefix prefix
        cdef double* values
        cdef uint64_t* hashes
        while end > p and is_space(end[-1]):
            end -= 1
        found = self.mark(p, end)
        if found < 0 or 64 * found + (end - p) > MOST_LETTERS:
            return UNUSUAL
        marks, values, hashes = self.marks, self.values, self.hashes
        while k < found and p[marks[k]] != c"|":
            k += 1
        if k == found or self.head(p, p + marks[k]) != FINE:
            return UNUSUAL
        while k < found:
            # At a bar.
            space, k = p + marks[k] + 1, k + 1
            space_size = p + marks[k] - space
            if not set_prefix(&prefix, space, space_size):
                return UNUSUAL
            while k < found:
                # Behind the namespace or a feature.
                if p[marks[k]] != c" " and p[marks[k]] != c"\t":
                    return UNUSUAL
                start, k = marks[k] + 1, k + 1
                size = marks[k] - start
                if size == 0:
                    if k < found and p[marks[k]] == c"|":
                        break
                    return UNUSUAL
                hashes[entries] = quick_hash(&prefix, p + start, size)
                if self.naming:
                    self.entries = entries
                    if not self.name(space, space_size, p + start, size):
                        return UNUSUAL
                if k < found and p[marks[k]] == c":":
                    start, k = marks[k] + 1, k + 1
                    if not quick_value(p + start, p + marks[k], values + entries):
                        return UNUSUAL
                else:
                    values[entries] = 1.0
                entries += 1
        self.entries = entries
        return FINE

    cdef Flaw line(self, const char* p, const char* end) noexcept nogil:
        cdef const char* bar
        cdef Flaw flaw
        while p < end and is_space(p[0]):
            p += 1
        while end > p and is_space(end[-1]):
            end -= 1
        if p == end:
            return BLANK
        bar = <const char*> memchr(p, c"|", end - p)
        if bar == NULL:
            return NO_FEATURES
        self.letters_before = self.letters
        flaw = self.head(p, bar)
        while flaw == FINE and bar < end:
            bar += 1  # after the |
            flaw = self.namespace(&bar, end)
            while flaw == FINE and bar < end and bar[0] != c"|":
                flaw = self.feature(&bar, end)
        return flaw

    cdef Flaw head(self, const char* p, const char* bar) noexcept nogil:
        """Label, importance, base and tag."""
        cdef const char* start
        cdef double value
        cdef int numbers = 0
        self.targets[self.rows] = 0.0
        while True:
            while p < bar and is_space(p[0]):
                p += 1
            if p == bar:
                break
            start = p
            while p < bar and not is_space(p[0]):
                p += 1
            if start[0] == c"'" or (p == bar and numbers > 0):
                continue  # a tag: it has an apostrophe, or touches the bar
            if scan_number(start, p, &value) != p or numbers == 3:
                if p == bar:
                    continue
                self.word, self.word_stop = start, p
                return BAD_LABEL if numbers == 0 else BAD_WEIGHT
            if not is_finite(value):
                self.word, self.word_stop = start, p
                return INFINITE
            if numbers == 0:
                self.targets[self.rows] = value
            elif numbers == 1:
                self.word, self.word_stop = start, p
                if value < 0.0:
                    return BAD_WEIGHT
                if not self.weights_allowed:
                    if value != 1.0:
                        return LATE_WEIGHT
                else:
                    self.weights[self.rows] = value
                    self.weighted = True
            numbers += 1
        if numbers == 0 and self.labelled:
            return NO_LABEL
        return FINE

    cdef Flaw namespace(self, const char** at, const char* end) noexcept nogil:
        """The name after a |, and the scale of its values."""
        cdef const char* p = at[0]
        cdef Flaw flaw
        self.space = p
        self.scale = 1.0
        while p < end and not is_space(p[0]) and p[0] != c"|" and p[0] != c":":
            p += 1
        self.space_size = p - self.space
        if p < end and p[0] == c":":
            p += 1
            flaw = self.number(&p, end, &self.scale)
            if flaw != FINE:
                return flaw
        at[0] = p
        return FINE

    cdef Flaw feature(self, const char** at, const char* end) noexcept nogil:
        """One name, or name:value; or blanks at the end."""
        cdef const char* p = at[0]
        cdef const char* start
        cdef double value = 1.0
        cdef Py_ssize_t size
        cdef Flaw flaw
        while p < end and is_space(p[0]):
            p += 1
        if p == end or p[0] == c"|":
            at[0] = p
            return FINE
        start = p
        while p < end and not is_space(p[0]) and p[0] != c":" and p[0] != c"|":
            p += 1
        if p == start:
            self.word, self.word_stop = start, start + 1
            return NO_NAME
        if self.entries == self.room and not self.more_entries(1):
            return OUT_OF_MEMORY
        if self.letters - self.letters_before > MOST_LETTERS:
            return LONG_NAMES
        if not self.name(self.space, self.space_size, start, p - start):
            return OUT_OF_MEMORY
        size = self.letters - self.name_starts[self.entries]
        self.hashes[self.entries] = hash_bytes(self.names + self.letters - size, size)
        if p < end and p[0] == c":":
            p += 1
            flaw = self.number(&p, end, &value)
            if flaw != FINE:
                return flaw
        value *= self.scale
        if not is_finite(value):
            self.word, self.word_stop = at[0], p
            return INFINITE
        self.values[self.entries] = value
        self.entries += 1
        at[0] = p
        return FINE
