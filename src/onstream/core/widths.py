"""A limit of features for learners whose memory is the square of their number."""

from typing import Any

MOST = 2048  # features: a matrix of 32 MB, and some milliseconds for each example


def too_wide(who: str, width: int, most: int, encoder: Any) -> ValueError:
    """The error for more features than a learner takes; it names the column with most values."""
    counts = encoder.value_counts()
    column = max(counts, key=lambda name: counts[name], default=None)
    blame = "" if column is None else f" (column {column!r} alone has {counts[column]:,} values)"
    return ValueError(
        f"{who}: there are {width:,} features{blame}, more than max_features={most:,}: it keeps a "
        f"matrix of features x features. Leave a column of many values out, hash features to fewer "
        f"(FeatureHasher(hash_bits=10) | ..., or its own hash_bits), or raise max_features."
    )
