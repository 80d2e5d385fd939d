"""Keys of rows: found in a column, as texts, and spread over workers by their hash."""

import hashlib
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.arrow import arrow_table

EXACT = 2**53  # below it every int has a float of its own


def split_key(key: str, X: Any, where: str = "", before: int = 0) -> tuple[Any, list[str]]:
    """Rows without their key, and the keys; messages count rows from `before`, in `where`."""
    if isinstance(X, (list, tuple)):
        found = (row[key] for row in X)
        keys = key_texts(key, found, where, before)
        return [{name: v for name, v in row.items() if name != key} for row in X], keys
    if not hasattr(X, "__arrow_c_stream__"):
        raise TypeError(
            f"KeyedModels: {where}X must be a frame or a list of dicts, so that the key is known "
            f"by its name, got {type(X).__name__}."
        )
    table = arrow_table(X)
    if key not in table.column_names:
        raise ValueError(f"KeyedModels: {where}there is no column {key!r} for the key.")
    keys = key_texts(key, table.column(key).to_pylist(), where, before)
    return table.drop_columns([key]), keys


def key_texts(key: str, found: Iterable[Any], where: str, before: int) -> list[str]:
    """The keys of rows as texts."""
    texts: list[str] = []
    try:
        texts.extend(map(key_text, found))  # where one cannot be a key, those before it stay
    except (KeyError, TypeError):
        reason = f"there is no key {key!r}."
    except ValueError as error:
        reason = str(error).removeprefix("KeyedModels: ")
    else:
        return texts
    raise ValueError(f"KeyedModels: {where}row {len(texts) + before:,}: {reason}")


def key_text(key: Any) -> str:
    """A key as a text that tells "1" from 1; 1.0 is 1."""
    if isinstance(key, np.generic):
        key = key.item()
    if isinstance(key, str) and key.isascii():
        return f"s{key}"
    if isinstance(key, str):
        try:
            key.encode()
        except UnicodeEncodeError:
            raise ValueError(f"KeyedModels: the key {key!r:.60} is not valid Unicode.") from None
        return f"s{key}"
    if isinstance(key, float) and key.is_integer() and abs(key) < EXACT:
        key = int(key)  # as readers of CSV and JSON lines make them
    if isinstance(key, (bool, int)):
        return f"{'b' if isinstance(key, bool) else 'i'}{int(key)}"
    reason = ""
    if isinstance(key, float) and math.isfinite(key):
        reason = (
            ", which has a fraction" if abs(key) < EXACT else ", which floats cannot tell apart"
        )
        reason += "; read the column as text"
    raise ValueError(
        f"KeyedModels: a key must be a text, an int or a bool, got {key!r:.60}{reason}."
    )


def key_value(text: str) -> Any:
    """The key again."""
    kinds: dict[str, Any] = {"s": str, "i": int, "b": lambda rest: bool(int(rest))}
    return kinds[text[0]](text[1:])


def owners(keys: list[str], workers: int) -> Any:
    """The worker of each key: by a hash that is the same everywhere."""
    known = {key: owner(key, workers) for key in set(keys)}
    return np.array([known[key] for key in keys], dtype=np.intp)


def owner(key: str, workers: int) -> int:
    """The worker of a key."""
    digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") % workers


def grouped(keys: list[str]) -> dict[str, list[int]]:
    """Key to its rows, in their order."""
    found: dict[str, list[int]] = {}
    for i, key in enumerate(keys):
        found.setdefault(key, []).append(i)
    return found
