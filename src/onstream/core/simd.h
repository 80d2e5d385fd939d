/* Inner loops for vector registers, which Cython cannot express.
 *
 * Every dot product keeps eight partial sums, element i in sum i % 8, and adds them in one fixed
 * order; scores of many labels are summed feature by feature; products and sums are never fused. So
 * SSE2, AVX2 and AVX-512 clones, and the plain loops of other machines, give the same bits.
 */
#ifndef ONSTREAM_SIMD_H
#define ONSTREAM_SIMD_H

#define ONSTREAM_SAFE 1e300 /* bound of all numbers of a state; Cython: SAFE of example.pxd */

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) \
    && !defined(ONSTREAM_NO_CLONES)
#define ONSTREAM_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define ONSTREAM_CLONES
#endif

#define ONSTREAM_LANES 8

/* Ask for huge pages if a block is large: its first use then takes a fifth of the time. */
static inline void onstream_large_pages(void *block, size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes >= ((size_t)8 << 20)) {
        uintptr_t start = ((uintptr_t)block + 4095) & ~(uintptr_t)4095;
        madvise((void *)start, ((uintptr_t)block + bytes - start) & ~(uintptr_t)4095, MADV_HUGEPAGE);
    }
#else
    (void)block, (void)bytes;
#endif
}

/* Ask for small pages: of a block with rows that are never used, only the others take memory. */
static inline void onstream_small_pages(void *block, size_t bytes) {
#if defined(__linux__) && defined(MADV_NOHUGEPAGE)
    if (bytes >= ((size_t)8 << 20)) {
        uintptr_t start = ((uintptr_t)block + 4095) & ~(uintptr_t)4095;
        madvise((void *)start, ((uintptr_t)block + bytes - start) & ~(uintptr_t)4095,
                MADV_NOHUGEPAGE);
    }
#else
    (void)block, (void)bytes;
#endif
}

/* Prefetch memory that will be read soon; it may reach beyond the end of an array. */
static inline void onstream_fetch(const void *from, size_t bytes) {
#ifdef __GNUC__
    const char *line = (const char *)from;
    __builtin_prefetch(line, 0, 2);
    for (const char *end = line + bytes; (line += 64) < end;) __builtin_prefetch(line, 0, 2);
#else
    (void)from, (void)bytes;
#endif
}

/* The total of eight partial sums, in the order in which a vector register is halved. */
static inline double onstream_total(const double *s) {
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/* Add the last n - i < 8 products, product j to s[j]; not a loop, so that s stays in registers. */
#define ONSTREAM_TAIL(s, n, i, product) \
    switch ((n) - (i)) { \
        case 7: (s)[6] += product(6); /* fall through */ \
        case 6: (s)[5] += product(5); /* fall through */ \
        case 5: (s)[4] += product(4); /* fall through */ \
        case 4: (s)[3] += product(3); /* fall through */ \
        case 3: (s)[2] += product(2); /* fall through */ \
        case 2: (s)[1] += product(1); /* fall through */ \
        case 1: (s)[0] += product(0); \
    }

/* sum of a[i] * b[i] */
ONSTREAM_CLONES
static double onstream_dot(const double *a, const double *b, ptrdiff_t n) {
    double s[ONSTREAM_LANES] = {0};
    ptrdiff_t i = 0;
    for (; i + ONSTREAM_LANES <= n; i += ONSTREAM_LANES)
        for (int j = 0; j < ONSTREAM_LANES; j++) s[j] += a[i + j] * b[i + j];
#define ONSTREAM_PRODUCT(j) a[i + j] * b[i + j]
    ONSTREAM_TAIL(s, n, i, ONSTREAM_PRODUCT)
#undef ONSTREAM_PRODUCT
    return onstream_total(s);
}

/* sum of values[i] * v[ids[i]], in the same order as onstream_dot */
static inline double onstream_gather_dot(const double *v, const int32_t *ids, const double *values,
                                         ptrdiff_t n) {
    double s[ONSTREAM_LANES] = {0};
    ptrdiff_t i = 0;
#define ONSTREAM_PRODUCT(j) v[ids[i + j]] * values[i + j]
    for (; i + ONSTREAM_LANES <= n; i += ONSTREAM_LANES) {
        s[0] += ONSTREAM_PRODUCT(0);
        s[1] += ONSTREAM_PRODUCT(1);
        s[2] += ONSTREAM_PRODUCT(2);
        s[3] += ONSTREAM_PRODUCT(3);
        s[4] += ONSTREAM_PRODUCT(4);
        s[5] += ONSTREAM_PRODUCT(5);
        s[6] += ONSTREAM_PRODUCT(6);
        s[7] += ONSTREAM_PRODUCT(7);
    }
    ONSTREAM_TAIL(s, n, i, ONSTREAM_PRODUCT)
#undef ONSTREAM_PRODUCT
    return onstream_total(s);
}

/* w += step * x */
ONSTREAM_CLONES
static void onstream_axpy(double *restrict w, const double *restrict x, double step, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) w[i] += step * x[i];
}

