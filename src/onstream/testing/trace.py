"""What an object holds, leaf by leaf: the same for objects that are equal bit for bit.

It is read the way pickle reads an object, so whatever can be pickled can be compared, in Python or
in C. Of what cannot be, only the class is seen.
"""

import types
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import numpy as np

Leaves = list[tuple[str, str | bytes]]  # where it is in the object, and what it is there

PLAIN = (type(None), bool, int, complex, str, bytes, bytearray, range, slice, type(...))
NAMED = (type, types.FunctionType, types.BuiltinFunctionType)
PROTOCOL = 4
OPAQUE = "which cannot be pickled"


def trace(thing: Any) -> Leaves:
    """Everything that an object holds."""
    return list(leaves(thing, "", ()))


def difference(expected: Leaves, found: Leaves) -> str:
    """The first place where two objects differ, in words; "" if they are the same."""
    for one, two in zip_longest(expected, found):
        if one != two:
            place = (one or two)[0] or "the whole"
            values = ["nothing" if leaf is None else shown(leaf[1]) for leaf in (one, two)]
            return f"{place}: expected {values[0]}, got {values[1]}"
    return ""


def opaque(found: Leaves) -> bool:
    """Say whether the object as a whole hides what it holds."""
    return len(found) == 1 and str(found[0][1]).endswith(OPAQUE)


def shown(value: str | bytes) -> str:
    """A leaf in a message."""
    return f"{len(value)} bytes of other values" if isinstance(value, bytes) else f"{value:.80}"


def leaves(thing: Any, path: str, within: tuple[int, ...]) -> Iterator[tuple[str, str | bytes]]:
    """The leaves of a thing at `path`; `within` are the objects around it, which it may contain."""
    kind = type(thing)
    if id(thing) in within:
        yield path, f"itself, {len(within) - within.index(id(thing))} levels up"
        return
    around = (*within, id(thing))
    if isinstance(thing, NAMED):
        yield path, f"{thing.__module__}.{thing.__qualname__}"
    elif kind is float:
        yield path, repr(thing)  # -0.0 is another number than 0.0; NaN is the same as NaN
    elif kind is np.ndarray and not thing.dtype.hasobject:
        yield path, f"{thing.dtype} array of shape {thing.shape}"
        yield path, thing.tobytes()
    elif kind in (list, tuple):
        yield path, f"{kind.__name__} of {len(thing)}"
        for i, one in enumerate(thing):
            yield from leaves(one, f"{path}[{i}]", around)
    elif kind is dict:
        yield path, f"dict of {len(thing)}"
        for key, one in thing.items():
            yield from leaves(one, f"{path}[{key!r:.60}]", around)
    elif kind in (set, frozenset):
        yield path, f"{kind.__name__} of {sorted(map(repr, thing))}"
    elif kind in PLAIN:
        yield path, f"{kind.__name__} {thing!r}" if thing is not None else "None"
    else:
        yield from parts(thing, path, around)


def parts(thing: Any, path: str, within: tuple[int, ...]) -> Iterator[tuple[str, str | bytes]]:
    """The leaves of an object that says by `__reduce_ex__` what it is made of."""
    name = f"{type(thing).__module__}.{type(thing).__qualname__}"
    try:
        reduced = thing.__reduce_ex__(PROTOCOL)
    except Exception:
        yield path, f"{name}, {OPAQUE}"
        return
    yield path, name
    if isinstance(reduced, str):
        yield path, reduced
        return
    _, arguments, state, items, pairs = (*reduced, None, None, None)[:5]
    if isinstance(state, tuple) and len(state) == 2:  # attributes, and those in slots
        state = {**(state[0] or {}), **(state[1] or {})} if isinstance(state[1], dict) else state
    yield from leaves(arguments, path, within)
    if isinstance(state, dict):
        for attribute, one in state.items():
            yield from leaves(one, f"{path}.{attribute}", within)
    elif state is not None:
        yield from leaves(state, path, within)
    for more in (items, pairs):
        if more is not None:
            yield from leaves(list(more), path, within)
