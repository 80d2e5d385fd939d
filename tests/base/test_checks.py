"""What is said of a wrong parameter."""

import math

import pytest

import onstream
from onstream.base.checks import number


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 10**400])
def test_numbers_are_finite(value) -> None:
    with pytest.raises(ValueError, match="C must be finite and greater than 0, got "):
        onstream.PAClassifier(C=value)
    with pytest.raises(ValueError, match="x must be finite, got "):
        number(None, "x", value)
    with pytest.raises(ValueError, match="x must be finite and at most 2, got "):
        number(None, "x", value, most=2.0)
    with pytest.raises(ValueError, match="x must be at least 1 and at most 2, got "):
        number(None, "x", value, least=1.0, most=2.0)


def test_finite_numbers() -> None:
    with pytest.raises(ValueError, match=r"C must be greater than 0, got -1\.0"):
        onstream.PAClassifier(C=-1.0)
