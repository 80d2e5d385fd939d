"""Metrics, and parts of models, as bytes in the format of saved models: what workers send."""

from typing import Any

import msgspec
import numpy as np
import safetensors

from ..evaluate import metrics as known
from ..evaluate._label_codes import restored
from ..evaluate.metrics import OfSums
from ..persist.format import join, pack, split, tensor, unpack_names

NEEDS = ("label", "number")


def check_metrics(metrics: Any, model: Any) -> list[Any]:
    """The metrics as a list; only those whose sums are plain numbers can travel."""
    found = [] if metrics is None else metrics if isinstance(metrics, (list, tuple)) else [metrics]
    for metric in found:
        ours = isinstance(metric, OfSums) and getattr(known, type(metric).__name__, None)
        if ours is not type(metric) or metric.needs not in NEEDS or metric.window is not None:
            raise ValueError(
                f"train: {metric!r:.60} cannot be gathered from workers: take metrics of labels "
                f"or numbers of onstream.evaluate (Accuracy, Kappa, F1, MAE, RMSE, R2, ...) "
                f"without a window."
            )
        if not hasattr(model, "predict_many"):
            raise ValueError(
                f"train: {type(model).__name__} predicts nothing that metrics could judge."
            )
        if (metric.needs == "number") != (model.target_kind == "numbers"):
            raise ValueError(
                f"train: {type(metric).__name__} judges {metric.needs}s, but "
                f"{type(model).__name__} predicts {model.target_kind}."
            )
    return list(found)


def fields_to_bytes(fields: dict[str, Any]) -> bytes:
    """An exported state, or a part of one: arrays, lists of names, and numbers."""
    tensors: dict[str, Any] = {}
    names: list[str] = []
    numbers = split(fields, "", tensors, names)
    head = {"names": names, "numbers": numbers}
    return pack(tensors, {"fields": msgspec.json.encode(head).decode()})


def bytes_to_fields(data: bytes) -> dict[str, Any]:
    """The same again."""
    size = int.from_bytes(data[:8], "little")
    text = msgspec.json.decode(data[8 : 8 + size].rstrip(b" "))["__metadata__"]["fields"]
    head = msgspec.json.decode(text)
    tensors = {name: tensor(info) for name, info in safetensors.deserialize(data)}
    fields: dict[str, Any] = head["numbers"]
    for name in head["names"]:
        join(fields, name, unpack_names(name, tensors))
    for name, array in tensors.items():
        join(fields, name, array)
    return fields


def metrics_to_bytes(metrics: list[Any]) -> bytes:
    """The sums of all metrics."""
    sums = {str(i): plain(metric._sums.export()) for i, metric in enumerate(metrics)}
    return fields_to_bytes(sums)


def add_metrics(metrics: list[Any], data: bytes) -> None:
    """Merge what a worker has counted into these metrics."""
    fields = bytes_to_fields(data)
    for i, metric in enumerate(metrics):
        theirs = metric.clone()
        theirs._sums.restore(restorable(fields[str(i)]))
        metric.merge(theirs)


def plain(fields: dict[str, Any]) -> dict[str, Any]:
    """Sums as arrays, names and numbers."""
    out: dict[str, Any] = {}
    for name, value in fields.items():
        if name == "label_codes":
            _, (labels, occurred, expected) = value.__reduce__()
            out["labels"] = list(labels)
            out["occurred"] = np.array(occurred, dtype=np.int64)
            out["expected"] = [] if expected is None else [expected]
        elif isinstance(value, (list, tuple)):
            out[name] = np.array(value, dtype=np.float64)
        else:
            out[name] = value
    return out


def restorable(fields: dict[str, Any]) -> dict[str, Any]:
    """The same again, as sums restore them."""
    out = dict(fields)
    if "labels" in out:
        labels, occurred = out.pop("labels"), out.pop("occurred").tolist()
        expected = out.pop("expected")
        out["label_codes"] = restored(labels, occurred, expected[0] if expected else None)
        out["codes"] = tuple(int(code) for code in out["codes"])
    return out
