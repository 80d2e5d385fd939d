"""A wrong name is answered with the one that was probably meant."""

import inspect

import pytest

import onstream
from onstream.base.checks import nearest
from onstream.base.parameters import suggest_parameters


@pytest.mark.parametrize(
    ("make", "wrong", "meant"),
    [
        (onstream.PAClassifier, {"c": 1.0}, "C"),
        (onstream.tree.HoeffdingTreeClassifier, {"maxbytes": 1}, "max_bytes"),
        (onstream.evaluate.F1, {"avrage": "macro"}, "average"),
        (onstream.evaluate.RMSE, {"windw": 10}, "window"),
        (onstream.kernel.RBF, {"gama": 1.0}, "gamma"),
        (onstream.drift.ADWIN, {"detla": 0.1}, "delta"),
        (onstream.features.RandomFourierFeatures, {"gama": 1.0}, "gamma"),
        (onstream.PAClassifier().clone, {"inercept": False}, "intercept"),
    ],
)
def test_parameters(make, wrong, meant) -> None:
    with pytest.raises(
        TypeError, match=f"no parameter '{next(iter(wrong))}'. Did you mean '{meant}'"
    ):
        make(**wrong)


@pytest.mark.parametrize(
    ("make", "wrong", "ours"),
    [
        (onstream.KNNClassifier, "n_neighbors", "k"),
        (onstream.AdaptiveRandomForestClassifier, "n_estimators", "n_models"),
        (onstream.AdaptiveRandomForestClassifier, "random_state", "seed"),
        (onstream.LogisticRegression, "learning_rate", "eta"),
        (onstream.HoeffdingTreeClassifier, "split_confidence", "delta"),
    ],
)
def test_parameters_of_other_libraries(make, wrong, ours) -> None:
    with pytest.raises(TypeError, match=f"no parameter '{wrong}'. Here it is '{ours}'"):
        make(**{wrong: 1})


def test_choices() -> None:
    with pytest.raises(ValueError, match=r"got 'constnat'\. Did you mean 'constant'\?"):
        onstream.linear.SGDClassifier(schedule="constnat")
    with pytest.raises(ValueError, match=r"got 'xyz'\.$"):
        onstream.linear.SGDClassifier(schedule="xyz")


def test_parameters_go_by_name() -> None:
    with pytest.raises(TypeError, match=r"parameters are given by name \(variant, C,"):
        onstream.PAClassifier(0.1)


def test_errors_of_something_else_stay() -> None:
    def inner() -> None:
        pass

    class Thing:
        @suggest_parameters
        def __init__(self, *, a: int = 0) -> None:
            inner(b=a)  # type: ignore[call-arg]

    with pytest.raises(TypeError, match="inner"):
        Thing(a=1)
    assert list(inspect.signature(Thing).parameters) == ["a"]


def test_nearest() -> None:
    assert nearest("AUTO", ["auto", "none"]) == " Did you mean 'auto'?"
    assert nearest("zzz", ["auto", "none"]) == ""
    assert nearest(3, ["auto"]) == ""
