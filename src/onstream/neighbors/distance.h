/* Distances from one point to many, which stand feature by feature: 8 points at a time, each summed
 * up feature after feature. So every clone, and every place in the window, gives the same bits.
 * What lies behind the last point is read, never used: the block ends with 8 spare numbers.
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

/* out[r] = sum over features j of term((x[j] - block[j * stride + r]) * s[j]) */
#define ONSTREAM_SUM_OF(name, term) \
    ONSTREAM_CLONES \
    static void name(double *restrict out, const double *restrict block, ptrdiff_t stride, \
                     const double *restrict x, const double *restrict s, ptrdiff_t d, \
                     ptrdiff_t n) { \
        for (ptrdiff_t r = 0; r < n; r += ONSTREAM_POINTS) { \
            onstream_four left = {0}, right = {0}, v; \
            const double *p = block + r; \
            for (ptrdiff_t j = 0; j < d; j++, p += stride) { \
                v = (x[j] - ONSTREAM_AT(p)) * s[j]; \
                left += term; \
                v = (x[j] - ONSTREAM_AT(p + ONSTREAM_HALF)) * s[j]; \
                right += term; \
            } \
            ONSTREAM_PUT(out + r + ONSTREAM_HALF) = right; \
            ONSTREAM_PUT(out + r) = left; \
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

#endif