/* w[ids[i]] += step * x[i], in order */
ONSTREAM_CLONES
static void onstream_scatter(double *w, const int32_t *ids, const double *x, double step,
                             ptrdiff_t n) {
    ptrdiff_t i = 0;
    for (; i + 4 <= n; i += 4) {
        w[ids[i]] += step * x[i];
        w[ids[i + 1]] += step * x[i + 1];
        w[ids[i + 2]] += step * x[i + 2];
        w[ids[i + 3]] += step * x[i + 3];
    }
    for (; i < n; i++) w[ids[i]] += step * x[i];
}

#ifdef __GNUC__
#define ONSTREAM_INLINE static inline __attribute__((always_inline))
typedef double onstream_four __attribute__((vector_size(32), aligned(8), may_alias));

/* out[r] = sum over features i of x[i] * v[id(i) * stride + r] for 4 * fours columns, kept in
 * registers. All of these columns must exist in v; only the first k are written. */
ONSTREAM_INLINE void onstream_tile(double *restrict out, const double *restrict v,
                                   const int32_t *ids, const double *restrict x, ptrdiff_t n,
                                   ptrdiff_t k, ptrdiff_t stride, const int fours) {
    onstream_four s[8] = {{0}};
    for (ptrdiff_t i = 0; i < n; i++) {
        const onstream_four *row = (const onstream_four *)(v + (ids ? ids[i] : i) * stride);
#pragma GCC unroll 8
        for (int j = 0; j < fours; j++) s[j] += x[i] * row[j];
    }
    for (ptrdiff_t r = 0; r < k && r < 4 * fours; r++) out[r] = s[r / 4][r % 4];
}

/* The same for more columns than fit into registers: four features at a time, each row from start to
 * end, since memory is faster for whole rows than for pieces of many. */
ONSTREAM_INLINE void onstream_wide(double *restrict out, const double *restrict v,
                                   const int32_t *ids, const double *restrict x, ptrdiff_t n,
                                   ptrdiff_t k, ptrdiff_t stride) {
    const double *row[4];
    ptrdiff_t i = 0, r;
    for (r = 0; r < k; r++) out[r] = 0.0;
    for (; i + 4 <= n; i += 4) {
        for (int j = 0; j < 4; j++) row[j] = v + (ids ? ids[i + j] : i + j) * stride;
        for (r = 0; r + 4 <= k; r += 4) {
            onstream_four s = *(onstream_four *)(out + r);
#pragma GCC unroll 4
            for (int j = 0; j < 4; j++) s += x[i + j] * *(const onstream_four *)(row[j] + r);
            *(onstream_four *)(out + r) = s;
        }
        for (; r < k; r++)
            for (int j = 0; j < 4; j++) out[r] += x[i + j] * row[j][r];
    }
    for (; i < n; i++) {
        row[0] = v + (ids ? ids[i] : i) * stride;
        for (r = 0; r < k; r++) out[r] += x[i] * row[0][r];
    }
}

/* The same for all k columns; stride is 4 or a multiple of 8. */
ONSTREAM_CLONES
static void onstream_scores(double *restrict out, const double *restrict v, const int32_t *ids,
                            const double *restrict x, ptrdiff_t n, ptrdiff_t k, ptrdiff_t stride) {
    ptrdiff_t r = 0;
    if (k > 32) {
        onstream_wide(out, v, ids, x, n, k, stride);
        return;
    }
    if (k > 24 && stride >= 32) {
        onstream_tile(out, v, ids, x, n, k, stride, 8);
        return;
    }
    for (; r + 8 < k && r + 16 <= stride; r += 16)
        onstream_tile(out + r, v + r, ids, x, n, k - r, stride, 4);
    for (; r + 4 < k; r += 8) onstream_tile(out + r, v + r, ids, x, n, k - r, stride, 2);
    if (r < k) onstream_tile(out + r, v + r, ids, x, n, k - r, stride, 1);
}
#else
static void onstream_scores(double *out, const double *v, const int32_t *ids, const double *x,
                            ptrdiff_t n, ptrdiff_t k, ptrdiff_t stride) {
    for (ptrdiff_t r = 0; r < k; r++) out[r] = 0.0;
    for (ptrdiff_t i = 0; i < n; i++) {
        const double *row = v + (ids ? ids[i] : i) * stride;
        for (ptrdiff_t r = 0; r < k; r++) out[r] += x[i] * row[r];
    }
}
#endif

