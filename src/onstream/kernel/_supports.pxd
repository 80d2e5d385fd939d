# Supports: what a kernel learner remembers of its examples, and the kernel between them.

from libc.stdint cimport int32_t, uint64_t

from ..core.example cimport Example
from ._first_examples cimport FirstExamples
from ._postings cimport Postings


cdef extern from "rows.h" nogil:
    ctypedef struct onstream_op:
        int op
        int from_ "from"
        double gamma
        double coef0
        int degree
        int by_width
    enum:
        ONSTREAM_LINEAR
        ONSTREAM_POLYNOMIAL
        ONSTREAM_RBF
        ONSTREAM_SCALE
        ONSTREAM_ADD
        ONSTREAM_MULTIPLY
        ONSTREAM_NORMALIZE
        ONSTREAM_DEPTH
    void onstream_self_value(const onstream_op* ops, int n, double length, double* result)
    void onstream_kernel_row(
        const onstream_op* ops, int n_ops, int wants_dots, int wants_gaps, double* out,
        const double* v, const double* lengths, Py_ssize_t k, Py_ssize_t stride,
        const int32_t* ids, const double* x, Py_ssize_t n, Py_ssize_t used, double length,
        int full, double rest)


cdef class CompiledKernel:
    cdef readonly object kernel  # the user's kernel
    cdef bint vectors            # it is one of vectors, and compiled to operations
    cdef onstream_op* ops
    cdef int n                   # how many operations
    cdef bint dots               # they need dot products
    cdef bint gaps               # they need squared distances
    cdef Py_ssize_t width        # features of the first support, for gamma=None; 0: none yet

    cdef int* medians            # operations whose gamma goes by the first examples
    cdef int n_medians
    cdef FirstExamples first     # these; None: no gamma needs them

    cdef void set_width(self, Py_ssize_t width) noexcept nogil
    cdef bint hold(self, const Example* e) noexcept nogil
    cdef bint watch(self, const Example* e) noexcept nogil
    cdef void set_medians(self) noexcept nogil


cdef class Supports:
    cdef CompiledKernel compiled  # shared by all machines of a learner
    cdef Py_ssize_t n       # supports in use
    cdef Py_ssize_t room    # supports that fit; a multiple of 8
    cdef readonly Py_ssize_t used  # features that one of them has had
    cdef Py_ssize_t rows    # features that fit
    cdef Py_ssize_t filled  # values of them that are not 0
    cdef double* v          # feature-major: feature j of support i is v[j * room + i]
    cdef Postings sparse    # the same by feature, where nearly all of that were 0:
    cdef readonly bint is_sparse  # this is in use, not v
    cdef bint keep_layout   # a file says whether it is dense or sparse: `fit` does not choose
    cdef double* lengths    # squared length of each
    cdef double* self_k     # kernel of each with itself
    cdef double* x          # one support as a dense example
    cdef list objects       # structured kernels: (canonical form, prepared form) of each
    cdef bint wants_gram    # structured: `row_of` will be asked
    cdef double* gram       # structured: kernels between supports, room x room
    cdef Py_ssize_t offset  # structured: where this store's row stands in the example
    cdef Py_ssize_t object_slot  # structured: slot that waits for its object; -1: none

    cdef bint measure(self, const Example* e, double* length, double* self_k) noexcept nogil
    cdef void row(self, const Example* e, double length, double* out) noexcept nogil
    cdef void row_of(self, Py_ssize_t i, double* out) noexcept nogil
    cdef void as_example(self, Py_ssize_t i, Example* e) noexcept nogil
    cdef bint fit(self, Py_ssize_t n, const Example* e) noexcept nogil
    cdef bint to_sparse(self) noexcept nogil
    cdef void put(
        self, Py_ssize_t slot, const Example* e, double length, double self_k, const double* row
    ) noexcept nogil
    cdef void undo_put(self, Py_ssize_t used, Py_ssize_t width) noexcept nogil
    cdef int reserve_object(self) except -1
    cdef int store_object(self, object item) except -1


cdef bint grown(double** block, Py_ssize_t old, Py_ssize_t new) noexcept nogil
cdef bint restrided(double** block, Py_ssize_t rows, Py_ssize_t old, Py_ssize_t new) noexcept nogil
cdef bint widened(double** block, Py_ssize_t old, Py_ssize_t new) noexcept nogil
cdef Py_ssize_t eights(Py_ssize_t n) noexcept nogil
cdef uint64_t draw(uint64_t seed, uint64_t number) noexcept nogil
