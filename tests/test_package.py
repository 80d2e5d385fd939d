"""What `import onstream` offers."""

import subprocess
import sys

import pytest

import onstream


def test_every_name_is_there() -> None:
    for name in onstream.__all__:
        assert getattr(onstream, name) is not None
        assert name in dir(onstream)


@pytest.mark.parametrize("package", ["tree", "features", "streams", "datasets"])
def test_packages_come_when_asked_for(package: str) -> None:
    asked = (
        f"import onstream, sys; assert 'onstream.{package}' not in sys.modules; onstream.{package}"
    )
    subprocess.run([sys.executable, "-c", asked], check=True)


def test_a_wrong_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="KNNClasifier"):
        onstream.KNNClasifier  # noqa: B018


def test_the_learners_to_start_with_are_at_hand() -> None:
    from onstream import AdaptiveRandomForestClassifier, EvolvingClassifier, EvolvingRegressor
    from onstream.select import EvolvingClassifier as same

    assert EvolvingClassifier is same
    assert EvolvingRegressor.__module__.startswith("onstream.select")
    assert AdaptiveRandomForestClassifier.__module__.startswith("onstream.ensemble")
