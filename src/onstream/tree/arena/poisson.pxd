# How often an example counts, drawn at random (MOA's and River's adaptive trees).

from libc.stdint cimport uint64_t

from ...core.gaussian cimport uniform
from ...core.rules.poisson cimport poisson


cdef inline double times(uint64_t seed, uint64_t example) noexcept nogil:
    """max(1, k) with k from Poisson(1); the same for the same example."""
    return max(1, poisson(1.0, uniform(seed, example), 20))
