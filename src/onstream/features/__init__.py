"""Transformers: from examples to examples, alone or before a learner."""

from ..base.registry import register
from .hasher import FeatureHasher
from .pipeline import Pipeline, Union
from .projections import RandomFourierFeatures
from .scalers import Imputer, MinMaxScaler, StandardScaler
from .select import Select
from .transformer import Transformer

__all__ = [
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
    FeatureHasher,
    Imputer,
    MinMaxScaler,
    Pipeline,
    RandomFourierFeatures,
    Select,
    StandardScaler,
    Union,
)
