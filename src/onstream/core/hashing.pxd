# A fixed 64-bit hash of feature names: the same on every platform and in every release. Names are
# hashed without a seed, so that a reader does it once for all models; `seeded` adds the seed of one
# model.

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memcpy


cdef inline uint64_t mix(uint64_t h) noexcept nogil:
    """Spread every bit over the whole word (finaliser of splitmix64)."""
    h = (h ^ (h >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    h = (h ^ (h >> 27)) * <uint64_t> 0x94D049BB133111EB
    return h ^ (h >> 31)


cdef inline uint64_t seed_key(uint64_t seed) noexcept nogil:
    """What `seeded` combines with the hash of a name."""
    return mix(seed + <uint64_t> 0x9E3779B97F4A7C15)


cdef inline uint64_t seeded(uint64_t name_hash, uint64_t seed) noexcept nogil:
    """The bits that give a name its slot and its sign in a model with this seed."""
    return mix(name_hash ^ seed_key(seed))


cdef inline uint64_t load_word(const unsigned char* p, Py_ssize_t n) noexcept nogil:
    """n = 1 ... 8 bytes as a little-endian number, on any machine."""
    cdef uint64_t word = 0
    cdef Py_ssize_t i
    cdef int32_t one = 1
    cdef uint32_t low, high
    if (<unsigned char*> &one)[0] == 1:
        if n == 8:
            memcpy(&word, p, 8)
            return word
        if n >= 4:  # two halves that overlap
            memcpy(&low, p, 4)
            memcpy(&high, p + n - 4, 4)
            return <uint64_t> low | <uint64_t> high << 8 * (n - 4)
    for i in range(n):
        word |= <uint64_t> p[i] << 8 * i
    return word


cdef inline uint64_t hash_start(Py_ssize_t n) noexcept nogil:
    return <uint64_t> 0xCBF29CE484222325 + <uint64_t> n * <uint64_t> 0x9E3779B97F4A7C15


cdef inline uint64_t hash_word(uint64_t h, uint64_t word) noexcept nogil:
    h = (h ^ word) * <uint64_t> 0x9FB21C651E98DF25
    return h ^ (h >> 32)


cdef inline uint64_t hash_bytes(const unsigned char* text, Py_ssize_t n) noexcept nogil:
    """The hash of a name: eight bytes at a time, the last ones padded with zeros."""
    cdef uint64_t h = hash_start(n)
    while n > 8:
        h = hash_word(h, load_word(text, 8))
        text += 8
        n -= 8
    return hash_word(h, load_word(text, n)) if n > 0 else h
