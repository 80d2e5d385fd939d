"""Model files taken apart and put together again by hand, with the right checksum.

Independent of onstream.persist, so that it also says what the format is.
"""

import hashlib
import inspect
import json
import warnings
from typing import Any, NamedTuple

import numpy as np

from onstream.base import DataWarning, learners
from onstream.base.parameters import parameters

BLANK = "0" * 64
NUMPY = {"F64": "<f8", "I64": "<i8", "U8": "u1"}


class Tensor(NamedTuple):
    """As it stands in the file."""

    dtype: str
    shape: list[int]
    data: bytes

    @property
    def array(self) -> np.ndarray:
        return np.frombuffer(self.data, NUMPY[self.dtype]).reshape(self.shape)


class Parts(NamedTuple):
    """What a file is made of."""

    header: dict[str, Any]  # the entry "onstream" of the metadata
    tensors: dict[str, Tensor]


def tensor(array: Any, dtype: str = "F64") -> Tensor:
    array = np.asarray(array, dtype=NUMPY[dtype])
    return Tensor(dtype, list(array.shape), array.tobytes())


def take_apart(data: bytes) -> Parts:
    size = int.from_bytes(data[:8], "little")
    head = json.loads(data[8 : 8 + size])
    metadata = head.pop("__metadata__")
    body = data[8 + size :]
    tensors = {}
    for name, info in head.items():
        start, end = info["data_offsets"]
        tensors[name] = Tensor(info["dtype"], info["shape"], body[start:end])
    return Parts(json.loads(metadata["onstream"]), tensors)


def put_together(parts: Parts, pad: bool = True) -> bytes:
    text = parts.header if isinstance(parts.header, str) else json.dumps(parts.header)
    head: dict[str, Any] = {"__metadata__": {"onstream": text, "sha256": BLANK}}
    end = 0
    for name, (dtype, shape, data) in parts.tensors.items():
        head[name] = {"dtype": dtype, "shape": shape, "data_offsets": [end, end + len(data)]}
        end += len(data)
    written = json.dumps(head, separators=(",", ":"), ensure_ascii=False).encode()
    if pad:
        written += b" " * (-len(written) % 8)
    body = b"".join(tensor.data for tensor in parts.tensors.values())
    return seal(len(written).to_bytes(8, "little") + written + body)


def seal(data: bytes) -> bytes:
    """The same with the right checksum in its place; as it is if there is no such place."""
    mark = b'"sha256":"'
    at = data.find(mark)
    if at < 0:
        return data
    at += len(mark)
    blank = data[:at] + BLANK.encode() + data[at + 64 :]
    return blank[:at] + hashlib.sha256(blank).hexdigest().encode() + blank[at + 64 :]


def takes(cls: Any, **params: Any) -> bool:
    """Say whether a learner can be made with these parameters and no others."""
    try:
        inspect.signature(cls).bind(**params)
    except TypeError:
        return False
    return True


# Members of learners made of learners: each field of each member is spoilt in a dozen ways.
FEW = {"n_models": 2, "bag_size": 2, "population": 3}


def small_models() -> dict[str, Any]:
    """Every learner in a few states: new, two labels, three, hashed, with columns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # some would have other data
        return made_models()


def made_models() -> dict[str, Any]:
    found = {}
    for name, cls in learners().items():
        if not takes(cls) or not hasattr(cls, "predict_one"):
            continue  # it needs functions of the user, or is a transformer
        labels: list[Any] = ["no", "yes", "no"]
        more: list[Any] = [3, 1, 2]
        if not hasattr(cls, "labels"):
            labels, more = [1.0, -2.0, 0.5], [0.5, 2.0, 1.0]
        rows = [{"a": 1.0, "b": -0.5}, {"b": 2.0, "naïve": 1.0, 7: 1.0}, {"s": "text"}]
        few = {option: n for option, n in FEW.items() if option in parameters(cls)}
        found[f"{name} new"] = cls(**few)
        found[f"{name} named"] = model = cls(**few)
        model.learn_many(rows, labels)
        found[f"{name} columns"] = model = cls(**few)
        model.learn_many(np.array([[1.0, 2.0], [0.5, -1.0], [0.0, 3.0]]), more)
        if takes(cls, hash_bits=2):
            found[f"{name} hashed"] = model = cls(hash_bits=2)
            model.learn_many(rows, labels)
    return found
