"""A lesson that fails for lack of memory leaves no trace: learned again, it is as if it had not."""

from typing import Any

import pytest

from .table import Case
from .tools import fingerprint, targets

_testcapi = pytest.importorskip("_testcapi")

AT = (0, 1, 9)  # lessons of which one allocation fails
TRIES = 12  # ... this one, counted from the beginning of the lesson


def lessons(case: Case) -> list[tuple[dict[str, Any], Any]]:
    """Rows that bring new features and labels for a while."""
    found = []
    for i, y in enumerate(targets(case, 24).tolist()):
        x: dict[str, Any] = {
            f"f{(3 * i + j) % (4 + i)}": 1.0 + 0.1 * ((7 * i + j) % 9) for j in range(4)
        }
        found.append(({**x, "color": "red" if i % 3 else f"blue{i % 5}"}, y))
    return found


def test_a_lesson_that_fails_leaves_no_trace(case: Case) -> None:
    rows = lessons(case)
    calm = case.make()
    for x, y in rows:
        calm.learn_one(x, y)
    failures = 0
    for at in AT:
        for k in range(TRIES):
            model = case.make()
            for i, (x, y) in enumerate(rows):
                if i == at:
                    _testcapi.set_nomemory(k, k + 1)
                    try:
                        model.learn_one(x, y)
                        continue
                    except (MemoryError, ValueError):
                        failures += 1
                    finally:
                        _testcapi.remove_mem_hooks()
                model.learn_one(x, y)
            assert fingerprint(model) == fingerprint(calm), (at, k)
    assert failures > 0
