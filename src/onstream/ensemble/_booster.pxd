from libc.stdint cimport uint64_t

from ..core.batch cimport BatchModel
from ..core.example cimport Example
from ..tree._boosted_tree cimport BoostedTreeState
from ..tree.arena.arena cimport View
from ._member cimport Member


cdef struct Watch:      # over the errors of a tree, in standard deviations of its targets
    double n            # examples
    double total        # sum of their errors
    double rise         # how far the errors exceed their mean, summed up (Page-Hinckley)
    double least        # the lowest that sum has been
    double own          # faded squared errors of the tree since it has a rival,
    double rivals       # and those of the rival,
    double together     # over so many examples


cdef class Booster:
    cdef Member chain
    cdef BatchModel model      # a tree,
    cdef BoostedTreeState tree
    cdef BatchModel rival_model  # and one that may take its place; None: there is none
    cdef BoostedTreeState rival
    cdef bint watched          # for a rise of its errors
    cdef Py_ssize_t max_bytes  # of the tree and its rival together; 0: no limit
    cdef Watch watch

    cdef void take(self, BatchModel model)
    cdef double answer(self, const View* v) noexcept nogil
    cdef int learn(self, const Example* e, const View* v, uint64_t t, double* before, double* after) noexcept nogil
    cdef bint risen(self, double error) noexcept nogil
    cdef void compete(self, const Example* e, const View* v, uint64_t t, double off) noexcept nogil
    cdef int challenge(self) noexcept
    cdef int settle(self, uint64_t t, bint replace) noexcept
    cdef void share_memory(self) noexcept
    cdef bint fits(self, Py_ssize_t max_bytes) noexcept
