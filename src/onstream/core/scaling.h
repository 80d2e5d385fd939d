/* Vector loops of scaling.pyx; element by element, so all clones give the same bits. */
#ifndef ONSTREAM_SCALING_H
#define ONSTREAM_SCALING_H

#include "simd.h"

/* out[i] = (x[i] - offset[i]) * factor[i]; returns 0 if no |out[i]| is larger than `limit`. */
ONSTREAM_CLONES
static int64_t onstream_standardise(double *restrict out, const double *restrict x,
                                    const double *restrict offset, const double *restrict factor,
                                    double limit, ptrdiff_t n) {
    int64_t beyond = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        double u = (x[i] - offset[i]) * factor[i];
        out[i] = u;
        beyond |= fabs(u) > limit ? -1 : 0;
    }
    return beyond;
}

/* Welford's update of means and sums of squares by one more value each, which counts `weight` times;
 * share is weight / count. */
ONSTREAM_CLONES
static void onstream_moments(double *restrict mean, double *restrict square,
                             const double *restrict x, double weight, double share,
                             ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) {
        double far = x[i] - mean[i];
        mean[i] += far * share;
        square[i] += weight * (far * (x[i] - mean[i]));
    }
}

#endif
