"""Learning rates as functions of n = 1, 2, ..."""

from math import sqrt

BY_HAND = {  # the first four with eta=0.4, power=0.75 and, for "inverse", l2=0.5
    "constant": [0.4, 0.4, 0.4, 0.4],
    "power": [0.4, 0.4 * 2**-0.75, 0.4 * 3**-0.75, 0.4 * 4**-0.75],
    "inverse": [0.4 / (1 + 0.4 * 0.5 * n) for n in (1, 2, 3, 4)],
    "sqrt": [0.4, 0.4 / 2**0.5, 0.4 / 3**0.5, 0.2],
}


def rate(schedule, n, eta, power, l2):
    return {
        "constant": eta,
        "power": eta * n**-power,
        "inverse": eta / (1.0 + eta * l2 * n),
        "sqrt": eta / sqrt(n),
    }[schedule]
