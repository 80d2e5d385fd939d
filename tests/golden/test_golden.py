"""Models that were saved long ago load, say what they said then, and go on as they would have."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onstream
from onstream.base import learners
from onstream.persist import dumps

from . import make
from .make import FOLDER, answers, go_on, variants

# The same data for every learner: some would have other data, and say so.
pytestmark = pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")

CHANGES = (Path(__file__).parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
UNRELEASED = "unreleased" in CHANGES.partition("\n## ")[2].partition("\n")[0]
FILES = sorted(Path(__file__).parent.glob("format*/*.onstream"))


def flat(values: list[Any]) -> list[Any]:
    """What is in a list, or in the lists in it."""
    return [v for item in values for v in (item if isinstance(item, list) else [item])]


def assert_same(told: Any, expected: Any) -> None:
    """Equal but for the last bits: `exp` differs between systems."""
    if isinstance(expected, dict):
        assert list(told) == list(expected)
        for key in expected:
            assert_same(told[key], expected[key])
    elif isinstance(expected, list) and any(isinstance(v, float) for v in flat(expected)):
        np.testing.assert_allclose(told, expected, rtol=1e-12, atol=1e-14)
    else:
        assert told == expected


OTHER_DEFAULTS = {"kernel": None, "gamma": 0.1}  # then; a model of then shows them now


def without_added(cls: Any, said: str) -> str:
    """A model's repr without the parameters that came later, which its file did not tell."""
    for name, value in {**OTHER_DEFAULTS, **getattr(cls, "_added_parameters", {})}.items():
        said = said.replace(f"{name}={value!r}", "").replace("(, ", "(").replace(", )", ")")
    return said.replace(", , ", ", ")


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_golden_file(path: Path) -> None:
    variant = path.stem.split("-")[1]
    expected = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    model = onstream.load(path)
    for moment in ("now", "later"):
        told = answers(model, variant)
        told["repr"] = without_added(type(model), told["repr"])
        assert_same(told, expected[moment])
        go_on(model, variant)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.onstream")), ids=lambda path: path.stem)
def test_the_present_format_is_written_as_it_is_read(path: Path) -> None:
    assert dumps(onstream.load(path)) == path.read_bytes()


@pytest.mark.skipif(UNRELEASED, reason="golden files are made with a release")
@pytest.mark.parametrize("name", learners())
def test_every_learner_has_golden_files(name: str) -> None:
    wanted = variants(learners()[name])
    missing = [v for v in wanted if FOLDER / f"{name}-{v}.onstream" not in FILES]
    assert not missing, f"{name} has no golden files: run `python -m tests.golden.make`."


def test_golden_files_are_never_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(make, "FOLDER", tmp_path)
    name = next(iter(learners()))
    old = tmp_path / f"{name}-named.onstream"
    old.write_bytes(b"what a user has on disk")
    make.main()
    assert old.read_bytes() == b"what a user has on disk"
    assert not old.with_suffix(".json").exists()
    wanted = sum(len(variants(cls)) for cls in learners().values())
    assert len(list(tmp_path.iterdir())) == 2 * wanted - 1
