/* The inner loops that want vector registers: what Cython cannot say.
 *
 * Every reduction keeps eight partial sums, element i in sum i % 8, and adds them in one fixed
 * order; products are never contracted. So SSE2, AVX2 and AVX-512 clones, and the plain loops of
 * other machines, give the same bits.
 */
#ifndef ONSTREAM_SIMD_H
#define ONSTREAM_SIMD_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) \
    && !defined(ONSTREAM_NO_CLONES)
#define ONSTREAM_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define ONSTREAM_CLONES
#endif

#define ONSTREAM_LANES 8

/* Fixed order of the last additions, as a vector unit would halve its register. */
static inline double onstream_total(const double *s) {
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/* sum of a[i] * b[i] */
ONSTREAM_CLONES
static double onstream_dot(const double *a, const double *b, ptrdiff_t n) {
    double s[ONSTREAM_LANES] = {0};
    ptrdiff_t i = 0;
    for (; i + ONSTREAM_LANES <= n; i += ONSTREAM_LANES)
        for (int j = 0; j < ONSTREAM_LANES; j++) s[j] += a[i + j] * b[i + j];
    for (int j = 0; i < n; i++, j++) s[j] += a[i] * b[i];
    return onstream_total(s);
}

/* sum of values[i] * v[ids[i]], in the same order as onstream_dot */
static inline double onstream_gather_dot(const double *v, const int32_t *ids, const double *values,
                                         ptrdiff_t n) {
    double s[ONSTREAM_LANES] = {0};
    ptrdiff_t i = 0;
    for (; i + ONSTREAM_LANES <= n; i += ONSTREAM_LANES)
        for (int j = 0; j < ONSTREAM_LANES; j++) s[j] += v[ids[i + j]] * values[i + j];
    for (int j = 0; i < n; i++, j++) s[j] += v[ids[i]] * values[i];
    return onstream_total(s);
}

/* w += step * x */
ONSTREAM_CLONES
static void onstream_axpy(double *restrict w, const double *restrict x, double step, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) w[i] += step * x[i];
}

/* out += x * row, for one feature of a model with k columns */
static inline void onstream_column_scores(double *restrict out, const double *restrict row,
                                          double x, ptrdiff_t k) {
    for (ptrdiff_t r = 0; r < k; r++) out[r] += x * row[r];
}

/* out[r] = sum over features i of x[i] * v[id(i) * stride + r]; ids NULL means 0, 1, 2, ... */
ONSTREAM_CLONES
static void onstream_scores(double *restrict out, const double *restrict v, const int32_t *ids,
                            const double *restrict x, ptrdiff_t n, ptrdiff_t k, ptrdiff_t stride) {
    for (ptrdiff_t r = 0; r < k; r++) out[r] = 0.0;
    for (ptrdiff_t i = 0; i < n; i++) {
        if (x[i] == 0.0) continue;
        onstream_column_scores(out, v + (ids ? ids[i] : i) * stride, x[i], k);
    }
}

/* v[id(i) * stride + r] += x[i] * step[r] for every feature i and column r */
ONSTREAM_CLONES
static void onstream_rank_one(double *restrict v, const int32_t *ids, const double *restrict x,
                              const double *restrict step, ptrdiff_t n, ptrdiff_t k,
                              ptrdiff_t stride) {
    for (ptrdiff_t i = 0; i < n; i++) {
        if (x[i] == 0.0) continue;
        double *restrict row = v + (ids ? ids[i] : i) * stride;
        for (ptrdiff_t r = 0; r < k; r++) row[r] += x[i] * step[r];
    }
}

/* Largest |x[i]|; infinity if one of them is not finite (then x * 0 is NaN, else 0). */
ONSTREAM_CLONES
static double onstream_peak(const double *x, ptrdiff_t n) {
    double top[ONSTREAM_LANES] = {0}, nought[ONSTREAM_LANES] = {0};
    ptrdiff_t i = 0;
    for (; i + ONSTREAM_LANES <= n; i += ONSTREAM_LANES)
        for (int j = 0; j < ONSTREAM_LANES; j++) {
            double size = fabs(x[i + j]);
            top[j] = size > top[j] ? size : top[j];
            nought[j] += x[i + j] * 0.0;
        }
    for (int j = 0; i < n; i++, j++) {
        double size = fabs(x[i]);
        top[j] = size > top[j] ? size : top[j];
        nought[j] += x[i] * 0.0;
    }
    double peak = 0.0;
    for (int j = 0; j < ONSTREAM_LANES; j++) peak = top[j] > peak ? top[j] : peak;
    return onstream_total(nought) == 0.0 ? peak : INFINITY;
}

#endif
