# Words of text formats: numbers and UTF-8, without the GIL and whatever the locale is.

from libc.math cimport INFINITY
from libc.stdint cimport uint64_t
from libc.stdlib cimport strtod
from libc.string cimport memcpy

cdef extern from *:
    """
    #include <locale.h>
    #include <math.h>
    #include <stdint.h>
    static const double onstream_ten[23] = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

    /* Number of the lowest bit that is set; there is one. */
    #if defined(__GNUC__)
    static inline int onstream_lowest(uint64_t bits) { return __builtin_ctzll(bits); }
    #else
    static inline int onstream_lowest(uint64_t bits) {
        int n = 0;
        while (!(bits & 1)) { bits >>= 1; n++; }
        return n;
    }
    #endif

    /* digits / 10^places to the nearest double, at a tie to the even one: a quotient of 64 bits or
     * more, and whether there is a rest. digits > 0, places < 20. */
    #if defined(__SIZEOF_INT128__) && defined(__GNUC__)
    #define ONSTREAM_WIDE 1
    static double onstream_quotient(uint64_t digits, int places) {
        static const uint64_t powers[20] = {
            1u, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u, 100000000u, 1000000000u,
            10000000000u, 100000000000u, 1000000000000u, 10000000000000u, 100000000000000u,
            1000000000000000u, 10000000000000000u, 100000000000000000u, 1000000000000000000u,
            10000000000000000000u};
        const int zeros = __builtin_clzll(digits);
        const unsigned __int128 n = (unsigned __int128)digits << 64 << zeros, p = powers[places];
        const unsigned __int128 whole = n / p;
        const uint64_t high = (uint64_t)(whole >> 64);
        const int more = high ? 64 - __builtin_clzll(high) : 0;
        uint64_t bits = (uint64_t)(whole >> more);  /* the highest of the 64 is set */
        const int some = whole * p != n || (more && (uint64_t)whole << (64 - more));
        const uint64_t rest = bits << 53, half = (uint64_t)1 << 63;
        bits >>= 11;
        bits += rest > half || (rest == half && (some || bits & 1));
        return ldexp((double)bits, 11 + more - 64 - zeros);
    }
    #else
    #define ONSTREAM_WIDE 0
    static double onstream_quotient(uint64_t digits, int places) { return 0.0; }
    #endif

    /* A comma for the point would spoil strtod: put the locale's point into a copy then. */
    static double onstream_strtod(const char *text, Py_ssize_t n) {
        const char *point = localeconv()->decimal_point;
        if (point[0] == '.' && point[1] == 0) return strtod(text, NULL);
        char copy[800];
        Py_ssize_t i, used = 0;
        for (i = 0; i < n && used < 780; i++) {
            const char *c = text[i] == '.' ? point : NULL;
            if (c == NULL) copy[used++] = text[i];
            else while (*c) copy[used++] = *c++;
        }
        copy[used] = 0;
        return strtod(copy, NULL);
    }
    """
    const double* onstream_ten
    bint ONSTREAM_WIDE
    double onstream_quotient(uint64_t digits, int places) nogil
    int onstream_lowest(uint64_t bits) nogil
    double onstream_strtod(const char* text, Py_ssize_t n) nogil


cdef inline bint is_space(char c) noexcept nogil:
    return c == c" " or c == c"\t" or c == c"\r"


cdef inline const char* skip_spaces(const char* p, const char* end) noexcept nogil:
    """The first byte from `p` on that is no blank, or the end."""
    while p < end and is_space(p[0]):
        p += 1
    return p


cdef inline const char* skip_word(const char* p, const char* end) noexcept nogil:
    """The first blank from `p` on, or the end."""
    while p < end and not is_space(p[0]):
        p += 1
    return p


cdef inline const char* scan_number(const char* p, const char* end, double* out) noexcept nogil:
    """Read a decimal number; where it ends, or NULL if there is none. May give infinity.

    The text must be followed by a byte that is not part of a number (bytes objects end with 0).
    """
    cdef const char* start = p
    cdef const char* first
    cdef uint64_t digits = 0
    cdef Py_ssize_t count, scale = 0, exponent = 0
    cdef bint minus = False, minus_exponent = False
    cdef double value
    if p < end and (p[0] == c"-" or p[0] == c"+"):
        minus = p[0] == c"-"
        p += 1
    first = p
    while p < end and <unsigned char> (p[0] - c"0") <= 9:
        digits = digits * 10 + <uint64_t> (p[0] - c"0")
        p += 1
    count = p - first
    if p < end and p[0] == c".":
        p += 1
        first = p
        while p < end and <unsigned char> (p[0] - c"0") <= 9:
            digits = digits * 10 + <uint64_t> (p[0] - c"0")
            p += 1
        scale = first - p
        count -= scale
    if count == 0:
        return NULL
    if p < end and (p[0] == c"e" or p[0] == c"E"):
        p += 1
        if p < end and (p[0] == c"-" or p[0] == c"+"):
            minus_exponent = p[0] == c"-"
            p += 1
        if p >= end or not c"0" <= p[0] <= c"9":
            return NULL
        while p < end and c"0" <= p[0] <= c"9":
            if exponent < 100000:
                exponent = exponent * 10 + (p[0] - c"0")
            p += 1
        scale += -exponent if minus_exponent else exponent
    if count <= 19 and digits <= (<uint64_t> 1 << 53) and -22 <= scale <= 22:
        # Both numbers are exact, so one operation rounds once: the nearest double (Clinger 1990).
        value = <double> digits
        value = value * onstream_ten[scale] if scale >= 0 else value / onstream_ten[-scale]
        out[0] = -value if minus else value
    elif ONSTREAM_WIDE and count <= 19 and -20 < scale < 0:
        value = onstream_quotient(digits, <int> -scale)
        out[0] = -value if minus else value
    else:
        out[0] = onstream_strtod(start, p - start)
    return p


cdef inline bint is_finite(double value) noexcept nogil:
    return -INFINITY < value < INFINITY


cdef inline bint valid_utf8(const unsigned char* p, const unsigned char* end) noexcept nogil:
    """Well-formed UTF-8, as Python understands it: no surrogates, nothing too long."""
    cdef unsigned char c, d
    cdef int more
    cdef uint64_t word
    while p < end:
        while end - p >= 8:  # mostly all is ASCII
            memcpy(&word, p, 8)
            if word & <uint64_t> 0x8080808080808080:
                break
            p += 8
        if p == end:
            return True
        c = p[0]
        p += 1
        if c < 0x80:
            continue
        if c < 0xC2 or c > 0xF4:
            return False
        more = 1 if c < 0xE0 else 2 if c < 0xF0 else 3
        if end - p < more:
            return False
        d = p[0]
        if d & 0xC0 != 0x80:
            return False
        if (c == 0xE0 and d < 0xA0) or (c == 0xED and d > 0x9F):
            return False
        if (c == 0xF0 and d < 0x90) or (c == 0xF4 and d > 0x8F):
            return False
        if more > 1 and p[1] & 0xC0 != 0x80:
            return False
        if more > 2 and p[2] & 0xC0 != 0x80:
            return False
        p += more
    return True
