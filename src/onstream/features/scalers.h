/* Vector loops of _scalers.pyx over dense rows; element by element, so all clones give the same bits.
 * NaN is a missing value, which changes nothing and stays. */
#ifndef ONSTREAM_SCALERS_H
#define ONSTREAM_SCALERS_H

#include <float.h>

#include "simd.h"

/* StandardState.update; 0 if a number would leave the range of floats, which then has been written */
ONSTREAM_CLONES
static int onstream_learn_standard(double *restrict weights, double *restrict means,
                                   double *restrict squares, double *restrict lows,
                                   double *restrict units, const double *restrict x, double weight,
                                   double far, ptrdiff_t n) {
    int64_t bad = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        double total = weights[i] + weight, delta = (x[i] - means[i]) - lows[i];
        double step = delta * (weight / total), mean = means[i] + step;
        double more = weight * delta * (x[i] - mean);
        double square = squares[i] + (more > 0.0 ? more : 0.0);
        double moved = mean - means[i];
        double low = lows[i] + ((means[i] - (mean - moved)) + (step - moved));
        double exact = weight * delta * ((x[i] - mean) - low);
        double careful = squares[i] + (exact > 0.0 ? exact : 0.0);
        int64_t distant = mean * mean * total > far * square ? -1 : 0;
        low = distant ? low : 0.0;
        square = distant ? careful : square;
        double variance = square / total, unit = sqrt(variance);
        unit = variance > 0.0 ? unit : 0.0;
        int64_t fits = (fabs(mean) < ONSTREAM_SAFE) & (square < ONSTREAM_SAFE)
                       & (total < ONSTREAM_SAFE);
        bad |= (x[i] == x[i]) & !fits ? -1 : 0;
        weights[i] = x[i] == x[i] ? total : weights[i];
        means[i] = x[i] == x[i] ? mean : means[i];
        squares[i] = x[i] == x[i] ? square : squares[i];
        lows[i] = x[i] == x[i] ? low : lows[i];
        units[i] = x[i] == x[i] ? unit : units[i];
    }
    return !bad;
}

/* MinMaxState.update, likewise */
ONSTREAM_CLONES
static int onstream_learn_range(double *restrict weights, double *restrict least,
                                double *restrict most, double *restrict units,
                                const double *restrict x, double weight, ptrdiff_t n) {
    int64_t bad = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        double total = weights[i] + weight;
        double low = weights[i] > 0.0 ? (x[i] < least[i] ? x[i] : least[i]) : x[i];
        double high = weights[i] > 0.0 ? (x[i] > most[i] ? x[i] : most[i]) : x[i];
        double unit = high - low;
        int64_t fits = (total < ONSTREAM_SAFE) & (fabs(x[i]) < ONSTREAM_SAFE);
        bad |= (x[i] == x[i]) & !fits ? -1 : 0;
        weights[i] = x[i] == x[i] ? total : weights[i];
        least[i] = x[i] == x[i] ? low : least[i];
        most[i] = x[i] == x[i] ? high : most[i];
        units[i] = x[i] == x[i] ? unit : units[i];
    }
    return !bad;
}

/* ScalerState.scaled */
ONSTREAM_CLONES
static void onstream_scale_row(double *restrict out, const double *restrict x,
                               const double *restrict centres, const double *restrict lows,
                               const double *restrict units, const double *restrict text,
                               ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) {
        double u = ((x[i] - centres[i]) - lows[i]) / units[i];
        double constant = (text[i] != 0.0) & (centres[i] == 1.0) ? x[i] : 0.0;
        u = -DBL_MAX > u ? -DBL_MAX : u;
        u = DBL_MAX < u ? DBL_MAX : u;
        u = units[i] > 0.0 ? u : constant;
        out[i] = x[i] == x[i] ? u : x[i];
    }
}

#endif
