"""Transformers: from examples to examples, alone or before a learner."""

from ..base.registry import register_family
from .bag_of_words import BagOfWords
from .feature_hasher import FeatureHasher
from .imputer import Imputer
from .min_max_scaler import MinMaxScaler
from .pipeline import Pipeline
from .random_fourier_features import RandomFourierFeatures
from .select import Select
from .standard_scaler import StandardScaler
from .transformer import Transformer
from .union import Union

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

register_family(globals(), bases=("Transformer",))
