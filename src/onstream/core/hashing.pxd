# A fixed, seeded 64-bit hash of feature names: the same on every platform and in every release.

from libc.stdint cimport uint64_t


cdef inline uint64_t mix(uint64_t h) noexcept nogil:
    """Spread every bit over the whole word (finaliser of splitmix64)."""
    h = (h ^ (h >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    h = (h ^ (h >> 27)) * <uint64_t> 0x94D049BB133111EB
    return h ^ (h >> 31)


cdef inline uint64_t hash_start(uint64_t seed) noexcept nogil:
    return mix(seed + <uint64_t> 0x9E3779B97F4A7C15)


cdef inline uint64_t hash_more(uint64_t h, const unsigned char* text, Py_ssize_t n) noexcept nogil:
    """Continue `h` over n bytes; the bytes of one name may come in several pieces."""
    cdef Py_ssize_t i
    for i in range(n):  # FNV-1a step, then a rotation so that high bits reach low ones
        h = (h ^ text[i]) * <uint64_t> 0x100000001B3
        h = (h << 29) | (h >> 35)
    return h
