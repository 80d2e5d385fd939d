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

/* Is any value other than 0 of a feature that is not closed? */
ONSTREAM_CLONES
static int64_t onstream_any_open(const double *restrict x, const double *restrict closed,
                                 ptrdiff_t n) {
    int64_t open = 0;
    for (ptrdiff_t i = 0; i < n; i++) open |= (x[i] != 0.0) & (closed[i] == 0.0) ? -1 : 0;
    return open;
}

/* Welford's update of counts, means and sums of squares by every value that is not 0. It counts once
 * while there are fewer than `many`, then `weight` times. */
ONSTREAM_CLONES
static void onstream_count(double *restrict count, double *restrict mean, double *restrict square,
                           double *restrict closed, const double *restrict x,
                           const double *restrict offset, const double *restrict due, double many,
                           double weight, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) {
        double w = x[i] == 0.0 ? 0.0 : count[i] < many ? 1.0 : weight;
        double c = count[i] + w;
        double far = x[i] - mean[i];
        double moved = mean[i] + far * (w / (c > 0.0 ? c : 1.0));
        square[i] += w * (far * (x[i] - moved));
        mean[i] = moved;
        count[i] = c;
        closed[i] = (c >= many) & ((offset[i] != 0.0) | (c + 1.0 < due[i])) ? 1.0 : 0.0;
    }
}

#endif
