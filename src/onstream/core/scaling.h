/* Vector loops of scaling.pyx; element by element, so all clones give the same bits. */
#ifndef ONSTREAM_SCALING_H
#define ONSTREAM_SCALING_H

#include "simd.h"

#ifdef __GNUC__
#define ONSTREAM_ALWAYS static inline __attribute__((always_inline))
#else
#define ONSTREAM_ALWAYS static inline
#endif

/* Is |out[i]| larger than both limit and reach[i]? */
static inline int64_t onstream_far(const double *out, const double *reach, double limit,
                                   ptrdiff_t n) {
    int64_t far = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        far |= (fabs(out[i]) > limit) & (fabs(out[i]) > reach[i]) ? 4 : 0;
    return far;
}

ONSTREAM_ALWAYS int64_t onstream_standardise_each(double *restrict out, const double *restrict x,
                                                  const double *restrict offset,
                                                  const double *restrict factor,
                                                  const double *restrict closed, double limit,
                                                  ptrdiff_t n, const int looks) {
    int64_t large = 0, open = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        double u = (x[i] - offset[i]) * factor[i];
        out[i] = u;
        large |= fabs(u) > limit ? -1 : 0;
        if (looks) open |= (x[i] != 0.0) & (closed[i] == 0.0) ? -1 : 0;
    }
    return (large & 1) | (open & 2);
}

/* out[i] = (x[i] - offset[i]) * factor[i]; returns 1 if some |out[i]| is larger than `limit`, plus 2
 * if some x[i] is not 0 and not closed, plus 4 if some |out[i]| is larger than both limit and reach.
 * closed: NULL if all are. */
ONSTREAM_CLONES
static int64_t onstream_standardise(double *out, const double *x, const double *offset,
                                    const double *factor, const double *closed,
                                    const double *reach, double limit, ptrdiff_t n) {
    int64_t found = closed
                        ? onstream_standardise_each(out, x, offset, factor, closed, limit, n, 1)
                        : onstream_standardise_each(out, x, offset, factor, x, limit, n, 0);
    return found & 1 ? found | onstream_far(out, reach, limit, n) : found;
}

/* The same where all are closed, with the products by weights v and by themselves, in the order of
 * onstream_dot. */
ONSTREAM_CLONES
static int64_t onstream_standardise_score(double *restrict out, double *restrict products,
                                          const double *restrict x, const double *restrict offset,
                                          const double *restrict factor, const double *restrict v,
                                          const double *restrict reach, double limit,
                                          ptrdiff_t n) {
    double s[ONSTREAM_LANES] = {0}, q[ONSTREAM_LANES] = {0}, u[ONSTREAM_LANES];
    int64_t above[ONSTREAM_LANES] = {0}, large = 0;
    ptrdiff_t i = 0;
    for (; i + ONSTREAM_LANES <= n; i += ONSTREAM_LANES) { /* a register for each loop */
        for (int j = 0; j < ONSTREAM_LANES; j++) u[j] = (x[i + j] - offset[i + j]) * factor[i + j];
        for (int j = 0; j < ONSTREAM_LANES; j++) out[i + j] = u[j];
        for (int j = 0; j < ONSTREAM_LANES; j++) s[j] += v[i + j] * u[j];
        for (int j = 0; j < ONSTREAM_LANES; j++) q[j] += u[j] * u[j];
        for (int j = 0; j < ONSTREAM_LANES; j++) above[j] |= fabs(u[j]) > limit ? -1 : 0;
    }
    for (int j = 0; i < n; i++, j++) {
        u[j] = (x[i] - offset[i]) * factor[i];
        out[i] = u[j];
        s[j] += v[i] * u[j];
        q[j] += u[j] * u[j];
        above[j] |= fabs(u[j]) > limit ? -1 : 0;
    }
    for (int j = 0; j < ONSTREAM_LANES; j++) large |= above[j];
    products[0] = onstream_total(s);
    products[1] = onstream_total(q);
    return large ? 1 | onstream_far(out, reach, limit, n) : 0;
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
 * while there are fewer than `many`, then `weight` times. Are all closed now? */
ONSTREAM_CLONES
static int onstream_count(double *restrict count, double *restrict mean, double *restrict square,
                          double *restrict closed, const double *restrict x,
                          const double *restrict offset, const double *restrict due, double many,
                          double weight, ptrdiff_t n) {
    int64_t all = -1;
    for (ptrdiff_t i = 0; i < n; i++) {
        double w = x[i] == 0.0 ? 0.0 : count[i] < many ? 1.0 : weight;
        double c = count[i] + w;
        double far = x[i] - mean[i];
        double moved = mean[i] + far * (w / (c > 0.0 ? c : 1.0));
        square[i] += w * (far * (x[i] - moved));
        mean[i] = moved;
        count[i] = c;
        double done = (c >= many) & ((offset[i] != 0.0) | (c + 1.0 < due[i])) ? 1.0 : 0.0;
        closed[i] = done;
        all &= done != 0.0 ? -1 : 0;
    }
    return all != 0;
}

#endif
