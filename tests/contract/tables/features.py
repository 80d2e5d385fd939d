"""Transformers, alone and before learners; a pipeline of them is one, too."""

from onstream.features import (
    BagOfWords,
    FeatureHasher,
    Imputer,
    MinMaxScaler,
    RandomFourierFeatures,
    Select,
    StandardScaler,
    Union,
)

from ..line import Line

TABLE: dict[str, Line] = {}

TRANSFORMERS = [
    BagOfWords(),
    BagOfWords(hash_bits=6),
    FeatureHasher(hash_bits=6),
    FeatureHasher(hash_bits=4, signed=False, binary=True),
    Imputer(),
    Imputer(strategy="constant", value=-1.0),
    MinMaxScaler(),
    RandomFourierFeatures(n_components=10),
    Select("f0", "f1", 0, 1),
    StandardScaler(),
    StandardScaler() | MinMaxScaler(),
    StandardScaler() + MinMaxScaler(),
    (Select("f0", 0) | StandardScaler()) + (Imputer() | FeatureHasher(hash_bits=3)),
    (StandardScaler() + MinMaxScaler()) + RandomFourierFeatures(n_components=3),
    StandardScaler() | FeatureHasher(hash_bits=4),
    Select("f0", "f1", 0, 1) | Imputer(strategy="constant", value=-1.0),
    BagOfWords() | (StandardScaler() + MinMaxScaler()),
    FeatureHasher(hash_bits=3) | (StandardScaler() + MinMaxScaler()),
    FeatureHasher(hash_bits=3) | Imputer(strategy="constant", value=-1.0),
    (Select("f0", 0) | RandomFourierFeatures(n_components=2)) + (Imputer() | StandardScaler()),
    Union(Union(Select("f1", 1)) | FeatureHasher(hash_bits=2)) | Union(Imputer()),
]
