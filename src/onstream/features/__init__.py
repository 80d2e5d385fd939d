"""Transformers: from examples to examples, alone or before a learner."""

from ..base.registry import register
from .bag_of_words import BagOfWords
from .hasher import FeatureHasher
from .pipeline import Pipeline, Union
from .projections import RandomFourierFeatures
from .scalers import Imputer, MinMaxScaler, StandardScaler
from .select import Select
from .transformer import Transformer

__all__ = [
    "BagOfWords",
    "FeatureHasher",
    "Imputer",
    "MinMaxScaler",
    "Pipeline",
    "RandomFourierFeatures",
    "Select",
    "StandardScaler",
    "Transformer",
    "Union",
]

register(
    BagOfWords,
    FeatureHasher,
    Imputer,
    MinMaxScaler,
    Pipeline,
    RandomFourierFeatures,
    Select,
    StandardScaler,
    Union,
)