/* v[id(i) * stride + r] += x[i] * step[r] for every feature i and column r */
ONSTREAM_CLONES
static void onstream_rank_one(double *restrict v, const int32_t *ids, const double *restrict x,
                              const double *restrict step, ptrdiff_t n, ptrdiff_t k,
                              ptrdiff_t stride) {
    ptrdiff_t i = 0, r;
#ifdef __GNUC__
    for (; ids && i + 4 <= n; i += 4) { /* four rows at a time, as above */
        double *row[4];
        for (int j = 0; j < 4; j++) row[j] = v + ids[i + j] * stride;
        for (r = 0; r + 4 <= k; r += 4) {
            const onstream_four s = *(const onstream_four *)(step + r);
#pragma GCC unroll 4
            for (int j = 0; j < 4; j++) *(onstream_four *)(row[j] + r) += x[i + j] * s;
        }
        for (; r < k; r++)
            for (int j = 0; j < 4; j++) row[j][r] += x[i + j] * step[r];
    }
#endif
    for (; i < n; i++) {
        if (x[i] == 0.0) continue;
        double *restrict row = v + (ids ? ids[i] : i) * stride;
        for (r = 0; r < k; r++) row[r] += x[i] * step[r];
    }
}

/* Largest |x[i]|; infinity if one of them is not finite. Without the sign bit, doubles are ordered
 * like their bits as integers, infinity and NaN last; and integers compare without a case for NaN. */
ONSTREAM_CLONES
static double onstream_peak(const double *x, ptrdiff_t n) {
    int64_t top[ONSTREAM_LANES] = {0}, size, most = 0;
    double peak;
    ptrdiff_t i = 0;
    for (; i + ONSTREAM_LANES <= n; i += ONSTREAM_LANES)
        for (int j = 0; j < ONSTREAM_LANES; j++) {
            memcpy(&size, x + i + j, sizeof size);
            size &= INT64_MAX;
            top[j] = size > top[j] ? size : top[j];
        }
    for (int j = 0; i < n; i++, j++) {
        memcpy(&size, x + i, sizeof size);
        size &= INT64_MAX;
        top[j] = size > top[j] ? size : top[j];
    }
    for (int j = 0; j < ONSTREAM_LANES; j++) most = top[j] > most ? top[j] : most;
    memcpy(&peak, &most, sizeof peak);
    return peak < INFINITY ? peak : INFINITY;
}

/* An upper bound of |x[i]|, at most a millionth above the largest; infinity if one of them is not
 * finite. Twice as fast as onstream_peak: it compares only the upper 32 bits, with the exponent. */
ONSTREAM_CLONES
static double onstream_ceiling(const double *x, ptrdiff_t n) {
    enum { LANES = 2 * ONSTREAM_LANES };
    const double one = 1.0;
    const char *bytes = (const char *)x;
    int32_t halves[2], keep[LANES], top[LANES] = {0}, word, most = 0;
    double ceiling;
    ptrdiff_t i = 0;
    memcpy(halves, &one, sizeof one);
    for (int j = 0; j < LANES; j++) keep[j] = halves[j % 2] ? INT32_MAX : 0;
    for (; i + ONSTREAM_LANES <= n; i += ONSTREAM_LANES, bytes += LANES * sizeof word)
        for (int j = 0; j < LANES; j++) {
            memcpy(&word, bytes + j * sizeof word, sizeof word);
            word &= keep[j];
            top[j] = word > top[j] ? word : top[j];
        }
    for (int j = 0; j < 2 * (n - i); j++) {
        memcpy(&word, bytes + j * sizeof word, sizeof word);
        word &= keep[j];
        top[j] = word > top[j] ? word : top[j];
    }
    for (int j = 0; j < LANES; j++) most = top[j] > most ? top[j] : most;
    int64_t size = (int64_t)most << 32 | UINT32_MAX;
    memcpy(&ceiling, &size, sizeof ceiling);
    return ceiling < INFINITY ? ceiling : INFINITY;
}

/* Number of ids that are not larger than the one before; *top: the largest, as an unsigned number, so
 * that a negative id shows up as the largest. */
ONSTREAM_CLONES
static ptrdiff_t onstream_falls(const int32_t *ids, ptrdiff_t n, uint32_t *top) {
    ptrdiff_t falls = 0, i = 1, end;
    uint32_t most = n > 0 ? (uint32_t)ids[0] : 0;
    while (i < n) { /* in pieces, so that 32-bit counters suffice */
        int32_t some = 0;
        end = n - i > (1 << 30) ? i + (1 << 30) : n;
        for (; i < end; i++) {
            some += ids[i] <= ids[i - 1];
            most = (uint32_t)ids[i] > most ? (uint32_t)ids[i] : most;
        }
        falls += some;
    }
    *top = most;
    return falls;
}

/* The smallest and the largest of n > 0 integers */
ONSTREAM_CLONES
static void onstream_range(const long long *x, ptrdiff_t n, long long *least, long long *most) {
    long long low = x[0], high = x[0];
    for (ptrdiff_t i = 1; i < n; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    *least = low, *most = high;
}

#endif
