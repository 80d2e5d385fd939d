# Poisson numbers: how often an example counts.

from libc.math cimport exp


cdef inline int poisson(double lam, double u, int most) noexcept nogil:
    """k from Poisson(lam), at most `most`, by inverting its distribution at u in (0, 1)."""
    cdef double chance = exp(-lam), below = chance
    cdef int k = 0
    while u > below and k < most:
        k += 1
        chance = chance * lam / k
        below += chance
    return k
