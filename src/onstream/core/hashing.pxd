# A fixed 64-bit hash of feature names: the same on every platform and in every release. A name is
# hashed without a seed, so that a reader can do it once for all models; `seeded` makes the bits of
# one model out of it.

from libc.stdint cimport uint64_t


cdef inline uint64_t mix(uint64_t h) noexcept nogil:
    """Spread every bit over the whole word (finaliser of splitmix64)."""
    h = (h ^ (h >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    h = (h ^ (h >> 27)) * <uint64_t> 0x94D049BB133111EB
    return h ^ (h >> 31)


cdef inline uint64_t seeded(uint64_t name_hash, uint64_t seed) noexcept nogil:
    """The bits that give a name its slot and its sign in a model with this seed."""
    return mix(name_hash ^ mix(seed + <uint64_t> 0x9E3779B97F4A7C15))


cdef inline uint64_t hash_start() noexcept nogil:
    """The hash of no bytes at all."""
    return <uint64_t> 0xCBF29CE484222325


cdef inline uint64_t hash_more(uint64_t h, const unsigned char* text, Py_ssize_t n) noexcept nogil:
    """Continue `h` over n bytes; the bytes of one name may come in several pieces."""
    cdef Py_ssize_t i
    for i in range(n):  # FNV-1a step, then a rotation so that high bits reach low ones
        h = (h ^ text[i]) * <uint64_t> 0x100000001B3
        h = (h << 29) | (h >> 35)
    return h
