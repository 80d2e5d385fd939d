"""Let every allocation of one `learn_one` fail in turn; see test_no_memory.py, which runs this.

    python failing_memory.py vectors|strings

Prints how many examples were refused for lack of memory.
"""

import _testcapi
import random
import sys
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

from onstream.kernel import (
    BOGD,
    FOGD,
    NOGD,
    RBF,
    BudgetedPA,
    FixedBudgetPerceptron,
    Forgetron,
    KernelLMS,
    KernelMIRA,
    KernelPA,
    KernelPARegressor,
    KernelPerceptron,
    LeastRecentPerceptron,
    Projectron,
    ProjectronPlusPlus,
    RandomizedPerceptron,
    Spectrum,
    Stoptron,
    TighterBudgetPerceptron,
)
from onstream.persist import dumps

FREE = [KernelPerceptron, KernelPA, KernelPARegressor, KernelMIRA]
BUDGETED: list[tuple[Any, dict[str, Any]]] = [
    (Stoptron, {}),
    (RandomizedPerceptron, {}),
    (LeastRecentPerceptron, {}),
    (FixedBudgetPerceptron, {}),
    (TighterBudgetPerceptron, {"memory": 5}),
    (TighterBudgetPerceptron, {"memory": 0}),
    (Forgetron, {"variant": "basic"}),
    (Forgetron, {"variant": "self-tuned"}),
    (Projectron, {"eta": 0.01}),
    (ProjectronPlusPlus, {"eta": 0.01}),
    (BudgetedPA, {"maintenance": "simple"}),
    (BudgetedPA, {"maintenance": "nearest"}),
    (BudgetedPA, {"maintenance": "projection"}),
    (KernelLMS, {"policy": "random"}),
    (KernelLMS, {"policy": "oldest"}),
    (BOGD, {}),
    (NOGD, {"rank": 5}),
]
NUMBERS = (KernelPARegressor, KernelLMS)  # their targets

Row = tuple[Any, Any]


self_value = Spectrum.self_value
failing: list[int] = []  # number of the allocation that fails, for structured examples


def value_then_fail(kernel: Spectrum, prepared: Any) -> float:
    """Memory fails after the kernel, in the learner: the kernel itself is Python."""
    value = self_value(kernel, prepared)
    for k in failing:
        _testcapi.set_nomemory(k, k + 1)
    return value


def lines(structured: bool) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Every learner with its parameters."""
    kernel = Spectrum() if structured else RBF(gamma=4.0)
    for cls in FREE:
        yield cls, {"kernel": kernel}
    for cls, params in BUDGETED:
        yield cls, {"kernel": kernel, "budget": 12, **params}
    if not structured:
        yield FOGD, {"n_components": 9}


def stream(third: int, numbers: bool, structured: bool) -> Iterator[Row]:
    """Examples with more and more features; the third label comes first in row `third`."""
    draw = random.Random(4)
    for i in range(24 if structured else 60):
        x: Any = {f"f{j}": draw.gauss(0.0, 1.0) for j in range(2 + (i + 11) % 12 // 4)}
        if structured:
            x = "".join(draw.choice("abc") for _ in range(5))
        y = draw.gauss(0.0, 1.0) if numbers else i % 2
        yield x, 2 if not numbers and i >= third and i % 3 == third % 3 else y


def growing(model: Any, rows: list[Row]) -> list[int]:
    """The rows of the first support that needs more room, and of the one that fills a budget."""
    found = {8}
    for i, (x, y) in enumerate(rows):
        before = len(model.supports)
        model.learn_one(x, y)
        if before < len(model.supports) in (9, 12):
            found.add(i)
    return sorted(found)


def learned(model: Any, rows: list[Row], at: int, k: int, structured: bool) -> tuple[bytes, bool]:
    """The saved model, after allocation k of row `at` has failed; and whether there was one."""
    failed = False
    for i, (x, y) in enumerate(rows):
        if i == at:
            try:
                if structured:
                    failing.append(k)
                else:
                    _testcapi.set_nomemory(k, k + 1)
                model.learn_one(x, y)
                continue
            except (MemoryError, SystemError):  # the latter from NumPy
                failed = True
            finally:
                _testcapi.remove_mem_hooks()
                failing.clear()
        model.learn_one(x, y)
    return dumps(model), failed


def main(structured: bool) -> int:
    failures = 0
    for cls, params in lines(structured):
        numbers = cls in NUMBERS
        # The first row of the third label: never, before, or when memory fails.
        for third in (99,) if numbers else (99, 2, 8):
            rows = list(stream(third, numbers, structured))
            expected, _ = learned(cls(**params), rows, -1, 0, structured)
            for at in growing(cls(**params), rows):
                k = quiet = 0
                while quiet < 5:
                    sys.stderr.write(f"{cls.__name__} {params} {third} {at} {k}\n")
                    found, failed = learned(cls(**params), rows, at, k, structured)
                    assert found == expected
                    failures += failed
                    quiet = 0 if failed else quiet + 1
                    k += 1 if k < 30 else 7  # a copy of a machine takes hundreds
    return failures


if __name__ == "__main__":
    with patch.object(Spectrum, "self_value", value_then_fail):
        sys.stdout.write(f"{main(sys.argv[1] == 'strings')}\n")
