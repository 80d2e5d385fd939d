"""Models and generators as people type them."""

import pytest

from onstream import LogisticRegression, PAClassifier, kernel, stats
from onstream.base import parts
from onstream.cli.specs import build, parse_generator, parse_model


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


def test_generators_of_generators() -> None:
    stream = parse_generator("Drift(SEA(), SEA(function=3), at=50)")
    assert len(stream.limit(100).block(100)[1]) == 100


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("PAClasifier()", "Did you mean 'PAClassifier'"),
        ("paclassifier(C=1)", "Did you mean 'PAClassifier'"),
        ("PAClassifier(c=1)", "Did you mean 'C'"),
        ("PAClassifier(variant=PA)", "there is no model 'PA'"),
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
        ("(" * 1000 + ")" * 1000, "cannot be read"),
    ],
)
def test_what_is_no_model(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        parse_model(text)


def test_an_argument_in_the_wrong_place() -> None:
    with pytest.raises((TypeError, ValueError)):
        parse_model("PAClassifier(1)")
