# Does the loss of a regression diverge? Then predictions leave the targets far behind.

from libc.math cimport fabs

cdef enum:
    IN_A_ROW = 10  # predictions


cdef struct Divergence:
    double largest  # target so far, without its sign
    int beyond      # predictions in a row that are far beyond it


cdef inline bint diverges(Divergence* d, double y, double prediction) noexcept nogil:
    """Note a target and its prediction. True, once: this one makes IN_A_ROW predictions in a row
    that are a hundred times as large as any target."""
    if fabs(y) > d.largest:
        d.largest = fabs(y)
    if not fabs(prediction) > 100.0 * d.largest or d.largest == 0.0:
        if d.beyond <= IN_A_ROW:
            d.beyond = 0
        return False
    d.beyond += d.beyond <= IN_A_ROW
    return d.beyond == IN_A_ROW
