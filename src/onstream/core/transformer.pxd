from libc.stdint cimport int32_t

from .door cimport Door
from .example cimport Example
from .state cimport Step

cdef struct Pool:
    int32_t* ids        # where transformed examples are collected,
    int32_t* codes      # with their nominal values
    double* values      # all three stand in one piece of memory, which begins here
    Py_ssize_t n        # how many values there are
    Py_ssize_t part     # of a union: whose turn it is


cdef class TransformerState(Step):
    cdef TransformerState sibling  # the next part of a union, which takes the same examples
    cdef Pool out                # learning: what the step has made of the example
    cdef Py_ssize_t out_room

    # What a kind of transformer adds. `transform` writes at most `most(n)` features for n.
    cdef Py_ssize_t most(self, Py_ssize_t n) noexcept nogil
    cdef void transform(self, const Example* e, Example* out, Pool* pool) noexcept nogil
    cdef Py_ssize_t width_out(self, Py_ssize_t width) noexcept nogil
    cdef void undo(self) noexcept nogil
    cdef int shrink(self, Py_ssize_t width) except -1

    cdef void become(self, const Example* e, Example* out, Pool* pool) noexcept nogil
    cdef void pass_undo(self) noexcept nogil
    cdef Py_ssize_t pass_most(self, Py_ssize_t n) noexcept nogil
    cdef void pour(self, const Example* e, TransformerState last, Pool* pool) noexcept nogil
    cdef void pour_all(self, const Example* e, TransformerState union, Pool* pool) noexcept nogil
    cdef void renumber(self, Pool* pool, Py_ssize_t start) noexcept nogil
    cdef int learn_all(self, const Example* e) noexcept nogil
    cdef void undo_all(self) noexcept nogil
    cdef Door last_door(self)
    cdef object name_out(self, int32_t id)
    cdef Py_ssize_t most_all(self, Py_ssize_t n) noexcept nogil
    cdef object transform_one(self, object x)
    cdef Py_ssize_t collect(self, const Example* e, Pool* pool) except -1
