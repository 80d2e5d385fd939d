"""Naive Bayes: ln P(label, x), as the states in bayes/ reckon it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bayes import BernoulliNB, MultinomialNB
from .columns import Columns, code_index
from .graph import DOUBLE, Graph

LOG_ZERO = -1e300  # as in bayes/_state.pyx
LOG_TWO_PI = float(np.log(2.0 * np.pi))


def joints(
    graph: Graph, X: str, learner: Any, fields: dict[str, Any], columns: Columns, behind: bool
) -> str:
    """A column for each label; `behind` says whether there are steps before the learner."""
    if isinstance(learner, (BernoulliNB, MultinomialNB)):
        present, absent = (
            bernoulli(learner, fields, behind)
            if isinstance(learner, BernoulliNB)
            else multinomial(learner, fields, behind)
        )
        found = counted(graph, X, present, absent, isinstance(learner, MultinomialNB))
    else:
        found = mixed(graph, X, learner, fields, columns)
    return graph.op("Add", found, graph.constant(priors(learner, fields).reshape(1, -1)))


def log(x: NDArray[Any]) -> NDArray[Any]:
    """Logarithms; LOG_ZERO of what is not above 0."""
    return np.log(x, out=np.full_like(x, LOG_ZERO), where=x > 0.0)


def priors(learner: Any, fields: dict[str, Any]) -> NDArray[Any]:
    """The ln P(label)."""
    counts, a = fields["counts"], learner.prior_alpha
    if fields["total"] == 0.0:
        return np.zeros(len(counts))
    found = log(counts + a)
    total = np.log(fields["total"] + a * len(counts)) if len(counts) > 2 else 0.0
    return np.where(found == LOG_ZERO, LOG_ZERO, found - total)


# -- counts ----------------------------------------------------------------------------------------


def counts_for(learner: Any, fields: dict[str, Any], behind: bool) -> NDArray[np.bool_]:
    """The features that count: those above 0 at some time, and declared columns."""
    declared = np.arange(len(fields["totals"])) < (0 if behind else fields["implicit"])
    return (fields["totals"] > 0.0) | (declared & (learner.alpha > 0.0))


def multinomial(learner: Any, fields: dict[str, Any], behind: bool) -> tuple[Any, Any]:
    """The ln P(feature | label) for each of its occurrences; nothing for absent ones."""
    counts = counts_for(learner, fields, behind)
    declared = 0 if behind else fields["implicit"]
    distinct = (fields["totals"][declared:] > 0.0).sum() + declared
    among = fields["sums"] + learner.alpha * distinct
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (fields["table"] + learner.alpha) / among
    share = np.where((among > 0.0) & counts[:, np.newaxis], share, 1.0)
    return log(share), np.zeros_like(share)


def bernoulli(learner: Any, fields: dict[str, Any], behind: bool) -> tuple[Any, Any]:
    """The ln p of features that are there, ln(1 - p) of those that are not."""
    counts = counts_for(learner, fields, behind)[:, np.newaxis]
    among = fields["counts"] + 2.0 * learner.alpha
    known = counts & (among > 0.0)
    safe = np.where(among > 0.0, among, 1.0)
    there = np.where(known, (fields["table"] + learner.alpha) / safe, 1.0)
    gone = np.where(known, (fields["counts"] - fields["table"] + learner.alpha) / safe, 1.0)
    return log(there), log(gone)


def counted(graph: Graph, X: str, present: Any, absent: Any, times: bool) -> str:
    """The sum over features; `times`: what is there counts by its value."""
    zero = graph.constant(0.0, np.float64)
    is_there = graph.op("Greater", X, zero)  # not where it is missing
    amount = ones = graph.op("Cast", is_there, to=DOUBLE)
    if times:
        amount = graph.op("Where", is_there, X, zero)
    never = (present == LOG_ZERO), (absent == LOG_ZERO)  # apart: -1e300 + 1e300 forgets the rest
    here, gone = (np.where(n, 0.0, part) for n, part in zip(never, (present, absent), strict=True))
    found = graph.op("MatMul", amount, graph.constant(here - gone))
    found = graph.op("Add", found, graph.constant(gone.sum(axis=0, keepdims=True)))
    if not (never[0].any() or never[1].any()):
        return found
    change = never[0].astype(np.float64) - never[1]
    impossible = graph.op("MatMul", ones, graph.constant(change))
    some = graph.constant(never[1].sum(axis=0, keepdims=True), np.float64)
    impossible = graph.op("Add", impossible, some)
    weight = graph.op("Mul", impossible, graph.constant(LOG_ZERO, np.float64))
    return graph.op("Add", found, weight)


# -- normal distributions and names ----------------------------------------------------------------


def mixed(graph: Graph, X: str, learner: Any, fields: dict[str, Any], columns: Columns) -> str:
    """The ln P(x | label) of numbers and names."""
    numbers = [i for i in range(len(columns.features)) if i not in columns.values]
    parts = []
    if numbers:
        mean, precision, log_variance = normals(learner, fields)
        parts.append(gaussian(graph, X, numbers, mean, precision, -0.5 * log_variance))
    for feature, table in name_tables(learner, fields, columns).items():
        parts.append(looked_up(graph, X, feature, table))
    found = parts[0]
    for part in parts[1:]:
        found = graph.op("Add", found, part)
    return found


def gaussian(
    graph: Graph, X: str, numbers: list[int], mean: Any, precision: Any, constant: Any
) -> str:
    """Sum over numbers of constant - (x - mean)² precision / 2; arrays are labels × features."""
    x = graph.op("Gather", X, graph.constant(numbers, np.int64), axis=1)
    x = graph.unsqueeze(x, 1)
    away = graph.op("Sub", x, graph.constant(mean[:, numbers]))
    square = graph.op("Mul", away, away)
    scaled = graph.op("Mul", square, graph.constant(-0.5 * precision[:, numbers]))
    term = graph.op("Add", scaled, graph.constant(constant[:, numbers]))
    return graph.sum(graph.no_gaps(term), 2)


def normals(learner: Any, fields: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Mean, precision and ln(2 pi variance), labels × features; 0 where nothing is known."""
    weight, mean, squares = np.moveaxis(fields["moments"], 1, 0)  # each: all labels, then each
    variance = np.divide(squares, weight, out=np.zeros_like(squares), where=weight > 0.0)
    floor = getattr(learner, "variance_floor", 0.0)
    smallest = getattr(learner, "var_smoothing", 0.0) * variance[0].max(initial=0.0)
    v = variance[1:] + (floor * variance[0] if floor > 0.0 else smallest)
    if floor > 0.0:
        v = np.where(v > 0.0, v, smallest)
    known = (weight[1:] > 0.0) & (v > 0.0)
    v = np.where(known, v, 1.0)
    return mean[1:], np.where(known, 1.0 / v, 0.0), np.where(known, np.log(v) + LOG_TWO_PI, 0.0)


def name_tables(
    learner: Any, fields: dict[str, Any], columns: Columns
) -> dict[int, NDArray[np.float64]]:
    """Of each nominal feature ln P(value | label), values × labels; last, of one never seen."""
    declared = getattr(learner, "n_values", None) or {}
    declared = {str(name): count for name, count in declared.items()}
    found, start = {}, 0
    for feature, values in columns.values.items():
        rows = fields["table"][start : start + len(values)]
        start += len(values)
        distinct = max((rows[:, 0] > 0.0).sum(), declared.get(str(columns.features[feature]), 0))
        among = fields["counts"] + learner.alpha * distinct
        counts = np.vstack([rows[:, 1:], np.zeros(len(among))]) + learner.alpha
        share = np.divide(counts, among, out=np.ones_like(counts), where=among > 0.0)
        found[feature] = log(share)
    return found


def looked_up(graph: Graph, X: str, feature: int, table: Any) -> str:
    """Rows of a table by the codes of a feature; 0 where it is missing."""
    code, gap = code_index(graph, X, feature, len(table) - 1)
    rows = graph.gather(table, code, np.float64)
    zero = graph.constant(0.0, np.float64)
    return graph.op("Where", graph.unsqueeze(gap, 1), zero, rows)
