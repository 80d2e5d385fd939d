"""Questions that are plain numbers, read straight into a matrix: no dict, no float is ever made.

`{"examples": [{"x": {"a": 1.5, "b": 2}}, …]}`, where every row has the names of the first in the
same order, and nothing else. Whatever is different, or wrong, is left to the decoder of all bodies.
"""

from libc.string cimport memcmp

import numpy as np

from ..core.arrays cimport doubles
from ..streams.tokens cimport is_finite, scan_number
from ..core.number_frames import NumberFrame


cdef inline const char* skip(const char* p) noexcept nogil:
    """The first byte from `p` on that JSON does not skip; there is a 0 at the end."""
    while p[0] == c" " or p[0] == c"\n" or p[0] == c"\r" or p[0] == c"\t":
        p += 1
    return p


cdef inline const char* past(const char* p, const char* end, const char* text, Py_ssize_t n) noexcept nogil:
    """Behind this text, and what is skipped after it; NULL: something else stands there."""
    if p == NULL or end - p < n or memcmp(p, text, n) != 0:
        return NULL
    return skip(p + n)


cdef inline bint is_digit(char c) noexcept nogil:
    return c"0" <= c <= c"9"


cdef inline const char* number(const char* p, const char* end, double* out) noexcept nogil:
    """Behind a finite number as JSON has it; NULL: it is none."""
    cdef const char* start = p
    p += p[0] == c"-"
    if not is_digit(p[0]) or (p[0] == c"0" and is_digit(p[1])):
        return NULL
    while is_digit(p[0]):
        p += 1
    if p[0] == c"." and not is_digit(p[1]):
        return NULL
    cdef const char* whole = p
    p = scan_number(start, end, out)
    if p == NULL or not is_finite(out[0]):
        return NULL
    if p == whole and out[0] == 0.0:
        out[0] = 0.0  # the whole number -0 has no sign
    return p


cdef const char* name_end(const char* p, Py_ssize_t longest) noexcept nogil:
    """Behind the name in quotes that begins here; NULL: one that is not plain, or too long."""
    cdef const char* start = p
    p += 1
    while p[0] != c'"':
        if p[0] < c" " or p[0] > c"~" or p[0] == c"\\" or p - start > longest:
            return NULL
        p += 1
    return p + 1


def read_numbers(bytes body, Py_ssize_t most_columns, Py_ssize_t longest):
    """Two or more rows of a body as a frame; None: it is not so plain.

    At most so many columns, whose names have at most `longest` bytes.
    """
    cdef const char* text = body
    cdef const char* end = text + len(body)
    cdef const char* p = past(skip(text), end, b"{", 1)
    cdef const char* after
    cdef list names = [], places = []
    cdef Py_ssize_t rows = 0, n = 0, column, size
    cells = np.empty(len(body) // 4 + 1)  # a cell takes at least `"":1,`
    cdef double* values = doubles(cells)
    p = past(p, end, b'"examples"', 10)
    p = past(p, end, b":", 1)
    p = past(p, end, b"[", 1)
    while p != NULL:
        p = past(p, end, b"{", 1)
        p = past(p, end, b'"x"', 3)
        p = past(p, end, b":", 1)
        p = past(p, end, b"{", 1)
        column = 0
        while p != NULL:
            if rows == 0:
                after = name_end(p, longest) if p[0] == c'"' else NULL
                if after == NULL or column == most_columns:
                    return None
                names.append(p[1 : after - 1 - p].decode("ascii"))
                places.append(p[: after - p])
                size = after - p
            elif column == len(places):
                return None
            else:
                size = len(<bytes> places[column])
            p = past(p, end, <bytes> places[column], size)
            p = past(p, end, b":", 1)
            if p == NULL:
                return None
            p = number(p, end, &values[n])
            if p == NULL:
                return None
            p = skip(p)
            n += 1
            column += 1
            if p[0] != c",":
                break
            p = skip(p + 1)
        p = past(p, end, b"}", 1)
        p = past(p, end, b"}", 1)
        if p == NULL or column != len(places):
            return None
        rows += 1
        if p[0] != c",":
            break
        p = skip(p + 1)
    p = past(p, end, b"]", 1)
    p = past(p, end, b"}", 1)
    if p != end or rows < 2 or len(set(names)) < len(names):
        return None
    return NumberFrame(names, cells[:n].reshape(rows, len(names)))
