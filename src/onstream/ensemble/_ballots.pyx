"""What each member votes for each row that is answered, in this order.

Members of an ensemble can be in other processes (`onstream.cluster.members`). There a `Ballots` notes
their votes; here another one holds them, and the ensemble answers from it as if they were its own.
"""

cimport numpy as cnp
from cpython.mem cimport PyMem_RawFree, PyMem_RawRealloc
from libc.stdint cimport int32_t
from libc.string cimport memcpy, memset

import numpy as np

from ..core.arrays cimport doubles, int32s

cnp.import_array()

cdef enum:
    FIRST = 1024  # numbers that there is room for at first


cdef class Ballots:
    def __init__(self, Py_ssize_t n, votes=None):
        self.n = n
        if votes is None:
            return
        numbers = np.ascontiguousarray(votes, dtype=np.float64).ravel()
        self.cast = True
        if not grow(<void**> &self.votes, &self.room, len(numbers), sizeof(double)):
            raise MemoryError("onstream: no memory for the votes of an ensemble")
        if len(numbers):
            memcpy(self.votes, doubles(numbers), len(numbers) * sizeof(double))
        self.used = len(numbers)

    def __dealloc__(self):
        PyMem_RawFree(self.votes)
        PyMem_RawFree(self.widths)

    cdef void add(self, const double* vote, Py_ssize_t width) noexcept nogil:
        """Note the vote of the next member."""
        if width == 0:  # there are no labels yet
            return
        if not grow(<void**> &self.votes, &self.room, self.used + width, sizeof(double)):
            self.failed = True
            return
        memcpy(self.votes + self.used, vote, width * sizeof(double))
        self.used += width

    cdef void read(self, Py_ssize_t ahead, Py_ssize_t m, double* out, Py_ssize_t width) noexcept nogil:
        """The vote of member m for the row that is answered after `ahead` others."""
        cdef Py_ssize_t start = self.at + (ahead * self.n + m) * width
        if width == 0:
            return
        if start + width > self.used:
            self.failed = True
            memset(out, 0, width * sizeof(double))
            return
        memcpy(out, self.votes + start, width * sizeof(double))

    cdef void end_row(self, Py_ssize_t width) noexcept nogil:
        """The next row is answered."""
        self.at += self.n * width
        if self.cast:
            return
        if not grow(<void**> &self.widths, &self.row_room, self.rows + 1, sizeof(int32_t)):
            self.failed = True
            return
        self.widths[self.rows] = <int32_t> width
        self.rows += 1

    def noted(self):
        """All votes as one array, and how many numbers a vote has in each row."""
        if self.failed or self.at != self.used:
            raise MemoryError("onstream: no memory for the votes of an ensemble")
        votes, widths = np.empty(self.used), np.empty(self.rows, dtype=np.int32)
        if self.used:
            memcpy(doubles(votes), self.votes, self.used * sizeof(double))
        if self.rows:
            memcpy(int32s(widths), self.widths, self.rows * sizeof(int32_t))
        return votes, widths

    @property
    def exhausted(self):
        """Was every vote read, and none missing?"""
        return not self.failed and self.at == self.used


cdef bint grow(void** data, Py_ssize_t* room, Py_ssize_t wanted, size_t size) noexcept nogil:
    """Room for so many items; False: there is no memory."""
    cdef Py_ssize_t more = max(wanted, max(2 * room[0], <Py_ssize_t> FIRST))
    cdef void* found
    if wanted <= room[0]:
        return True
    found = PyMem_RawRealloc(data[0], more * size)
    if found == NULL:
        return False
    data[0], room[0] = found, more
    return True
