"""Lines of Vowpal Wabbit's text, parsed without the GIL."""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memchr

from ..core.hashing cimport hash_bytes
from .quick cimport Prefix, quick_hash, quick_value, set_prefix
from ._sparse_text cimport (
    BAD_LABEL, BAD_WEIGHT, BLANK, FINE, INFINITE, LATE_WEIGHT, LONG_NAMES, NO_FEATURES, NO_LABEL,
    NO_NAME, OUT_OF_MEMORY, UNUSUAL, Flaw, SparseText,
)
from .tokens cimport is_finite, is_space, scan_number, skip_spaces, skip_word

cdef Py_ssize_t MOST_LETTERS = 1 << 26  # bytes of names in one line: a namespace stands before each


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
        p = skip_spaces(p, end)
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
            p = skip_spaces(p, bar)
            if p == bar:
                break
            start = p
            p = skip_word(p, bar)
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
        cdef const char* p = skip_spaces(at[0], end)
        cdef const char* start
        cdef double value = 1.0
        cdef Py_ssize_t size
        cdef Flaw flaw
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
