# Normal numbers as a function of (key, place): the same in any order of calls.

from libc.math cimport cos, log, sqrt
from libc.stdint cimport uint64_t

from .hashing cimport mix, seed_key


cdef inline double uniform(uint64_t key, uint64_t place) noexcept nogil:
    """Uniform in (0, 1)."""
    cdef uint64_t bits = mix(seed_key(key) + place * <uint64_t> 0x9E3779B97F4A7C15)
    return (<double> (bits >> 11) + 0.5) * (1.0 / 9007199254740992.0)


cdef inline double gaussian(uint64_t key, uint64_t place) noexcept nogil:
    """Normal with mean 0 and variance 1 (Box-Muller)."""
    return sqrt(-2.0 * log(uniform(key, 2 * place))) * cos(6.283185307179586 * uniform(key, 2 * place + 1))
