/* Distances from one point to many, which stand feature by feature: up to 16 points at a time, each
 * summed up feature after feature. So every clone, and every place in the window, gives the same
 * bits. What lies behind the last point, up to a multiple of 16, is read and never used.
 */
#ifndef ONSTREAM_DISTANCE_H
#define ONSTREAM_DISTANCE_H

#include "simd.h"

#define ONSTREAM_POINTS 8

#ifdef __GNUC__
/* Two registers of four: wider ones are slow where the machine has none. */
typedef int64_t onstream_bits __attribute__((vector_size(32), aligned(8), may_alias));
#define ONSTREAM_ABS(v) ((onstream_four)((onstream_bits)(v) & INT64_MAX))
#define ONSTREAM_AT(p) (*(const onstream_four *)(p))
#define ONSTREAM_PUT(p) (*(onstream_four *)(p))
#else
typedef double onstream_four;
#define ONSTREAM_ABS(v) fabs(v)
#define ONSTREAM_AT(p) (*(p))
#define ONSTREAM_PUT(p) (*(p))
#undef ONSTREAM_POINTS
#define ONSTREAM_POINTS 1
#endif
#define ONSTREAM_HALF (ONSTREAM_POINTS / 2)

#define ONSTREAM_PATIENCE 32 /* features summed up before it is asked whether to go on */
#ifdef __GNUC__
#define ONSTREAM_STEP 4  /* points of a register */
#define ONSTREAM_ALL(m) ({ onstream_bits all = (m); (all[0] & all[1] & all[2] & all[3]) != 0; })
#else
#define ONSTREAM_STEP 1
#define ONSTREAM_ALL(m) (m)
#endif

/* out[r] = sum over features j of term((x[j] - block[j * stride + r]) * s[j]). Four registers are
 * summed up at a time, since each sum waits for the one before. Terms are never negative, so sums
 * only rise: where all are above the limit, what they would have been is, too, and the rest is
 * left out. */
#define ONSTREAM_SUM_OF(name, term) \
    ONSTREAM_CLONES \
    static void name(double *restrict out, const double *restrict block, ptrdiff_t stride, \
                     const double *restrict x, const double *restrict s, ptrdiff_t d, \
                     ptrdiff_t n, double limit) { \
        for (ptrdiff_t r = 0; r < n; r += 4 * ONSTREAM_STEP) { \
            onstream_four sum0 = {0}, sum1 = {0}, sum2 = {0}, sum3 = {0}, v; \
            const double *p = block + r; \
            for (ptrdiff_t j = 0; j < d;) { \
                ptrdiff_t stop = d - j > ONSTREAM_PATIENCE ? j + ONSTREAM_PATIENCE : d; \
                for (; j < stop; j++, p += stride) { \
                    v = (x[j] - ONSTREAM_AT(p)) * s[j]; \
                    sum0 += term; \
                    v = (x[j] - ONSTREAM_AT(p + ONSTREAM_STEP)) * s[j]; \
                    sum1 += term; \
                    v = (x[j] - ONSTREAM_AT(p + 2 * ONSTREAM_STEP)) * s[j]; \
                    sum2 += term; \
                    v = (x[j] - ONSTREAM_AT(p + 3 * ONSTREAM_STEP)) * s[j]; \
                    sum3 += term; \
                } \
                if (j < d && ONSTREAM_ALL((sum0 > limit) & (sum1 > limit) & (sum2 > limit) \
                                          & (sum3 > limit))) \
                    break; \
            } \
            ONSTREAM_PUT(out + r) = sum0; \
            ONSTREAM_PUT(out + r + ONSTREAM_STEP) = sum1; \
            ONSTREAM_PUT(out + r + 2 * ONSTREAM_STEP) = sum2; \
            ONSTREAM_PUT(out + r + 3 * ONSTREAM_STEP) = sum3; \
        } \
    }

ONSTREAM_SUM_OF(onstream_squares, v * v)
ONSTREAM_SUM_OF(onstream_sizes, ONSTREAM_ABS(v))

#ifdef __GNUC__
#define ONSTREAM_RISE(v) ((onstream_four)((onstream_bits)(v) & ((v) > 0.0)))
#else
#define ONSTREAM_RISE(v) ((v) > 0.0 ? (v) : 0.0)
#endif

/* The same to the nearest point of each box: at most the distance to any point in it, in bits, too,
 * since every step rounds a smaller number to one that is not larger. */
