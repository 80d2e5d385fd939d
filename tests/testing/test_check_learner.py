"""What keeps the contract passes; what breaks it is caught, by the right check and in words."""

import re
from typing import Any

import pytest

import onstream.testing.common
from onstream import PAClassifier
from onstream.base.errors import NotMergeable
from onstream.evaluate import MAE, Accuracy
from onstream.kernel import KernelPerceptron, Spectrum
from onstream.linear import PAMultilabel, PAUniclass
from onstream.testing import check_learner, checks

from .broken import LEARNERS, OTHERS
from .toys import Centre, Jump, Voter


@pytest.mark.parametrize("toy", [Voter, Centre, Jump])
def test_toys_that_keep_the_contract(toy: type[Any]) -> None:
    assert check_learner(toy) is None
    assert check_learner(toy(prior=0.5)) is None


@pytest.mark.parametrize("toy", [*LEARNERS, *OTHERS], ids=lambda toy: toy.__name__)
def test_broken_toys(toy: type[Any]) -> None:
    sentence = (LEARNERS | OTHERS)[toy]
    pattern = re.escape(f"{toy.__name__}: {sentence}").replace(r"\.\*", ".*")
    with pytest.raises(AssertionError, match=f"^{pattern}"):
        check_learner(toy)


def test_every_check_catches_something() -> None:
    caught = {sentence.split(":")[0] for sentence in [*LEARNERS.values(), *OTHERS.values()]}
    known = {name for toy in (Voter, Centre, Jump) for name in checks(toy)}
    assert known - caught == {"files"}  # the toys cannot be saved


def test_what_a_file_loses_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(data: bytes, **functions: Any) -> Any:
        return onstream.persist.loads(data, **functions).clone()

    monkeypatch.setattr(onstream.testing.common, "loads", lost)
    with pytest.raises(AssertionError, match=r"^PAClassifier: files: save and load: another model"):
        check_learner(PAClassifier)


def test_a_subclass_of_a_learner() -> None:
    class Forgetful(PAClassifier):
        def clone(self, **changes: Any) -> Any:
            return type(self)(C=2.0)

    with pytest.raises(AssertionError, match=r"^Forgetful: parameters: params of clone\(\)"):
        check_learner(Forgetful)


def test_examples_of_another_kind() -> None:
    words = ["tea", "coffee", "teapot", "cup", "cups"] * 8
    model = KernelPerceptron(kernel=Spectrum(p=2))
    check_learner(model, X=words, y=[len(word) > 4 for word in words])


@pytest.mark.parametrize("learner", [PAUniclass, PAMultilabel])
def test_learners_without_one_target(learner: type[Any]) -> None:
    check_learner(learner)


def test_what_cannot_be_checked() -> None:
    with pytest.raises(TypeError, match=r"^check_learner: int has neither learn_one"):
        check_learner(int)
    with pytest.raises(TypeError, match=r"give an instance instead of the class"):
        check_learner(type("Needy", (Voter,), {"__init__": lambda self, size: None}))


def test_a_metric_is_no_detector() -> None:
    class Missed:
        def update(self, y: Any, prediction: Any) -> None: ...

    for metric in (Accuracy, Accuracy(), MAE(), Missed):
        with pytest.raises(TypeError, match=r"^check_learner: \w+ is a metric: its update takes"):
            check_learner(metric)


def test_a_learner_of_ours_says_that_it_is_not_mergeable() -> None:
    class Refuses(PAClassifier):
        def merge(self, other: Any) -> None:
            raise self.kind("Refuses: cannot be merged, as it is a test")

        kind: type[Exception] = NotMergeable

    checks(Refuses)["merging"]()
    Refuses.kind = TypeError
    with pytest.raises(AssertionError, match=r"merging: .* expected NotMergeable"):
        checks(Refuses)["merging"]()


def test_checks_one_by_one() -> None:
    found = checks(Voter)
    assert list(found)[:2] == ["verbs", "labels"]
    found["weights"]()
