"""What a block of questions can leave out of a tile, told by products in single precision."""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.string cimport memset

from ._tiles cimport TILE


cdef extern from "sieve.h" nogil:
    void onstream_sieve_points(float* points, double* squares, const double* block,
                               const double* o, const double* s, Py_ssize_t d)
    double onstream_sieve_question(float* out, const double* x, const double* o, const double* s,
                                   Py_ssize_t d)
    void onstream_sieve_products(float* out, const float* points, const float* x, Py_ssize_t d)
    bint onstream_sieve_holds(const float* products, const double* squares, double square,
                              double limit, Py_ssize_t d)


cdef int sieve_make(
    Sieve* s, Py_ssize_t d, Py_ssize_t n, const double* origin, const double* factor,
) noexcept nogil:
    """Room for n questions of d numbers: 0, or -1 without memory; call `sieve_free` in any case."""
    cdef Py_ssize_t together = (n + ASKED - 1) // ASKED * ASKED
    s.d, s.origin, s.factor = d, origin, factor
    s.questions = <float*> PyMem_RawMalloc(together * d * sizeof(float))
    s.points = <float*> PyMem_RawMalloc(TILE * d * sizeof(float))
    s.squares = <double*> PyMem_RawMalloc(n * sizeof(double))
    if s.questions == NULL or s.points == NULL or s.squares == NULL:
        return -1
    memset(s.questions, 0, together * d * sizeof(float))  # also those that fill up the last four
    return 0


cdef void sieve_free(Sieve* s) noexcept nogil:
    PyMem_RawFree(s.questions)
    PyMem_RawFree(s.points)
    PyMem_RawFree(s.squares)


cdef void sieve_ask(Sieve* s, Py_ssize_t i, const double* x) noexcept nogil:
    """Question i."""
    s.squares[i] = onstream_sieve_question(
        s.questions + (i - i % ASKED) * s.d + i % ASKED, x, s.origin, s.factor, s.d)


cdef void sieve_take(Sieve* s, const double* tile) noexcept nogil:
    """The next tile."""
    onstream_sieve_points(s.points, s.points_squares, tile, s.origin, s.factor, s.d)


cdef void sieve_multiply(Sieve* s, Py_ssize_t i, Py_ssize_t group) noexcept nogil:
    """The group of the tile that begins at this place, and the four questions from i on."""
    onstream_sieve_products(s.products, s.points + group * s.d, s.questions + i * s.d, s.d)


cdef bint sieve_holds(const Sieve* s, Py_ssize_t i, Py_ssize_t group, double limit) noexcept nogil:
    """Can an example of the group just multiplied be as near to question i as the limit?"""
    return onstream_sieve_holds(
        s.products + i % ASKED * GROUP, s.points_squares + group, s.squares[i], limit, s.d)
