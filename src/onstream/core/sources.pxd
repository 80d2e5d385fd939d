from libc.stdint cimport int32_t, int64_t

from .encoder cimport Encoder
from .example cimport Example


cdef class Source:
    cdef Encoder encoder    # turns names into ids
    cdef bint learning      # rows are to be learned: they may bring new features
    cdef Py_ssize_t rows    # number of rows of X
    cdef Py_ssize_t array_columns  # columns of an array without names; -1: X is something else
    cdef Py_ssize_t bytes   # size of X, if `check` reads its values; otherwise 0
    cdef Py_ssize_t chunk   # rows per block: the longest wait of another thread
    cdef bint exposed       # user code runs between `check` and `row`, and could change X
    cdef bint blank         # X has features, but none of them is known
    cdef Py_ssize_t first   # rows first ... last-1 are the current block, copied and checked
    cdef Py_ssize_t last
    cdef Py_ssize_t width   # features known once a row is learned
    cdef double peak        # no |value| checked so far is larger

    cdef int check(self, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef int load(self, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef void row(self, Py_ssize_t i, Example* e) noexcept nogil


cdef class Dense(Source):
    cdef object X             # what the user passed
    cdef const double* given  # its data, if it is a C-contiguous array of float64; otherwise NULL
    cdef object block         # our copy of one block as float64, which no other thread can change
    cdef double* own_values   # the data of `block`
    cdef bint private         # only Python threads can reach the memory of X
    cdef const double* values  # data of the current block: `own_values`, or X itself if no other thread can change it
    cdef const double* by_column  # its data, if each column of float64 is contiguous; otherwise NULL
    cdef Py_ssize_t stride    # numbers from one such column to the next
    cdef Py_ssize_t columns
    cdef list names           # of the columns; None: 0, 1, ...
    cdef readonly bint known  # with names: every column is a feature that was learned
    cdef bint gaps            # NaN is a missing value
    cdef bint gapped          # the current block has some, so that its rows are put together:
    cdef int32_t* present     # features of a row that are not missing; values in `buffer`
    cdef Py_ssize_t ahead     # values per block: distance at which the next block is prefetched
    cdef bint identity        # column i is feature i. Otherwise a row is put together from these:
    cdef int32_t* ids         # features of a row
    cdef Py_ssize_t kept      # number of `ids`
    cdef int32_t* places      # for each column its index in `ids`; -1: an unknown feature
    cdef double* signs        # for each column the sign of its hash
    cdef double* buffer       # values of the row, parallel to `ids`
    cdef Py_ssize_t named     # bytes of names once a row is learned

    cdef int copy(self, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef int map_columns(self) except -1
    cdef Py_ssize_t without_gaps(self, const double* values, int32_t* ids, double* out) noexcept nogil


cdef class Filled(Dense):
    cdef object parts  # row starts, columns and values of the sparse matrix


cdef class Packed(Source):
    cdef object owner           # keeps the arrays below alive
    cdef const int32_t* ids
    cdef const double* values
    cdef const int32_t* codes   # nominal values; NULL: all are numbers
    cdef const int64_t* starts  # row i has the entries starts[i] ... starts[i + 1] - 1
    cdef const int64_t* widths  # features known once row i is learned; NULL: `width`
    cdef const int64_t* named   # bytes of their names; NULL: those of the encoder

    cdef int measure(self, Py_ssize_t n) except -1


cdef class Sparse(Packed):
    cdef Py_ssize_t columns         # of the matrix
    cdef Py_ssize_t ahead           # entries per block: distance at which the next block is prefetched
    cdef const int32_t* all_ids     # columns and values of the matrix: another thread may change them
    cdef const double* all_values
    cdef const int64_t* all_starts  # our own copy of its row starts
    cdef bint private               # only Python threads can reach its memory
    cdef int32_t* own_ids           # our copy of the current block
    cdef double* own_values
    cdef int64_t* own_starts        # its row starts, if repeated entries were merged
    cdef Py_ssize_t room            # entries that fit into our copy
    cdef Py_ssize_t from_row        # the row that starts[0] belongs to
    cdef Py_ssize_t offset          # starts[...] - offset is an index into `ids` and `values`

    cdef int copy(self, Py_ssize_t offset, Py_ssize_t n) except -1
    cdef bint rises(self, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef int merge_rows(self, Py_ssize_t start, Py_ssize_t stop) except -1


cdef class Columns(Source):
    cdef list names           # of the known columns
    cdef list columns         # for each of them its numbers, or for each row the index of a text
    cdef list texts           # for each of them the codes of its texts; None: a column of numbers
    cdef object block         # values of the current block
    cdef object coded         # their codes
    cdef object owner         # keeps the arrays below alive
    cdef const double* values
    cdef const int32_t* codes
    cdef const int32_t* ids   # features of the columns; NULL: 0, 1, ...
    cdef const int64_t* named  # bytes of names once row i is learned; NULL: those of the encoder
    cdef Py_ssize_t n         # number of known columns
