from libc.stdint cimport int32_t, int64_t

from .encoder cimport Encoder
from .example cimport Example


cdef class Source:
    cdef Encoder encoder          # where names become ids
    cdef bint learning      # new features are new_features
    cdef Py_ssize_t rows
    cdef Py_ssize_t array_columns  # columns of an array without names; -1: something else
    cdef Py_ssize_t bytes   # of X, if `check` has to look at them; else 0
    cdef Py_ssize_t chunk   # rows per block: what one reader may have to wait for
    cdef bint exposed       # code of the user runs between the check of a block and its reading
    cdef bint blank         # there are features in X, but none of them is known

    cdef int check(self, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef int load(self, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef void row(self, Py_ssize_t i, Example* e) noexcept nogil


cdef class Dense(Source):
    cdef object X             # what the user passed
    cdef const double* given  # its numbers, if it is a C-contiguous array of float64; else NULL
    cdef object block         # a copy of some of its rows as float64: nobody else can change it
    cdef double* own_values   # its numbers
    cdef bint private         # only threads of Python can reach the memory of X
    cdef const double* values  # numbers of the present block: these, or X itself while nobody can change it
    cdef Py_ssize_t first     # row of X that stands first there
    cdef Py_ssize_t last      # row after the last: first ... last-1 were checked
    cdef Py_ssize_t columns
    cdef list names           # of the columns; None: 0, 1, ...
    cdef double peak          # no |value| checked so far is larger
    cdef Py_ssize_t ahead     # values per block: those of the next are fetched meanwhile
    cdef bint identity        # column i is feature i
    cdef int32_t* ids         # else: features of the row put together,
    cdef Py_ssize_t kept      # how many they are,
    cdef int32_t* places      # where among them each column goes (-1: nowhere),
    cdef double* signs        # with the sign of its hash,
    cdef double* buffer       # and their values
    cdef Py_ssize_t width     # features known once a row is learned
    cdef Py_ssize_t named     # bytes of their names

    cdef int copy(self, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef int map_columns(self) except -1


cdef class Filled(Dense):
    cdef object parts  # row starts, columns, values


cdef class Packed(Source):
    cdef object owner           # the arrays whose memory is used below
    cdef const int32_t* ids
    cdef const double* values
    cdef const int32_t* codes   # nominal values; NULL: all are numbers
    cdef const int64_t* starts  # row i is starts[i] ... starts[i + 1]
    cdef const int64_t* widths  # features known once row i is learned; NULL: `width`
    cdef const int64_t* named   # bytes of their names; NULL: those of the encoder
    cdef Py_ssize_t width
    cdef double peak

    cdef int measure(self, Py_ssize_t n) except -1


cdef class Sparse(Packed):
    cdef Py_ssize_t columns         # of the matrix
    cdef Py_ssize_t ahead           # values per block: those of the next are fetched meanwhile
    cdef const int32_t* all_ids     # the matrix itself, which another thread may be changing,
    cdef const double* all_values
    cdef const int64_t* all_starts  # but for these, which are ours
    cdef bint private               # only threads of Python can reach its memory
    cdef int32_t* own_ids           # a copy of rows first ... last-1, which were checked
    cdef double* own_values
    cdef int64_t* own_starts        # where they start in it, if some were merged
    cdef Py_ssize_t first, last
    cdef Py_ssize_t room            # entries that fit
    cdef Py_ssize_t from_row        # the row that stands first in `starts`
    cdef Py_ssize_t offset          # of the entries that `starts` counts, those before the copy

    cdef int copy(self, Py_ssize_t offset, Py_ssize_t n) except -1
    cdef bint rises(self, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef int merge_rows(self, Py_ssize_t start, Py_ssize_t stop) except -1


cdef class Columns(Source):
    cdef list names           # of each column that is known,
    cdef list columns         # its numbers, or which of its texts a row has,
    cdef list texts           # and the numbers of these texts; None: a column of numbers
    cdef object block         # values of the present block
    cdef object coded         # their nominal values
    cdef object owner         # the arrays whose memory is used below
    cdef const double* values
    cdef const int32_t* codes
    cdef const int32_t* ids   # features of the columns; NULL: 0, 1, ...
    cdef const int64_t* named  # bytes of names once each row is learned; NULL: those of the encoder
    cdef Py_ssize_t first     # row that stands first in the block
    cdef Py_ssize_t n, width
    cdef double peak
