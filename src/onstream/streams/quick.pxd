# The usual line of sparse text, without a jump that cannot be foreseen. First the places of all
# blanks, colons and bars are marked; then what lies between two marks is read eight bytes at a time.
# Whatever is unusual is left to the careful words of tokens.pxd.

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy

from ..core.hashing cimport hash_start, hash_word, load_word
from .tokens cimport is_finite, onstream_lowest, scan_number

cdef extern from *:
    """
    #include <stddef.h>
    #include <stdint.h>
    #if defined(__SSE2__)
    #include <emmintrin.h>
    #endif

    /* 10^-k in two parts. The first has 26 bits, so that a number below 2^27 times it is exact; the
     * second is so small that its rounding does not matter: digits / 10^k is never nearer than
     * 1 / (2 * 5^8) units in the last place to a point where rounding changes. */
    static const double onstream_tenth[9] = {
        0x1p+0, 0x1.9999998p-4, 0x1.47ae148p-7, 0x1.0624ddp-10, 0x1.a36e2e8p-14,
        0x1.4f8b588p-17, 0x1.0c6f7ap-20, 0x1.ad7f298p-24, 0x1.5798eep-27};
    static const double onstream_tenth_rest[9] = {
        0.0, 0x1.999999999999ap-32, -0x1.47ae147ae147bp-37, 0x1.78d4fdf3b645ap-37,
        0x1.8e219652bd3c3p-41, 0x1.c6d1e108c3f3ep-46, 0x1.6bdb1a6d698fep-49,
        0x1.5e57a42bc3d33p-51, 0x1.18461cefcfdc2p-54};

    #define ONSTREAM_AHEAD 72  /* bytes that may be read beyond the text, and marks written */

    /* Write the places of all bytes up to a space, of ':' and of '|' to `out`, then n; how many
     * there are, without the last. *high: some byte is not ASCII. */
    static ptrdiff_t onstream_marks(const char *text, ptrdiff_t n, uint32_t *out, int *high) {
        ptrdiff_t found = 0, i = 0;
    #if defined(__SSE2__) && defined(__GNUC__)
        const __m128i blank = _mm_set1_epi8(' '), colon = _mm_set1_epi8(':'), bar = _mm_set1_epi8('|');
        uint64_t beyond = 0;
        for (; i < n; i += 64) {
            uint64_t bits = 0, over = 0;
            for (int j = 0; j < 4; j++) {
                const __m128i c = _mm_loadu_si128((const __m128i *)(text + i + 16 * j));
                const __m128i mark = _mm_or_si128(
                    _mm_cmpeq_epi8(_mm_min_epu8(c, blank), c),
                    _mm_or_si128(_mm_cmpeq_epi8(c, colon), _mm_cmpeq_epi8(c, bar)));
                bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(mark) << 16 * j;
                over |= (uint64_t)(uint32_t)_mm_movemask_epi8(c) << 16 * j;
            }
            if (n - i < 64) {
                const uint64_t inside = ((uint64_t)1 << (n - i)) - 1;
                bits &= inside;
                over &= inside;
            }
            beyond |= over;
            /* Twelve at once, as many as 64 bytes mostly have; those too many are overwritten. */
            uint64_t left = bits;
            for (int j = 0; j < 12; j++) {
                out[found + j] = (uint32_t)i + (uint32_t)__builtin_ctzll(left | (uint64_t)1 << 63);
                left &= left - 1;
            }
            if (left) {
                for (found += 12; left; left &= left - 1)
                    out[found++] = (uint32_t)i + (uint32_t)__builtin_ctzll(left);
            } else {
                bits -= bits >> 1 & 0x5555555555555555;
                bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
                found += (ptrdiff_t)(((bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101 >> 56);
            }
        }
        *high = beyond != 0;
    #else
        signed char over = 0;
        for (; i < n; i++) {
            const unsigned char c = (unsigned char)text[i];
            out[found] = (uint32_t)i;
            found += c <= ' ' || c == ':' || c == '|';
            over |= (signed char)c;
        }
        *high = over < 0;
    #endif
        out[found] = (uint32_t)n;
        return found;
    }
    """
    const double* onstream_tenth
    const double* onstream_tenth_rest
    Py_ssize_t ONSTREAM_AHEAD
    Py_ssize_t onstream_marks(const char* text, Py_ssize_t n, uint32_t* out, bint* high) nogil


