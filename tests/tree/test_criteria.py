"""Entropy, Gini index and Hoeffding's bound against the figures of the specification."""

import math

import pytest

from onstream.tree.arena._split import bound, impurity


def gain(criterion: str, parts: list[tuple[float, ...]]) -> float:
    whole = [sum(column) for column in zip(*parts, strict=True)]
    n = sum(whole)
    return impurity(criterion, whole) - sum(sum(p) / n * impurity(criterion, p) for p in parts)


def test_nine_against_five() -> None:
    assert impurity("info_gain", [9, 5]) == pytest.approx(0.940286, abs=5e-7)
    assert impurity("gini", [9, 5]) == pytest.approx(0.459184, abs=5e-7)
    parts: list[tuple[float, ...]] = [(2, 3), (4, 0), (3, 2)]
    assert gain("info_gain", parts) == pytest.approx(0.246750, abs=5e-7)
    assert gain("gini", parts) == pytest.approx(0.116327, abs=5e-7)


def test_pure_and_even() -> None:
    assert impurity("info_gain", [7, 0, 0]) == 0.0
    assert impurity("info_gain", [5] * 8) == pytest.approx(3.0, rel=1e-15)
    assert impurity("gini", [5] * 8) == pytest.approx(1 - 1 / 8, rel=1e-15)


def test_hoeffding_bound() -> None:
    assert bound(1.0, 1e-7, 200) == pytest.approx(0.200737, abs=5e-7)
    assert bound(math.log2(3), 1e-7, 200) == pytest.approx(0.200737 * math.log2(3), abs=1e-6)
    assert bound(1.0, 1e-7, 3224) < 0.05 < bound(1.0, 1e-7, 3223)
