"""Online machine learning: one example at a time, forever, in bounded memory, at native speed.

>>> from onstream import PAClassifier
>>> model = PAClassifier()
>>> model.learn_one({"free": 1, "offer": 1}, "spam")
>>> model.learn_one({"meeting": 1}, "ham")
>>> model.predict_one({"free": 1})
'spam'
"""

from .base import NotMergeable
from .base.registry import expect_families
from .linear import RLS, LinearRegression, LogisticRegression, PAClassifier, Perceptron
from .persist import load, save

__version__ = "0.1.0"

__all__ = [
    "RLS",
    "LinearRegression",
    "LogisticRegression",
    "NotMergeable",
    "PAClassifier",
    "Perceptron",
    "__version__",
    "load",
    "save",
]

# Imported when `load`, the command line or a test asks for every learner there is.
expect_families(
    "onstream.drift",
    "onstream.features",
    "onstream.kernel",
    "onstream.linear",
    "onstream.stats",
    "onstream.tree",
    "onstream.bayes",
    "onstream.neighbors",
)
