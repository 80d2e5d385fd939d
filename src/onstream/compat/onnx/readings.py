"""Members that read text as features `name=value` where the ensemble takes nominal values."""

from typing import Any

import numpy as np

from .columns import Columns
from .graph import DOUBLE, Graph

NUMBER = -1  # of a feature that came as a number, in place of a code


def read_columns(met: Any, columns: Columns) -> tuple[Columns, list[float]]:
    """The features that a member met, in its order, and what each of `met` counts."""
    names: list[Any] = []
    amounts = []
    for feature, code in met.tolist():
        name, amount = columns.features[feature], 1.0
        if code != NUMBER and feature in columns.numbers:
            amount = float(columns.values[feature][code])
        elif code != NUMBER:
            name = f"{name}={columns.values[feature][code]}"
        amounts.append(amount)
        if name not in names:
            names.append(name)
    return Columns(names, by_value=True), amounts


def apply(graph: Graph, X: str, met: Any, columns: Columns) -> tuple[str, Columns]:
    """The matrix as a member reads it, and its columns."""
    own, amounts = read_columns(met, columns)
    gap = graph.constant(np.nan, np.float64)
    pieces = []
    place = np.zeros((len(met), len(own.features)))
    for at, ((feature, code), amount) in enumerate(zip(met.tolist(), amounts, strict=True)):
        column = graph.op("Gather", X, graph.constant([feature], np.int64), axis=1)
        name = columns.features[feature]
        if code != NUMBER:
            here = graph.op("Equal", column, graph.constant(float(code), np.float64))
            column = graph.op("Where", here, graph.constant(amount, np.float64), gap)
            if feature not in columns.numbers:
                name = f"{name}={columns.values[feature][code]}"
        elif feature in columns.values:  # text goes in here, never a number
            column = graph.op("Where", graph.op("IsNaN", column), column, gap)
        pieces.append(column)
        place[at, own.features.index(name)] = 1.0
    whole = graph.op("Concat", *pieces, axis=1) if len(pieces) > 1 else pieces[0]
    if len(own.features) == len(met):  # each is one feature
        return whole, own
    there = graph.op("Cast", graph.op("Not", graph.op("IsNaN", whole)), to=DOUBLE)
    each = graph.constant(place)
    some = graph.op("Greater", graph.op("MatMul", there, each), graph.constant(0.0, np.float64))
    total = graph.op("MatMul", graph.no_gaps(whole), each)
    return graph.op("Where", some, total, gap), own
