/* Kernel rows: K(x_i, x) for every support x_i, many supports at a time.
 *
 * Supports are stored feature-major in one block: feature j of support i is v[j * stride + i]. A list
 * of operations on a stack says how dot products and squared distances become kernel values; it runs
 * over tiles of supports that stay in the cache. Every clone adds in the same order and never
 * contracts, so all of them give the same bits.
 */
#ifndef ONSTREAM_KERNEL_ROWS_H
#define ONSTREAM_KERNEL_ROWS_H

#include "simd.h"

#define ONSTREAM_TILE 128 /* supports per tile: a multiple of 32 */
#define ONSTREAM_DEPTH 8  /* kernel values on the stack */

enum { ONSTREAM_LINEAR, ONSTREAM_POLYNOMIAL, ONSTREAM_RBF, ONSTREAM_SCALE, ONSTREAM_ADD,
       ONSTREAM_MULTIPLY, ONSTREAM_NORMALIZE };

typedef struct {
    int op;
    int from;     /* ONSTREAM_NORMALIZE: first operation of the kernel inside */
    double gamma; /* or the factor of ONSTREAM_SCALE */
    double coef0;
    int degree;
    int by_width; /* gamma is 1 / features of the first support */
} onstream_op;

/* exp(x) to within one unit in the last place for x <= 0, 0 below -708 and for NaN.
 * x = n ln 2 + r, |r| <= ln 2 / 2: exp(x) = 2^n (1 + r + r^2 (1/2 + r/6 + ...)). */
#define ONSTREAM_LOG2E 1.4426950408889634
#define ONSTREAM_LN2_HIGH 6.93147180369123816490e-01 /* its last 32 bits are 0: n times it is exact */
#define ONSTREAM_LN2_LOW 1.90821492927058770002e-10
#define ONSTREAM_SHIFT 6755399441055744.0 /* 1.5 * 2^52: adding it rounds to a whole number */
#define ONSTREAM_EXP_SERIES(r) \
    (5.0e-1 + (r) * (1.66666666666666666667e-1 + (r) * (4.16666666666666666667e-2 \
     + (r) * (8.33333333333333333333e-3 + (r) * (1.38888888888888888889e-3 \
     + (r) * (1.98412698412698412698e-4 + (r) * (2.48015873015873015873e-5 \
     + (r) * (2.75573192239858906526e-6 + (r) * (2.75573192239858906526e-7 \
     + (r) * (2.50521083854417187751e-8 + (r) * (2.08767569878680989792e-9 \
     + (r) * 1.60590438368216145994e-10)))))))))))

#ifdef __GNUC__
typedef int64_t onstream_four_int __attribute__((vector_size(32), aligned(8), may_alias));

ONSTREAM_INLINE void onstream_exp4(onstream_four *at) {
    const onstream_four zero = {0};
    onstream_four x = *at;
    onstream_four_int fine = x >= zero - 708.0;
    x = (onstream_four)((onstream_four_int)x & fine);
    onstream_four shifted = x * ONSTREAM_LOG2E + ONSTREAM_SHIFT;
    onstream_four n = shifted - ONSTREAM_SHIFT;
    onstream_four r = (x - n * ONSTREAM_LN2_HIGH) - n * ONSTREAM_LN2_LOW;
    onstream_four tail = r * r * ONSTREAM_EXP_SERIES(r) + r;
    onstream_four_int power = ((onstream_four_int)shifted + 1023) << 52;
    x = (1.0 + tail) * (onstream_four)power;
    *at = (onstream_four)((onstream_four_int)x & fine);
}

/* x[i] = exp(x[i]); n is rounded up to a multiple of 4. */
ONSTREAM_INLINE void onstream_exp_all(double *x, ptrdiff_t n) {
    ptrdiff_t i = 0;
    for (; i + 12 < n; i += 16) { /* four at a time hide the latency of the series */
        onstream_four *at = (onstream_four *)(x + i), a[4];
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++) a[j] = at[j];
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++) onstream_exp4(a + j);
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++) at[j] = a[j];
    }
    for (; i < n; i += 4) onstream_exp4((onstream_four *)(x + i));
}

