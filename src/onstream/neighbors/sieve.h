/* Which points of a tile can be near a question: least distances out of products in single
 * precision, many questions to each number of a point. They only tell what to leave out; distances
 * that count are those of distance.h.
 */
#ifndef ONSTREAM_SIEVE_H
#define ONSTREAM_SIEVE_H

#include "distance.h"

#define ONSTREAM_TILE 64   /* points of a tile */
#define ONSTREAM_GROUP 16  /* points multiplied at a time */
#define ONSTREAM_ASKED 4   /* questions multiplied at a time */
#define ONSTREAM_AHEAD 16  /* features that are fetched before they are needed */

#ifdef __GNUC__
typedef float onstream_floats __attribute__((vector_size(32), aligned(4), may_alias));
typedef float onstream_half_floats __attribute__((vector_size(16), aligned(4), may_alias));
#define ONSTREAM_NARROW(p, v) \
    (*(onstream_half_floats *)(p) = __builtin_convertvector(v, onstream_half_floats))
#define ONSTREAM_FLOATS 8
#else
typedef float onstream_floats;
#define ONSTREAM_NARROW(p, v) (*(p) = (float)(v))
#define ONSTREAM_FLOATS 1
#endif
#define ONSTREAM_FLOATS_AT(p) (*(const onstream_floats *)(p))
#define ONSTREAM_FLOATS_PUT(p) (*(onstream_floats *)(p))

/* A tile, seen from o and scaled: group after group, there feature by feature; squared lengths. */
ONSTREAM_CLONES
static void onstream_sieve_points(float *restrict points, double *restrict squares,
                                  const double *restrict block, const double *restrict o,
                                  const double *restrict s, ptrdiff_t d) {
    memset(squares, 0, ONSTREAM_TILE * sizeof(double));
    for (ptrdiff_t j = 0; j < d; j++) {
        onstream_fetch(block + (j + ONSTREAM_AHEAD) * ONSTREAM_TILE, ONSTREAM_TILE * sizeof(double));
        for (ptrdiff_t group = 0; group < ONSTREAM_TILE; group += ONSTREAM_GROUP) {
            float *to = points + group * d + j * ONSTREAM_GROUP;
            for (ptrdiff_t r = 0; r < ONSTREAM_GROUP; r += ONSTREAM_STEP) {
                onstream_four v = (ONSTREAM_AT(block + j * ONSTREAM_TILE + group + r) - o[j]) * s[j];
                ONSTREAM_PUT(squares + group + r) += v * v;
                ONSTREAM_NARROW(to + r, v);
            }
        }
    }
}

/* The same of a question, number j at out[j * ONSTREAM_ASKED]: its squared length. */
static double onstream_sieve_question(float *restrict out, const double *restrict x,
                                      const double *restrict o, const double *restrict s,
                                      ptrdiff_t d) {
    double square = 0.0;
    for (ptrdiff_t j = 0; j < d; j++) {
        double v = (x[j] - o[j]) * s[j];
        square += v * v;
        out[j * ONSTREAM_ASKED] = (float)v;
    }
    return square;
}

/* out[q * ONSTREAM_GROUP + r]: the product of question q and point r. */
ONSTREAM_CLONES
static void onstream_sieve_products(float *restrict out, const float *restrict points,
                                    const float *restrict x, ptrdiff_t d) {
    for (ptrdiff_t r = 0; r < ONSTREAM_GROUP; r += 2 * ONSTREAM_FLOATS) {
        onstream_floats low0 = {0}, low1 = {0}, low2 = {0}, low3 = {0}, low;
        onstream_floats high0 = {0}, high1 = {0}, high2 = {0}, high3 = {0}, high;
        const float *p = points + r, *q = x;
        for (ptrdiff_t j = 0; j < d; j++, p += ONSTREAM_GROUP, q += ONSTREAM_ASKED) {
            low = ONSTREAM_FLOATS_AT(p);
            high = ONSTREAM_FLOATS_AT(p + ONSTREAM_FLOATS);
            low0 += low * q[0];
            high0 += high * q[0];
            low1 += low * q[1];
            high1 += high * q[1];
            low2 += low * q[2];
            high2 += high * q[2];
            low3 += low * q[3];
            high3 += high * q[3];
        }
        ONSTREAM_FLOATS_PUT(out + r) = low0;
        ONSTREAM_FLOATS_PUT(out + r + ONSTREAM_FLOATS) = high0;
        ONSTREAM_FLOATS_PUT(out + r + ONSTREAM_GROUP) = low1;
        ONSTREAM_FLOATS_PUT(out + r + ONSTREAM_GROUP + ONSTREAM_FLOATS) = high1;
        ONSTREAM_FLOATS_PUT(out + r + 2 * ONSTREAM_GROUP) = low2;
        ONSTREAM_FLOATS_PUT(out + r + 2 * ONSTREAM_GROUP + ONSTREAM_FLOATS) = high2;
        ONSTREAM_FLOATS_PUT(out + r + 3 * ONSTREAM_GROUP) = low3;
        ONSTREAM_FLOATS_PUT(out + r + 3 * ONSTREAM_GROUP + ONSTREAM_FLOATS) = high3;
    }
}

/* Can any point of a group be as near as the limit? |a - b|² = |a|² + |b|² - 2 ab, and with S the
 * sum of the two squares, |ab| <= S / 2. Rounding d numbers, products and sums to 24 bits costs ab
 * less than (d + 3) 2^-24 S / 2 for d <= 65,536, doubles far less, and what is too small for a
 * float less than d 2^-120 (1 + S): the slack is about twice all that. Where floats could overflow,
 * or anything is NaN, nothing is left out. */
static int onstream_sieve_holds(const float *restrict products, const double *restrict squares,
                                double square, double limit, ptrdiff_t d) {
    double slack = (double)(d + 16) * 0x1p-23;
    int left_out = 0;
    for (int r = 0; r < ONSTREAM_GROUP; r++) {
        double sum = square + squares[r];
        double least = sum - 2.0 * (double)products[r] - slack * (sum + 1e-28);
        left_out += (sum < 1e37) & (least > limit);
    }
    return left_out < ONSTREAM_GROUP;
}

#endif
