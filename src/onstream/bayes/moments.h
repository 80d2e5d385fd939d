/* Means and variances of many features at once. The sum over the features has eight parts, feature
 * i in part i % 8, so that every clone, and the plain loop over a mapping, gives the same bits.
 */
#ifndef ONSTREAM_MOMENTS_H
#define ONSTREAM_MOMENTS_H

#include "simd.h"

/* Welford's step for a whole row. What it adds to the squares is below 0 only by rounding, where a
 * weight is so large that those before vanish in the sum. */
ONSTREAM_CLONES
static void onstream_welford(double *restrict n, double *restrict mean, double *restrict m2,
                             double *restrict var, const double *restrict x, double w,
                             ptrdiff_t d) {
    for (ptrdiff_t i = 0; i < d; i++) {
        double away = x[i] - mean[i], all = n[i] + w, now = mean[i] + away * (w / all);
        double step = w * away * (x[i] - now), more = m2[i] + (step > 0.0 ? step : 0.0);
        n[i] = all;
        mean[i] = now;
        m2[i] = more;
        var[i] = more / all;
    }
}

static inline double onstream_product(const double *p) {
    return ((p[0] * p[4]) * (p[2] * p[6])) * ((p[1] * p[5]) * (p[3] * p[7]));
}

/* Sum of (x - mean)^2 / v, and in `logs` that of ln v, eight variances multiplied before each
 * logarithm; v = var + e + share * all, where `all` is the variance of the feature over all labels.
 * Where that is 0, v = least; features for which that is 0, too, are left out; `spread` counts the
 * others.
 * Not a number: a feature is missing or unknown, or a variance is so small or large that the product
 * might not hold it.
 */
ONSTREAM_CLONES
static double onstream_normal(const double *restrict x, const double *restrict mean,
                              const double *restrict var, const double *restrict n, double e,
                              double share, const double *restrict all, double least, ptrdiff_t d,
                              double *restrict logs, double *restrict spread) {
    double s[8] = {0}, on[8] = {0}, low[8], high[8], few[8], sum = 0.0;
    ptrdiff_t i = 0;
    for (int j = 0; j < 8; j++)
        low[j] = high[j] = few[j] = 1.0;
    for (; i + 8 <= d; i += 8) {
        double p[8];
        for (int j = 0; j < 8; j++) {
            double v = var[i + j] + (e + share * all[i + j]), away = x[i + j] - mean[i + j];
            v = v > 0.0 ? v : least;
            double is = v > 0.0 ? 1.0 : 0.0;
            v = v > 0.0 ? v : 1.0;
            s[j] += is * (away * away / v);
            on[j] += is;
            p[j] = v;
            low[j] = v < low[j] ? v : low[j];
            high[j] = v > high[j] ? v : high[j];
            few[j] = n[i + j] < few[j] ? n[i + j] : few[j];
        }
        sum += log(onstream_product(p));
    }
    if (i < d) {
        double p[8] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
        for (int j = 0; j < d - i; j++) {
            double v = var[i + j] + (e + share * all[i + j]), away = x[i + j] - mean[i + j];
            v = v > 0.0 ? v : least;
            double is = v > 0.0 ? 1.0 : 0.0;
            v = v > 0.0 ? v : 1.0;
            s[j] += is * (away * away / v);
            on[j] += is;
            p[j] = v;
            low[j] = v < low[j] ? v : low[j];
            high[j] = v > high[j] ? v : high[j];
            few[j] = n[i + j] < few[j] ? n[i + j] : few[j];
        }
        sum += log(onstream_product(p));
    }
    *logs = sum;
    *spread = onstream_total(on);
    for (int j = 1; j < 8; j++) {
        low[0] = low[j] < low[0] ? low[j] : low[0];
        high[0] = high[j] > high[0] ? high[j] : high[0];
        few[0] = few[j] < few[0] ? few[j] : few[0];
    }
    return low[0] > 1e-35 && high[0] < 1e35 && few[0] > 0.0 ? onstream_total(s) : NAN;
}

#endif