/* 4 * fours supports: sum of x_j v_ji, or of (x_j - v_ji)^2, over the features below `used`. */
ONSTREAM_INLINE void onstream_strip(double *restrict out, const double *restrict v,
                                    const int32_t *ids, const double *restrict x, ptrdiff_t n,
                                    ptrdiff_t used, ptrdiff_t stride, const int distances,
                                    const int fours) {
    onstream_four s[8] = {{0}};
    for (ptrdiff_t i = 0; i < n; i++) {
        ptrdiff_t id = ids ? ids[i] : i;
        if (id >= used) continue;
        const onstream_four *row = (const onstream_four *)(v + id * stride);
#pragma GCC unroll 8
        for (int j = 0; j < fours; j++) {
            if (distances) {
                onstream_four gap = x[i] - row[j];
                s[j] += gap * gap;
            } else {
                s[j] += x[i] * row[j];
            }
        }
    }
#pragma GCC unroll 8
    for (int j = 0; j < fours; j++) ((onstream_four *)out)[j] = s[j];
}

/* The same for k supports; out has room for k rounded up to a multiple of 8. */
ONSTREAM_INLINE void onstream_strips(double *restrict out, const double *restrict v,
                                     const int32_t *ids, const double *restrict x, ptrdiff_t n,
                                     ptrdiff_t used, ptrdiff_t stride, ptrdiff_t k,
                                     const int distances) {
    ptrdiff_t i = 0;
    for (; i + 24 < k; i += 32) /* the stride is a multiple of 8: these columns exist */
        onstream_strip(out + i, v + i, ids, x, n, used, stride, distances, 8);
    for (; i + 8 < k; i += 16)
        onstream_strip(out + i, v + i, ids, x, n, used, stride, distances, 4);
    for (; i < k; i += 8) onstream_strip(out + i, v + i, ids, x, n, used, stride, distances, 2);
}
#else
#define ONSTREAM_INLINE static inline
static inline void onstream_exp_all(double *x, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) {
        if (!(x[i] >= -708.0)) {
            x[i] = 0.0;
            continue;
        }
        double shifted = x[i] * ONSTREAM_LOG2E + ONSTREAM_SHIFT, whole = shifted - ONSTREAM_SHIFT;
        double r = (x[i] - whole * ONSTREAM_LN2_HIGH) - whole * ONSTREAM_LN2_LOW, scale;
        double tail = r * r * ONSTREAM_EXP_SERIES(r) + r;
        int64_t power;
        memcpy(&power, &shifted, 8);
        power = (int64_t)(((uint64_t)power + 1023) << 52);
        memcpy(&scale, &power, 8);
        x[i] = (1.0 + tail) * scale;
    }
}

static inline void onstream_strips(double *out, const double *v, const int32_t *ids, const double *x,
                                   ptrdiff_t n, ptrdiff_t used, ptrdiff_t stride, ptrdiff_t k,
                                   const int distances) {
    for (ptrdiff_t i = 0; i < k; i++) out[i] = 0.0;
    for (ptrdiff_t j = 0; j < n; j++) {
        ptrdiff_t id = ids ? ids[j] : j;
        if (id >= used) continue;
        const double *row = v + id * stride;
        for (ptrdiff_t i = 0; i < k; i++) {
            double gap = x[j] - row[i];
            out[i] += distances ? gap * gap : x[j] * row[i];
        }
    }
}
#endif

/* Steps from ... to-1 on k pairs: their dot products, squared distances (NULL: all 0, the pairs are
 * of a vector with itself) and the squared lengths of both sides. The result replaces stack[0]. */
ONSTREAM_INLINE void onstream_power(double *x, ptrdiff_t k, int degree) {
    double base[ONSTREAM_TILE];
    for (ptrdiff_t i = 0; i < k; i++) base[i] = x[i];
    for (int d = 1; d < degree; d++)
        for (ptrdiff_t i = 0; i < k; i++) x[i] *= base[i];
}

ONSTREAM_INLINE void onstream_simple_op(const onstream_op *s, double (*stack)[ONSTREAM_TILE],
                                          int *top, ptrdiff_t k, const double *dots,
                                          const double *gaps) {
    double *out;
    switch (s->op) {
        case ONSTREAM_LINEAR:
            out = stack[(*top)++];
            for (ptrdiff_t i = 0; i < k; i++) out[i] = dots[i];
            break;
        case ONSTREAM_POLYNOMIAL:
            out = stack[(*top)++];
            for (ptrdiff_t i = 0; i < k; i++) out[i] = s->gamma * dots[i] + s->coef0;
            onstream_power(out, k, s->degree);
            break;
        case ONSTREAM_RBF:
            out = stack[(*top)++];
            if (gaps) {
                for (ptrdiff_t i = 0; i < k; i++) out[i] = -s->gamma * gaps[i];
                onstream_exp_all(out, k);
            } else {
                for (ptrdiff_t i = 0; i < k; i++) out[i] = 1.0;
            }
            break;
        case ONSTREAM_SCALE:
            out = stack[*top - 1];
            for (ptrdiff_t i = 0; i < k; i++) out[i] *= s->gamma;
            break;
        case ONSTREAM_ADD:
            out = stack[--(*top) - 1];
            for (ptrdiff_t i = 0; i < k; i++) out[i] += stack[*top][i];
            break;
        case ONSTREAM_MULTIPLY:
            out = stack[--(*top) - 1];
            for (ptrdiff_t i = 0; i < k; i++) out[i] *= stack[*top][i];
            break;
    }
}

