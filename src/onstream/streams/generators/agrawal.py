"""Agrawal's loan applicants."""

from typing import Any

import numpy as np

from ...base.blocks import Block
from ...base.checks import whole
from .generator import Draw, Generator, whole_numbers

# Bands of salary, in thousands, and levels of education, for each bracket of age.
B1, B2, B3 = (50, 100), (75, 125), (25, 75)
E1, E2, E3 = (0, 1), (1, 3), (2, 4)


class Agrawal(Generator):
    """Loan applicants in two groups (Agrawal, Imielinski and Swami, IEEE TKDE 5, 1993).

    Nine features: salary, commission, age, elevel (0 ... 4), car (1 ... 20), zipcode (0 ... 8),
    hvalue, hyears, loan. The label is 1 for group A, 0 for group B.

    Parameters
    ----------
    function : 1 ... 10, default 1
        Who is in group A: by age; age and salary; age and education; all three; loan; total
        income; four formulas of disposable income.
    noise : float from 0 to 1, default 0
        After labelling, each amount moves by up to this share of its range; MOA takes 0.05.
    seed : int, default 0
        Another seed, another stream.

    Examples
    --------
    >>> x, y = next(iter(Agrawal(1, seed=1)))
    >>> y == (x["age"] < 40 or x["age"] >= 60)
    True
    """

    def __init__(self, function: int = 1, *, noise: float = 0.0, seed: int = 0) -> None:
        super().__init__(seed)
        self.function = whole(self, "function", function, least=1, most=10)
        self.noise = self._share("noise", noise)

    def _start(self) -> Draw:
        import pyarrow as pa

        uniform, noise = self._instances(2)

        def draw(n: int) -> Block:
            people = applicants(uniform.random((n, 9)))
            y = group_a(self.function, people).astype(np.int64)
            if self.noise:
                perturb(people, noise.uniform(-self.noise, self.noise, (n, 6)))
            return pa.table(people), y

        return draw


def applicants(u: np.ndarray) -> dict[str, Any]:
    """People, out of nine numbers of [0, 1) each."""
    salary = 20_000.0 + 130_000.0 * u[:, 0]
    zipcode = whole_numbers(u[:, 5], 0, 8)
    return {
        "salary": salary,
        "commission": np.where(salary >= 75_000.0, 0.0, 10_000.0 + 65_000.0 * u[:, 1]),
        "age": whole_numbers(u[:, 2], 20, 80),
        "elevel": whole_numbers(u[:, 3], 0, 4),
        "car": whole_numbers(u[:, 4], 1, 20),
        "zipcode": zipcode,
        "hvalue": (9 - zipcode) * 100_000.0 * (0.5 + u[:, 6]),
        "hyears": whole_numbers(u[:, 7], 1, 30),
        "loan": 500_000.0 * u[:, 8],
    }


def group_a(function: int, people: dict[str, Any]) -> np.ndarray:
    """Who is in group A."""
    salary, elevel, loan = people["salary"], people["elevel"], people["loan"]
    total = salary + people["commission"]
    bracket = np.digitize(people["age"], [40, 60])  # 0, 1, 2

    def within(value: np.ndarray, *bands: tuple[int, int], unit: float = 1.0) -> np.ndarray:
        """Say whether the value is in the band of the person's bracket."""
        low, high = np.array(bands, dtype=np.float64)[bracket].T * unit
        return np.asarray((value >= low) & (value <= high))

    if function == 1:
        return np.asarray(bracket != 1)
    if function == 2:
        return within(salary, B1, B2, B3, unit=1000.0)
    if function == 3:
        return within(elevel, E1, E2, E3)
    if function == 4:
        return np.where(
            within(elevel, E1, E2, E3),
            within(salary, B3, B1, B1, unit=1000.0),
            within(salary, B1, B2, B3, unit=1000.0),
        )
    if function == 5:
        return np.where(
            within(salary, B1, B2, B3, unit=1000.0),
            within(loan, (100, 300), (200, 400), (300, 500), unit=1000.0),
            within(loan, (200, 400), (300, 500), (100, 300), unit=1000.0),
        )
    if function == 6:
        return within(total, B1, B2, B3, unit=1000.0)
    left = 2.0 / 3.0 * total
    if function == 7:
        return np.asarray(left - loan / 5.0 - 20_000.0 > 0.0)
    left = left - 5_000.0 * elevel
    if function == 8:
        return np.asarray(left - 20_000.0 > 0.0)
    if function == 9:
        return np.asarray(left - loan / 5.0 - 10_000.0 > 0.0)
    equity = people["hvalue"] * np.maximum(0, people["hyears"] - 20) / 10.0
    return np.asarray(left + equity / 5.0 - 10_000.0 > 0.0)


def perturb(people: dict[str, Any], shares: np.ndarray) -> None:
    """Move the amounts by these shares of their ranges, and keep them in range."""
    houses = (9 - people["zipcode"]) * 100_000.0
    ranges: dict[str, tuple[Any, Any]] = {
        "salary": (20_000.0, 150_000.0),
        "commission": (10_000.0, 75_000.0),
        "age": (20.0, 80.0),
        "hvalue": (0.5 * houses, 1.5 * houses),
        "hyears": (1.0, 30.0),
        "loan": (0.0, 500_000.0),
    }
    for (name, (low, high)), share in zip(ranges.items(), shares.T, strict=True):
        old = people[name]
        moved = np.clip(old + (high - low) * share, low, high)
        if name == "commission":
            moved = np.where(old == 0.0, 0.0, moved)  # no commission stays none
        people[name] = np.rint(moved).astype(np.int64) if name in ("age", "hyears") else moved
