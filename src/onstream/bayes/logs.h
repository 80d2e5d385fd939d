/* Natural logarithms of many numbers at once, in vector registers; every clone gives the same bits.
 *
 * The polynomial of fdlibm (Sun Microsystems, 1993): ln x = k ln 2 + ln(1 + f), within one unit in
 * the last place. Only for positive, finite numbers that are not subnormal.
 */
#ifndef ONSTREAM_LOGS_H
#define ONSTREAM_LOGS_H

#include "simd.h"

static inline double onstream_ln(double x) {
    uint64_t bits, exponent;
    double k, f, half, s, z, w, odd, even;
    memcpy(&bits, &x, sizeof bits);
    bits += (uint64_t)(0x3ff00000 - 0x3fe6a09e) << 32; /* x = 2^k (1 + f), sqrt(1/2) <= 1 + f */
    exponent = bits >> 52 | (uint64_t)0x433 << 52;     /* as a double: 2^52 + 1023 + k */
    memcpy(&k, &exponent, sizeof k);
    k -= 4503599627370496.0 + 1023.0;
    bits = (bits & 0x000fffffffffffff) + ((uint64_t)0x3fe6a09e << 32);
    memcpy(&f, &bits, sizeof f);
    f -= 1.0;
    half = 0.5 * f * f;
    s = f / (2.0 + f);
    z = s * s;
    w = z * z;
    even = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01
           + w * 1.531383769920937332e-01));
    odd = z * (6.666666666666735130e-01 + w * (2.857142874366239149e-01
          + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
    return s * (half + (odd + even)) + k * 1.90821492927058770002e-10 - half + f
           + k * 6.93147180369123816490e-01;
}

/* x[i] = ln x[i] */
ONSTREAM_CLONES
static void onstream_logs(double *x, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) x[i] = onstream_ln(x[i]);
}

/* out[k] += ln of the product over the rows of (n + a) / (all[k] - n + a), n = row[k]; at most 8
 * rows. Was every divisor above 0? */
ONSTREAM_CLONES
static int onstream_odds(double *restrict out, double *const *rows, ptrdiff_t n_rows,
                         const double *restrict all, double a, ptrdiff_t n) {
    enum { TILE = 32 };
    double least = 1.0;
    for (ptrdiff_t k = 0; k < n; k += TILE) {
        double up[TILE], down[TILE], low[TILE];
        ptrdiff_t some = n - k < TILE ? n - k : TILE;
        for (ptrdiff_t i = 0; i < some; i++) up[i] = down[i] = low[i] = 1.0;
        for (ptrdiff_t j = 0; j < n_rows; j++) {
            const double *row = rows[j] + k;
            for (ptrdiff_t i = 0; i < some; i++) {
                double q = all[k + i] - row[i] + a;
                up[i] *= row[i] + a;
                down[i] *= q;
                low[i] = q < low[i] ? q : low[i];
            }
        }
        for (ptrdiff_t i = 0; i < some; i++) {
            least = low[i] < least ? low[i] : least;
            out[k + i] += onstream_ln(up[i] / down[i]);
        }
    }
    return least > 0.0;
}

#endif
