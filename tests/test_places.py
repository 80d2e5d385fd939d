"""Every learner stands in the places that CONTRIBUTING.md lists, and in the module of its name."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from onstream.base import learners, parts
from onstream.drift.base import Detector
from onstream.features import Pipeline

ROOT = Path(__file__).parents[1]
LEARNERS = list(learners().values())
DETECTORS = [cls for cls in parts().values() if issubclass(cls, Detector)]

# Where a learner must be, as CONTRIBUTING.md writes it.
PLACES = [
    "src/onstream/<family>/**/<name>.py",
    "src/onstream/<family>/__init__.py",
    "tests/contract/tables/<family>.py",
    "tests/<family>/test_*.py",
    "docs/*.md",
    "CHANGELOG.md",
]
SEVERAL_FILES = {"tests/contract/tables/<family>.py"}  # a large family has more than one


def snake_case(name: str) -> str:
    """KNNADWINClassifier to knnadwin_classifier: capitals in a row are one word."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def in_module_of_its_name(cls: type[Any]) -> bool:
    """Compare without underscores: knn_adwin_classifier is the module of KNNADWINClassifier."""
    module = cls.__module__.rpartition(".")[2]
    return module.replace("_", "") == snake_case(cls.__name__).replace("_", "")


@pytest.mark.parametrize("cls", [*LEARNERS, *DETECTORS], ids=lambda cls: cls.__name__)
def test_a_class_lives_in_the_module_of_its_name(cls: type[Any]) -> None:
    assert in_module_of_its_name(cls), f"{cls.__name__} belongs into {snake_case(cls.__name__)}.py"


def test_the_list_of_places_is_that_of_contributing() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition("## Add a learner\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\d+\. `([^`]+)`: ", section, re.M) == PLACES


@cache
def text_of(pattern: str) -> str:
    """All files of a pattern, one after the other."""
    files = [path for path in sorted(ROOT.glob(pattern)) if path.name != "decisions.md"]
    assert files, f"there is no {pattern}"
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def places_of(cls: type[Any]) -> list[str]:
    """The places where the name of this learner must be found in a text."""
    places = PLACES[1:]  # the first: test_a_class_lives_in_the_module_of_its_name
    if cls is Pipeline:  # the table holds pipelines as they are written, with bars
        places.remove("tests/contract/tables/<family>.py")
    return places


@pytest.mark.parametrize(
    ("cls", "place"),
    [
        pytest.param(cls, place, id=f"{cls.__name__}-{place}")
        for cls in LEARNERS
        for place in places_of(cls)
    ],
)
def test_a_learner_stands_in_every_place(cls: type[Any], place: str) -> None:
    name, family = cls.__name__, cls.__module__.split(".")[1]
    missing = f"{name} is missing in {place}: see CONTRIBUTING.md"
    found = text_of(place.replace("<family>", "*" if place in SEVERAL_FILES else family))
    written = rf"^\|.*`{name}\b" if place == "docs/*.md" else rf"\b{name}\b"
    assert re.search(written, found, re.M), missing