#define ONSTREAM_BOUND_OF(name, term) \
    ONSTREAM_CLONES \
    static void name(double *restrict out, const double *restrict low, \
                     const double *restrict high, ptrdiff_t stride, const double *restrict x, \
                     const double *restrict s, ptrdiff_t d, ptrdiff_t n) { \
        for (ptrdiff_t r = 0; r < n; r += ONSTREAM_HALF ? ONSTREAM_HALF : 1) { \
            onstream_four sum = {0}, below, above, v; \
            for (ptrdiff_t j = 0; j < d; j++) { \
                below = ONSTREAM_AT(low + j * stride + r) - x[j]; \
                above = x[j] - ONSTREAM_AT(high + j * stride + r); \
                v = (ONSTREAM_RISE(below) + ONSTREAM_RISE(above)) * s[j]; \
                sum += term; \
            } \
            ONSTREAM_PUT(out + r) = sum; \
        } \
    }

ONSTREAM_BOUND_OF(onstream_square_bounds, v * v)
ONSTREAM_BOUND_OF(onstream_size_bounds, v)

/* Products with x, and squared lengths, of the points (block - o) * s; x is scaled already. */
ONSTREAM_CLONES
static void onstream_angles(double *restrict dots, double *restrict lengths,
                            const double *restrict block, ptrdiff_t stride,
                            const double *restrict x, const double *restrict o,
                            const double *restrict s, ptrdiff_t d, ptrdiff_t n) {
    for (ptrdiff_t r = 0; r < n; r += ONSTREAM_POINTS) {
        for (ptrdiff_t half = ONSTREAM_HALF; half >= 0; half -= ONSTREAM_HALF ? ONSTREAM_HALF : 1) {
            onstream_four dot = {0}, length = {0}, v;
            for (ptrdiff_t j = 0; j < d; j++) {
                v = (ONSTREAM_AT(block + j * stride + r + half) - o[j]) * s[j];
                dot += v * x[j];
                length += v * v;
            }
            ONSTREAM_PUT(dots + r + half) = dot;
            ONSTREAM_PUT(lengths + r + half) = length;
        }
    }
}

/* Nominal values, as codes: to each out[r] add the number of features in which x and point r
 * differ. Whole numbers are exact, whatever their order. */
#ifdef __GNUC__
typedef int32_t onstream_codes __attribute__((vector_size(32), aligned(4), may_alias));
#endif
ONSTREAM_CLONES
static void onstream_mismatches(double *restrict out, const int32_t *restrict codes,
                                ptrdiff_t stride, const int32_t *restrict x, ptrdiff_t c,
                                ptrdiff_t n) {
    for (ptrdiff_t r = 0; r < n; r += 8) {
        int32_t counts[8];
#ifdef __GNUC__
        onstream_codes sum = {0};
        for (ptrdiff_t j = 0; j < c; j++)
            sum -= *(const onstream_codes *)(codes + j * stride + r) != x[j]; /* true is -1 */
        memcpy(counts, &sum, sizeof(counts));
#else
        memset(counts, 0, sizeof(counts));
        for (ptrdiff_t j = 0; j < c; j++)
            for (int i = 0; i < 8; i++) counts[i] += codes[j * stride + r + i] != x[j];
#endif
        for (int i = 0; i < 8; i++) out[r + i] += counts[i];
    }
}

/* The least that codes add to the distance to any point of a box: only[j * stride + r] is the code
 * of all its points, or `mixed`. */
static void onstream_mismatch_bounds(double *restrict out, const int32_t *restrict only,
                                     ptrdiff_t stride, const int32_t *restrict x, int32_t mixed,
                                     ptrdiff_t c, ptrdiff_t n) {
    for (ptrdiff_t r = 0; r < n; r++) {
        int32_t count = 0;
        for (ptrdiff_t j = 0; j < c; j++) {
            int32_t code = only[j * stride + r];
            count += code != mixed && code != x[j];
        }
        out[r] += count;
    }
}

/* For cosines a nominal value is a feature of its own that is 1: products and squared lengths. */
static void onstream_nominal_angles(double *restrict dots, double *restrict lengths,
                                    const int32_t *restrict codes, ptrdiff_t stride,
                                    const int32_t *restrict x, int32_t absent, ptrdiff_t c,
                                    ptrdiff_t n) {
    for (ptrdiff_t r = 0; r < n; r++) {
        int32_t same = 0, present = 0;
        for (ptrdiff_t j = 0; j < c; j++) {
            int32_t code = codes[j * stride + r];
            present += code != absent;
            same += code != absent && code == x[j];
        }
        dots[r] += same;
        lengths[r] += present;
    }
}

#endif