/* K(z, z) from squared lengths. */
ONSTREAM_INLINE void onstream_self_values(const onstream_op *ops, int from, int to, ptrdiff_t k,
                                          const double *lengths, double *result) {
    double stack[ONSTREAM_DEPTH][ONSTREAM_TILE];
    int top = 0;
    for (int at = from; at < to; at++) {
        if (ops[at].op == ONSTREAM_NORMALIZE) {
            double *out = stack[top - 1];
            for (ptrdiff_t i = 0; i < k; i++) out[i] = out[i] > 0.0 ? 1.0 : 0.0;
        } else {
            onstream_simple_op(ops + at, stack, &top, k, lengths, NULL);
        }
    }
    for (ptrdiff_t i = 0; i < k; i++) result[i] = stack[0][i];
}

ONSTREAM_CLONES
static void onstream_self_value(const onstream_op *ops, int n_ops, double length,
                                double *result) {
    onstream_self_values(ops, 0, n_ops, 1, &length, result);
}

/* K(x_i, x) for k supports. `lengths` are their squared lengths, `length` that of x. `full`: x has a
 * value for every feature below `used`, so distances are summed as differences, without
 * cancellation; `rest` is the squared length of x beyond `used`. `v` NULL: `out` holds the dot
 * products already. Room in out: k up to a multiple of 8. */
ONSTREAM_CLONES
static void onstream_kernel_row(const onstream_op *ops, int n_ops, int wants_dots,
                                int wants_gaps, double *out, const double *v,
                                const double *lengths, ptrdiff_t k, ptrdiff_t stride,
                                const int32_t *ids, const double *x, ptrdiff_t n, ptrdiff_t used,
                                double length, int full, double rest) {
    double stack[ONSTREAM_DEPTH][ONSTREAM_TILE], dots[ONSTREAM_TILE], gaps[ONSTREAM_TILE];
    double inner[ONSTREAM_TILE], self;
    for (ptrdiff_t start = 0; start < k; start += ONSTREAM_TILE) {
        ptrdiff_t m = k - start < ONSTREAM_TILE ? k - start : ONSTREAM_TILE;
        const double *lengths_here = lengths + start;
        if (!v)
            memcpy(dots, out + start, (size_t)m * sizeof(double));
        else if (wants_dots || !full)
            onstream_strips(dots, v + start, ids, x, n, used, stride, m, 0);
        if (wants_gaps && full) {
            onstream_strips(gaps, v + start, ids, x, n, used, stride, m, 1);
            for (ptrdiff_t i = 0; i < m; i++) gaps[i] += rest;
        } else if (wants_gaps) {
            for (ptrdiff_t i = 0; i < m; i++) {
                double gap = (lengths_here[i] - 2.0 * dots[i]) + length;
                gaps[i] = gap < 0.0 ? 0.0 : gap; /* NaN stays: its kernel value is 0 */
            }
        }
        int top = 0;
        for (int at = 0; at < n_ops; at++) {
            if (ops[at].op == ONSTREAM_NORMALIZE) {
                double *value = stack[top - 1];
                onstream_self_values(ops, ops[at].from, at, 1, &length, &self);
                onstream_self_values(ops, ops[at].from, at, m, lengths_here, inner);
                for (ptrdiff_t i = 0; i < m; i++)
                    value[i] = self > 0.0 && inner[i] > 0.0
                                   ? value[i] / (sqrt(self) * sqrt(inner[i])) : 0.0;
            } else {
                onstream_simple_op(ops + at, stack, &top, m, dots, gaps);
            }
        }
        for (ptrdiff_t i = 0; i < m; i++) out[start + i] = stack[0][i];
    }
}

#endif
