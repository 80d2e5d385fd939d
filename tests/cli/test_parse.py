"""Models and generators as people type them."""

import sys
from typing import Any

import pytest

from onstream import (
    HoeffdingAdaptiveTreeClassifier,
    HoeffdingTreeClassifier,
    LogisticRegression,
    PAClassifier,
    kernel,
    stats,
)
from onstream.base import learners, parts
from onstream.cli.names import by_name, family
from onstream.cli.parse import build, parse_generator, parse_model
from onstream.cli.run import chosen_metrics


def test_a_call_a_name_and_literals() -> None:
    model = parse_model(
        " PAClassifier(variant='PA-II', C=1e-2, labels=['a', 'b'], intercept=False) "
    )
    assert type(model) is PAClassifier
    assert model.params == {
        **PAClassifier().params,
        **{"variant": "PA-II", "C": 0.01, "labels": ["a", "b"], "intercept": False},
    }
    assert type(parse_model("LogisticRegression")) is LogisticRegression


def test_sum_is_the_one_of_the_package_it_stands_in() -> None:
    model = parse_model("KernelPerceptron(kernel=Normalized(Sum(Linear(), RBF(gamma=0.5))))")
    assert type(model.kernel.kernel) is kernel.Sum
    assert type(parse_model("KernelPA(kernel=Sum(Linear(), Linear()))").kernel) is kernel.Sum
    assert type(build("Sum()", parts(), "model")) is stats.Sum
    mixed = parse_model("StandardScaler() | KernelPA(kernel=Sum(Linear(), RBF()))")
    assert "Sum(Linear()" in repr(mixed)


def exported() -> list[tuple[str, type[Any]]]:
    """All names of all learners that the packages offer."""
    known = learners().values()
    homes = {sys.modules[f"onstream.{family(cls)}"] for cls in known}
    found = {name: getattr(home, name) for home in homes for name in home.__all__}
    return sorted((name, thing) for name, thing in found.items() if thing in known)


def test_every_exported_name_can_be_typed() -> None:
    assert {"VFDT", "HAT"} <= {name for name, _ in exported()}
    for name, cls in exported():
        assert by_name()[name] is cls
    assert type(parse_model("VFDT(grace_period=50)")) is HoeffdingTreeClassifier
    assert type(parse_model("HAT")) is HoeffdingAdaptiveTreeClassifier


def test_a_batch_tree_may_be_a_parameter() -> None:
    model = parse_model("HoeffdingTreeClassifier(init=BatchTree(max_depth=3))")
    assert type(model) is HoeffdingTreeClassifier


def test_generators_of_generators() -> None:
    stream = parse_generator("Drift(SEA(), SEA(function=3), at=50)")
    assert len(stream.limit(100).block(100)[1]) == 100


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("PAClasifier()", "Did you mean 'PAClassifier'"),
        ("RandomForest()", "Did you mean 'AdaptiveRandomForest.*' or 'AdaptiveRandomForest"),
        ("paclassifier(C=1)", "Did you mean 'PAClassifier'"),
        ("PAClassifier(c=1)", "Did you mean 'C'"),
        ("PAClassifier(variant=XY)", "PAClassifier: variant=XY is neither a number nor a text in"),
        ("PAClassifier(variant=XY)", "nor a model. Text needs quotes: variant='XY'."),
        ("PAClassifier(intercept=false)", "Did you mean 'False'"),
        ("StandardScaler() | KernelPA(kernel=RFB)", "Did you mean 'RBF'"),
        ("Nothing()", "there is no model 'Nothing'. `onstream models` lists them."),
        ("PAClassifier(C=-1)", "C must be greater than 0"),
        ("PAClassifier(C=", "cannot be read"),
        ("", "cannot be read"),
        ("__import__('os').system('true')", "neither a value nor"),
        ("PAClassifier.learn_one(1)", "neither a value nor"),
        ("(lambda: 1)()", "neither a value nor"),
        ("[x for x in 'ab']", "neither a value nor"),
        ("PAClassifier(C=2**1000000)", "neither a value nor"),
        ("PAClassifier(**{'C': 1})", "neither a value nor"),
        ("ADWIN()", "is no learner"),
        ("7", "is no learner"),
        ("BatchTree()", "BatchTree is no online learner"),
        ("StandardScaler() | BatchTree()", "BatchTree is no online learner"),
        ("VFTD()", "Did you mean 'VFDT'"),
        ("VFDT(grace=9)", "Did you mean 'grace_period'. The parameters are .*delta, grace_period"),
        ("(" * 1000 + ")" * 1000, "cannot be read"),
    ],
)
def test_what_is_no_model(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        parse_model(text)


def test_metrics_and_generators_are_listed() -> None:
    with pytest.raises(ValueError, match=r"no metric 'RMS'. Did you mean 'RMSE'\? There are Acc"):
        chosen_metrics(["RMS"])
    with pytest.raises(ValueError, match=r"no metric 'foo'. There are Accuracy, .*Kappa.*RMSE"):
        chosen_metrics(["foo"])
    with pytest.raises(ValueError, match=r"F1: average=macro is neither .* nor a metric"):
        chosen_metrics(["F1(average=macro)"])
    with pytest.raises(ValueError, match=r"no generator 'Waves'.*There are .*SEA"):
        parse_generator("Waves()")


def test_an_argument_in_the_wrong_place() -> None:
    with pytest.raises((TypeError, ValueError)):
        parse_model("PAClassifier(1)")
