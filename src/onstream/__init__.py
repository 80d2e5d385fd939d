"""Online machine learning: one example at a time, forever, in bounded memory, at native speed.

>>> from onstream import PAClassifier
>>> model = PAClassifier()
>>> model.learn_one({"free": 1, "offer": 1}, "spam")
>>> model.learn_one({"meeting": 1}, "ham")
>>> model.predict_one({"free": 1})
'spam'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .base import NotMergeable
from .base.registry import expect_families
from .linear import (
    RLS,
    LinearRegression,
    LogisticRegression,
    PAClassifier,
    PARegressor,
    Perceptron,
    SGDClassifier,
    SGDRegressor,
)
from .persist import ModelFileError, load, save

if TYPE_CHECKING:
    from .bayes import GaussianNB, MultinomialNB
    from .ensemble import AdaptiveRandomForestClassifier, AdaptiveRandomForestRegressor
    from .evaluate import prequential
    from .features import BagOfWords, MinMaxScaler, StandardScaler
    from .kernel import KernelPA
    from .neighbors import KNNClassifier, KNNRegressor
    from .select import EvolvingClassifier, EvolvingRegressor
    from .tree import (
        HoeffdingAdaptiveTreeClassifier,
        HoeffdingTreeClassifier,
        HoeffdingTreeRegressor,
    )

__version__ = "0.1.0"

__all__ = [
    "RLS",
    "AdaptiveRandomForestClassifier",
    "AdaptiveRandomForestRegressor",
    "BagOfWords",
    "EvolvingClassifier",
    "EvolvingRegressor",
    "GaussianNB",
    "HoeffdingAdaptiveTreeClassifier",
    "HoeffdingTreeClassifier",
    "HoeffdingTreeRegressor",
    "KNNClassifier",
    "KNNRegressor",
    "KernelPA",
    "LinearRegression",
    "LogisticRegression",
    "MinMaxScaler",
    "ModelFileError",
    "MultinomialNB",
    "NotMergeable",
    "PAClassifier",
    "PARegressor",
    "Perceptron",
    "SGDClassifier",
    "SGDRegressor",
    "StandardScaler",
    "__version__",
    "load",
    "prequential",
    "save",
]

# Imported when somebody asks for them, so that `import onstream` takes no time.
_HOMES = {
    "AdaptiveRandomForestClassifier": "ensemble",
    "AdaptiveRandomForestRegressor": "ensemble",
    "BagOfWords": "features",
    "EvolvingClassifier": "select",
    "EvolvingRegressor": "select",
    "GaussianNB": "bayes",
    "HoeffdingAdaptiveTreeClassifier": "tree",
    "HoeffdingTreeClassifier": "tree",
    "HoeffdingTreeRegressor": "tree",
    "KNNClassifier": "neighbors",
    "KNNRegressor": "neighbors",
    "KernelPA": "kernel",
    "MinMaxScaler": "features",
    "MultinomialNB": "bayes",
    "StandardScaler": "features",
    "prequential": "evaluate",
}
_PACKAGES = {
    *_HOMES.values(),
    "cluster",
    "compat",
    "datasets",
    "drift",
    "ensemble",
    "select",
    "serve",
    "stats",
    "streams",
    "testing",
}

# Imported when `load`, the command line or a test asks for every learner there is.
expect_families(
    "onstream.drift",
    "onstream.ensemble",
    "onstream.features",
    "onstream.kernel",
    "onstream.linear",
    "onstream.stats",
    "onstream.tree",
    "onstream.bayes",
    "onstream.neighbors",
    "onstream.select",
)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    if name in _PACKAGES:
        return import_module(f"{__name__}.{name}")
    home = "" if name.startswith("_") else _home(name)
    raise AttributeError(
        f"module {__name__!r} has no attribute {name!r}{home}", name=name, obj=None
    )


def _home(name: str) -> str:
    """Where a name is that somebody looks for here."""
    for package in sorted({*_PACKAGES, "linear"}):
        try:
            names = getattr(import_module(f"{__name__}.{package}"), "__all__", ())
        except ImportError:  # of something that is not installed
            continue
        if name in names:
            return f"; it is in {__name__}.{package}: from {__name__}.{package} import {name}"
    return ""


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PACKAGES})
