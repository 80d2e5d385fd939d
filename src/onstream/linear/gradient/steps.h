/* Vector loops over tiles of weights, for the modules of this folder: `m` features that follow on
 * each other, each with `k` columns, or some columns of one feature. Element by element, so all
 * clones give the same bits. */
#ifndef ONSTREAM_STEPS_H
#define ONSTREAM_STEPS_H

#include "simd.h"

#ifdef __GNUC__
#define ONSTREAM_EACH static inline __attribute__((always_inline)) void
#else
#define ONSTREAM_EACH static inline void
#endif

/* Call a loop with a constant number of columns, where there are few: a loop over features then, or
 * over whole registers. */
#define ONSTREAM_BY_COLUMNS(loop, ...) \
    if (k == 1) loop(__VA_ARGS__, 1); \
    else if (k == 4) loop(__VA_ARGS__, 4); \
    else if (k == 8) loop(__VA_ARGS__, 8); \
    else loop(__VA_ARGS__, k);

ONSTREAM_EACH onstream_pay_each(double *restrict v, const double *restrict paid, double due,
                                double ceiling, ptrdiff_t m, ptrdiff_t k) {
    for (ptrdiff_t i = 0; i < m; i++) {
        double debt = due - paid[i];
        for (ptrdiff_t r = 0; r < k; r++) {
            double w = v[i * k + r], less = w - debt, more = w + debt;
            double left = w > debt ? less : w < -debt ? more : 0.0;
            v[i * k + r] = fabs(w) <= ceiling ? left : w;
        }
    }
}

/* v = S(v, due - paid[i]), S(v, t) = sign(v) max(|v| - t, 0); weights above `ceiling` are spared */
ONSTREAM_CLONES
static void onstream_pay(double *v, const double *paid, double due, double ceiling, ptrdiff_t m,
                         ptrdiff_t k) {
    ONSTREAM_BY_COLUMNS(onstream_pay_each, v, paid, due, ceiling, m)
}

ONSTREAM_EACH onstream_descend_each(double *restrict v, const double *restrict x,
                                    const double *restrict slopes, double rate, double scale,
                                    ptrdiff_t m, ptrdiff_t k) {
    for (ptrdiff_t i = 0; i < m; i++) {
        double inner = -rate * x[i] / scale;
        for (ptrdiff_t r = 0; r < k; r++) v[i * k + r] += inner * slopes[r];
    }
}

/* v -= rate slope[r] x[i] / scale */
ONSTREAM_CLONES
static void onstream_descend(double *v, const double *x, const double *slopes, double rate,
                             double scale, ptrdiff_t m, ptrdiff_t k) {
    if (scale == 1.0) { /* the usual case, without a division */
        ONSTREAM_BY_COLUMNS(onstream_descend_each, v, x, slopes, rate, 1.0, m)
    } else {
        ONSTREAM_BY_COLUMNS(onstream_descend_each, v, x, slopes, rate, scale, m)
    }
}

ONSTREAM_EACH onstream_adapt_each(double *restrict v, double *restrict s, const double *restrict x,
                                  const double *restrict slopes, double eta, double eps,
                                  ptrdiff_t m, ptrdiff_t k) {
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t r = 0; r < k; r++) {
            double g = slopes[r] * x[i], sum = s[i * k + r] + g * g;
            double rate = eta / (eps + sqrt(sum));
            s[i * k + r] = sum;
            v[i * k + r] -= (sum > 0.0 ? rate : 0.0) * g;
        }
}

/* s += g^2, v -= eta g / (eps + sqrt(s)), g = slope[r] x[i] */
ONSTREAM_CLONES
static void onstream_adapt(double *v, double *s, const double *x, const double *slopes, double eta,
                           double eps, ptrdiff_t m, ptrdiff_t k) {
    ONSTREAM_BY_COLUMNS(onstream_adapt_each, v, s, x, slopes, eta, eps, m)
}

/* total -= mass (v - old), of n weights */
ONSTREAM_CLONES
static void onstream_keep_sum(double *restrict total, const double *restrict v,
                              const double *restrict old, double mass, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) total[i] -= mass * (v[i] - old[i]);
}

/* v = (mass v + total) / count, of n weights */
ONSTREAM_CLONES
static void onstream_mean(double *restrict v, const double *restrict total, double mass,
                          double count, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) v[i] = (mass * v[i] + total[i]) / count;
}

ONSTREAM_EACH onstream_sum_each(double *restrict sums, const double *restrict v,
                                const double *restrict x, ptrdiff_t m, ptrdiff_t stride,
                                ptrdiff_t k) {
    double s[8];
    for (ptrdiff_t r = 0; r < k; r++) s[r] = sums[r];
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t r = 0; r < k; r++) s[r] += x[i] * v[i * stride + r];
    for (ptrdiff_t r = 0; r < k; r++) sums[r] = s[r];
}

/* sums[r] += x[i] v[i, r], one feature after another, as for rows that are not dense */
ONSTREAM_CLONES
static void onstream_sum_on(double *sums, const double *v, const double *x, ptrdiff_t m,
                            ptrdiff_t k) {
    ptrdiff_t r = 0;
    for (; r + 8 <= k; r += 8) onstream_sum_each(sums + r, v + r, x, m, k, 8);
    for (; r + 4 <= k; r += 4) onstream_sum_each(sums + r, v + r, x, m, k, 4);
    for (; r < k; r++) onstream_sum_each(sums + r, v + r, x, m, k, 1);
}

/* The weights that follow from n sums g of gradients (RDA): -S(g, most) / divisor */
ONSTREAM_CLONES
static void onstream_leaders(double *restrict w, const double *restrict g, double most,
                             double divisor, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) {
        double left = fabs(g[i]) - most, leader = (g[i] > 0.0 ? -left : left) / divisor;
        w[i] = left > 0.0 ? leader : 0.0;
    }
}

/* A weight of FTRL with its sums: Cell of _dual_averaging.pyx */
typedef struct {
    double w, z, n, root;
} onstream_cell;

ONSTREAM_EACH onstream_follow_each(onstream_cell *restrict cells, const double *restrict x,
                                   const double *restrict slopes, double alpha, double beta,
                                   double l1, double l2, ptrdiff_t m, ptrdiff_t k) {
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t r = 0; r < k; r++) {
            onstream_cell *c = cells + i * k + r;
            double g = slopes[r] * x[i], n = c->n + g * g, root = sqrt(n);
            double z = c->z + (g - (root - c->root) / alpha * c->w);
            double w = -(z - copysign(l1, z)) / ((beta + root) / alpha + l2);
            w = fabs(z) > l1 ? w : 0.0;
            c->w = g == 0.0 ? c->w : w;
            c->z = g == 0.0 ? c->z : z;
            c->n = g == 0.0 ? c->n : n;
            c->root = g == 0.0 ? c->root : root;
        }
}

/* FTRLOptimizer.change with the gradients slopes[r] x[i]; k is the stride of the cells */
ONSTREAM_CLONES
static void onstream_follow(onstream_cell *cells, const double *x, const double *slopes,
                            double alpha, double beta, double l1, double l2, ptrdiff_t m,
                            ptrdiff_t k) {
    ONSTREAM_BY_COLUMNS(onstream_follow_each, cells, x, slopes, alpha, beta, l1, l2, m)
}

/* The weights of n cells */
ONSTREAM_CLONES
static void onstream_cell_weights(double *restrict w, const onstream_cell *restrict cells,
                                  ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) w[i] = cells[i].w;
}

#endif
