#ifndef ONSTREAM_BITS_H
#define ONSTREAM_BITS_H

#include <stddef.h>
#include <stdint.h>

/* The place of the lowest bit that is set. */
static inline ptrdiff_t onstream_lowest(uint64_t bits) {
#ifdef __GNUC__
    return __builtin_ctzll(bits);
#else
    ptrdiff_t place = 0;
    for (; !(bits & 1); bits >>= 1) place++;
    return place;
#endif
}

#endif
