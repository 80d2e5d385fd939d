/* Vector loops of scaling.pyx; element by element, so all clones give the same bits. */
#ifndef ONSTREAM_SCALING_H
#define ONSTREAM_SCALING_H

#include "simd.h"

/* out[i] = (x[i] - offset[i]) * factor[i]; returns 1 if some |out[i]| is larger than `limit`, plus 2
 * if some x[i] is not 0 and not closed, plus 4 if some |out[i]| is larger than both limit and reach. */
ONSTREAM_CLONES
static int64_t onstream_standardise(double *restrict out, const double *restrict x,
                                    const double *restrict offset, const double *restrict factor,
                                    const double *restrict closed, const double *restrict reach,
                                    double limit, ptrdiff_t n) {
    int64_t large = 0, open = 0, far = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        double u = (x[i] - offset[i]) * factor[i];
        out[i] = u;
        large |= fabs(u) > limit ? -1 : 0;
        open |= (x[i] != 0.0) & (closed[i] == 0.0) ? -1 : 0;
    }
    if (large)
        for (ptrdiff_t i = 0; i < n; i++)
            far |= (fabs(out[i]) > limit) & (fabs(out[i]) > reach[i]) ? -1 : 0;
    return (large & 1) | (open & 2) | (far & 4);
}

/* The same for values with features `ids`, without looking for large ones; counts those that have a
 * place. */
static inline int64_t onstream_standardise_sparse(double *restrict out, ptrdiff_t *centred,
                                                  const double *restrict x,
                                                  const int32_t *restrict ids,
                                                  const double *restrict offset,
                                                  const double *restrict factor,
                                                  const double *restrict closed,
                                                  const int32_t *restrict place, ptrdiff_t n) {
    int64_t found = 0;
    ptrdiff_t placed = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        int32_t id = ids[i];
        placed += place[id] != 0;
        out[i] = (x[i] - offset[id]) * factor[id];
        found |= closed[id] == 0.0 ? 2 : 0;
    }
    *centred = placed;
    return found;
}

/* The same, but a value goes to the place of its feature, counted from 1, or, if that is 0, behind the
 * *filled places that are taken. */
static inline int64_t onstream_spell_out(double *restrict out, int32_t *restrict out_ids,
                                         ptrdiff_t *filled, const double *restrict x,
                                         const int32_t *restrict ids,
                                         const double *restrict offset,
                                         const double *restrict factor,
                                         const double *restrict closed,
                                         const int32_t *restrict place, ptrdiff_t n) {
    int64_t found = 0;
    ptrdiff_t end = *filled;
    for (ptrdiff_t i = 0; i < n; i++) {
        int32_t id = ids[i], own = place[id];
        ptrdiff_t at = own ? own - 1 : end; /* no branch: which it is cannot be foreseen */
        end += own == 0;
        out_ids[at] = id;
        out[at] = (x[i] - offset[id]) * factor[id];
        found |= closed[id] == 0.0 ? 2 : 0;
    }
    *filled = end;
    return found;
}

/* Is a feature due that has no offset and is not 0? ids: NULL for features 0 to n - 1. */
ONSTREAM_CLONES
static int onstream_any_due(const double *restrict x, const int32_t *restrict ids,
                            const double *restrict count, const double *restrict due,
                            const double *restrict offset, ptrdiff_t n) {
    int64_t any = 0;
    if (ids == NULL)
        for (ptrdiff_t i = 0; i < n; i++)
            any |= (x[i] != 0.0) & (offset[i] == 0.0) & (count[i] + 1.0 >= due[i]) ? -1 : 0;
    else
        for (ptrdiff_t i = 0; i < n; i++)
            any |= (x[i] != 0.0) & (offset[ids[i]] == 0.0) & (count[ids[i]] + 1.0 >= due[ids[i]]);
    return any != 0;
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
