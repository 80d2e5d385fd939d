"""Pipelines and transformers."""

from onstream.features import (
    FeatureHasher,
    Imputer,
    MinMaxScaler,
    RandomFourierFeatures,
    Select,
    StandardScaler,
)
from onstream.linear import LogisticRegression

from ..line import Line
from ..streams import two_labels

TABLE = {
    "Pipeline": Line(two_labels, 0.80, given={"steps": [StandardScaler(), LogisticRegression()]}),
}

TRANSFORMERS = [
    FeatureHasher(hash_bits=6),
    FeatureHasher(hash_bits=4, signed=False, binary=True),
    Imputer(),
    Imputer(strategy="constant", value=-1.0),
    MinMaxScaler(),
    RandomFourierFeatures(n_components=10),
    Select("f0", "f1", 0, 1),
    StandardScaler(),
    StandardScaler() + MinMaxScaler(),
    (Select("f0", 0) | StandardScaler()) + (Imputer() | FeatureHasher(hash_bits=3)),
    (StandardScaler() + MinMaxScaler()) + RandomFourierFeatures(n_components=3),
]