cdef inline bint all_digits(uint64_t word) noexcept nogil:
    """Are these eight bytes digits?"""
    word ^= <uint64_t> 0x3030303030303030
    return ((word + <uint64_t> 0x7676767676767676) | word) & <uint64_t> 0x8080808080808080 == 0


cdef inline bint quick_number(const char* p, Py_ssize_t n, double* out) noexcept nogil:
    """The number that these n bytes are, if it has up to eight digits and no exponent.

    Eight bytes after the first can be read.
    """
    cdef uint64_t minus = p[0] == c"-", word, point, low, bits
    cdef int at, decimals = 0
    cdef double value
    p += minus
    n -= minus
    if not 1 <= n <= 8:
        return False
    # The digits go to the high end, with zeros before them.
    word = load_word(<const unsigned char*> p, 8) << 8 * (8 - n)
    word |= (<uint64_t> 0x3030303030303030 >> 8) >> 8 * (n - 1)
    point = word ^ <uint64_t> 0x2E2E2E2E2E2E2E2E
    point = (point - <uint64_t> 0x0101010101010101) & ~point & <uint64_t> 0x8080808080808080
    if point:
        if n == 1:
            return False
        at = onstream_lowest(point)
        decimals = 7 - (at >> 3)
        low = (<uint64_t> 1 << (at & 56)) - 1  # the bytes before the point go up by one
        word = (word & ~(low << 8 | 0xFF)) | (word & low) << 8 | <uint64_t> 0x30
    word ^= <uint64_t> 0x3030303030303030
    if ((word + <uint64_t> 0x7676767676767676) | word) & <uint64_t> 0x8080808080808080:
        return False
    word = word * 10 + (word >> 8)
    word = ((word & <uint64_t> 0x000000FF000000FF) * <uint64_t> 0x000F424000000064
            + ((word >> 16) & <uint64_t> 0x000000FF000000FF) * <uint64_t> 0x0000271000000001) >> 32
    value = <double> <int64_t> (word & <uint64_t> 0xFFFFFFFF)
    value = value * onstream_tenth[decimals] + value * onstream_tenth_rest[decimals]
    memcpy(&bits, &value, 8)
    bits |= minus << 63
    memcpy(out, &bits, 8)
    return True


cdef inline bint quick_value(const char* p, const char* end, double* value) noexcept nogil:
    """The finite number that these bytes are, if they are one."""
    if quick_number(p, end - p, value):
        return True
    return scan_number(p, end, value) == end and is_finite(value[0])


cdef enum:
    MOST_WORDS = 8  # of a prefix


cdef struct Prefix:
    uint64_t words[MOST_WORDS]  # eight bytes each
    int full                    # how many are full
    int shift                   # bits of the one after them
    Py_ssize_t size             # bytes altogether


cdef inline bint set_prefix(Prefix* prefix, const char* space, Py_ssize_t n) noexcept nogil:
    """What stands before each name of a namespace: its own name and ^, or nothing."""
    cdef Py_ssize_t i
    if n + 1 >= 8 * MOST_WORDS:
        return False
    prefix.size = n + 1 if n else 0
    prefix.full, prefix.shift = <int> (prefix.size // 8), <int> (prefix.size % 8 * 8)
    for i in range(prefix.full + 1):
        prefix.words[i] = 0
    for i in range(prefix.size):
        prefix.words[i // 8] |= <uint64_t> <unsigned char> (space[i] if i < n else c"^") << i % 8 * 8
    return True


cdef inline uint64_t quick_hash(const Prefix* prefix, const char* name, Py_ssize_t n) noexcept nogil:
    """`hash_bytes` of the prefix and n >= 1 bytes after it; 16 bytes after the name can be read."""
    cdef Py_ssize_t left = prefix.size + n
    cdef uint64_t h = hash_start(left), held = prefix.words[prefix.full], word
    cdef int i, shift = prefix.shift
    for i in range(prefix.full):
        h = hash_word(h, prefix.words[i])
    left -= 8 * prefix.full
    while left > 8:
        word = load_word(<const unsigned char*> name, 8)
        h = hash_word(h, held | word << shift)
        held = word >> 1 >> (63 - shift)  # a shift by 64 is not defined
        name += 8
        left -= 8
    word = held | load_word(<const unsigned char*> name, 8) << shift
    return hash_word(h, word & (<uint64_t> 0xFFFFFFFFFFFFFFFF >> (64 - 8 * left)))
