# How often an example counts, drawn at random (MOA's and River's adaptive trees).

from libc.math cimport exp
from libc.stdint cimport uint64_t

from ...core.gaussian cimport uniform


cdef inline double times(uint64_t seed, uint64_t example) noexcept nogil:
    """max(1, k) with k from Poisson(1), by inverting its distribution; the same for the same example."""
    cdef double u = uniform(seed, example), chance = exp(-1.0), below = chance
    cdef int k = 0
    while u > below and k < 20:
        k += 1
        chance /= k
        below += chance
    return max(1, k)
