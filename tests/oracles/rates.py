"""Learning rates as functions of n = 1, 2, ..."""

from math import sqrt


def rate(schedule, n, eta, power, l2):
    return {
        "constant": eta,
        "power": eta * n**-power,
        "inverse": eta / (1.0 + eta * l2 * n),
        "sqrt": eta / sqrt(n),
    }[schedule]
