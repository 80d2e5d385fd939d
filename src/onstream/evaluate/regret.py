"""Regret: how much more a learner lost than the best fixed linear model, chosen in hindsight."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base import Classifier, Learner, Regressor
from ..base.checks import choice, flag, number
from ..core.coding import first_sign
from ..core.coerce import row_error, unmasked
from ._label_codes import LabelCodes
from .columns import number_column, true_labels

Floats = NDArray[np.float64]


@dataclass
class Regret:
    """What a learner lost, and what the best fixed model would have lost."""

    loss: str
    losses: Floats  # of the learner, each example before it was learned
    comparator: Floats  # the best fixed weights; the intercept, if there is one, last
    best: Floats  # losses of these weights

    @property
    def total(self) -> float:
        """Regret over the whole stream."""
        return float(self.losses.sum() - self.best.sum())

    @property
    def curve(self) -> Floats:
        """Regret after each example, against the comparator of the whole stream."""
        return np.cumsum(self.losses - self.best)


def regret(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    loss: str = "squared",
    *,
    lam: float | None = None,
    radius: float | None = None,
    intercept: bool = True,
) -> Regret:
    """Let a model predict, then learn, every row; compare it with the best fixed weights.

    R = Σ loss(y, model before y) - Σ loss(y, u·x), with u = argmin Σ loss(y, u·x) + lam/2 ‖u‖²
    (without lam for the intercept), or the best u with ‖u‖ ≤ radius.

    Parameters
    ----------
    model : learner
        Goes on from the state it is in.
    X : array (n, d)
        The examples, in the order of the stream.
    y : array (n,)
        Targets; for "logistic" and "hinge" labels, two of them.
    loss : "squared", "absolute", "logistic" or "hinge", default "squared"
        ½(y-p)², |y-p|, ln(1+e^(-yp)) or max(0, 1-yp).
    lam : float >= 0, default 1e-6
        Ridge that keeps u finite; higher makes a smaller, weaker comparator.
    radius : float > 0, optional
        Compare with weights of at most this length (intercept included) instead of `lam`.
    intercept : bool, default True
        May the comparator have one?

    Returns
    -------
    Regret
        `total`, `curve`, `comparator`, and the losses of both.

    Examples
    --------
    >>> from onstream import RLS
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> y = X @ [1.0, -2.0, 0.5]
    >>> outcome = regret(RLS(intercept=False), X, y, intercept=False)
    >>> 0.0 < outcome.total < 0.02 * 0.5 * float(y @ y)
    True
    """
    choice("regret", "loss", loss, LOSSES)
    flag("regret", "intercept", intercept)
    if lam is not None and radius is not None:
        raise ValueError("regret: lam and radius exclude each other; give one.")
    ridge = 1e-6 if lam is None else number("regret", "lam", lam, least=0.0)
    within = None if radius is None else number("regret", "radius", radius, above=0.0)
    margins = loss in ("logistic", "hinge")
    check_model(model, loss, margins)
    rows = checked_rows(X)
    try:
        targets = two_labels(model, y, loss) if margins else number_column(y, "y")
    except (TypeError, ValueError) as error:
        raise type(error)(f"regret: {error}") from None
    if len(rows) != len(targets):
        raise ValueError(f"regret: X has {len(rows):,} rows, y has {len(targets):,}.")
    p = model.predict_learn_many(rows, y, output="score")
    if margins:
        p = np.nan_to_num(p)  # nothing was known yet
        labels: list[Any] = model.labels
        first, sign = labels[0], first_sign(labels)
        numbers = np.array([sign if label == first else -sign for label in targets])
    else:
        numbers = np.asarray(targets)
    value = LOSSES[loss]
    A = np.column_stack([rows, np.ones(len(rows))]) if intercept else rows
    free = A.shape[1] - 1 if intercept else None  # column without ridge
    if within is None:
        u = best_fixed(loss, A, numbers, ridge, free)
    else:
        u = best_within(loss, A, numbers, within)
    return Regret(loss, value(numbers, p), u, value(numbers, A @ u))


def check_model(model: Any, loss: str, margins: bool) -> None:
    """Refuse what does not predict what the loss is for, or has no scores."""
    if isinstance(model, Learner):
        fits = isinstance(model, Classifier if margins else Regressor)
    else:  # a model of another library, in our verbs
        fits = getattr(model, "task", "") == ("labels" if margins else "numbers")
    if not fits:
        wanted = "a classifier" if margins else "a regressor"
        raise TypeError(f"regret: the {loss} loss is for {wanted}, got {model!r:.60}.")
    if margins and not hasattr(model, "score_one"):
        raise TypeError(f"regret: the {loss} loss is of scores, which {model!r:.60} has not.")


def checked_rows(X: Any) -> Floats:
    """The examples as an array of finite numbers, one row each."""
    wanted = "regret: X must be an array of rows of numbers (n, d)"
    if hasattr(X, "tocsr"):
        raise TypeError(f"{wanted}, got a sparse matrix; pass X.toarray().")
    if isinstance(X, (list, tuple)) and X and isinstance(X[0], Mapping):
        raise TypeError(f"{wanted}, got a list of dicts.")
    X = unmasked("regret", X)
    try:
        found = np.asarray(X)
        rows = np.ascontiguousarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{wanted}, got {X!r:.60}.") from None
    if rows.ndim != 2 or not rows.size:
        raise ValueError(f"{wanted}, got shape {rows.shape}.")
    if found.dtype.kind not in "fiub" and any(isinstance(value, str) for value in found.flat):
        raise TypeError(f"{wanted}, got text.")
    finite = np.isfinite(rows).all(axis=1)
    if not finite.all():
        row = int(np.argmin(finite))
        value = rows[row][~np.isfinite(rows[row])][0]
        raise row_error(ValueError, "regret", row, f"X must be finite, got {value}.")
    return rows


def two_labels(model: Any, y: Any, loss: str) -> list[Any]:
    """The targets as labels; with those that the model knows there are at most two."""
    LabelCodes().check(y)
    labels = true_labels(y)
    known = list(dict.fromkeys([*model.labels, *labels]))
    if len(known) > 2:
        shown = ", ".join(f"{label!r:.40}" for label in known[:5])
        raise ValueError(f"the {loss} loss is for two labels, got {len(known)}: {shown}.")
    return labels


def squared(y: Floats, p: Floats) -> Floats:
    """½(y-p)²."""
    return 0.5 * (y - p) ** 2


def absolute(y: Floats, p: Floats) -> Floats:
    """|y-p|."""
    return np.abs(y - p)


def logistic(y: Floats, p: Floats) -> Floats:
    """ln(1+e^(-yp)), for any size of yp."""
    return np.logaddexp(0.0, -y * p)


def hinge(y: Floats, p: Floats) -> Floats:
    """max(0, 1-yp)."""
    return np.maximum(0.0, 1.0 - y * p)


LOSSES: dict[str, Callable[[Floats, Floats], Floats]] = {
    "squared": squared,
    "absolute": absolute,
    "logistic": logistic,
    "hinge": hinge,
}


def best_fixed(loss: str, A: Floats, y: Floats, lam: float, free: int | None = None) -> Floats:
    """argmin_u Σ loss(y, A u) + lam/2 ‖u‖², column `free` without the ridge."""
    ridge = np.full(A.shape[1], lam)
    if free is not None:
        ridge[free] = 0.0
    if loss == "squared":
        root = np.diag(np.sqrt(ridge))
        stacked = np.vstack([A, root])
        least = np.linalg.lstsq(stacked, np.concatenate([y, np.zeros(len(root))]), rcond=None)
        return np.asarray(least[0])
    u = np.zeros(A.shape[1])
    if loss == "logistic":
        return newton(smooth_logistic, A, y, ridge, u, 0.0)
    # Kinks are rounded off over a width that shrinks to nothing: each stage starts from the last.
    # docs/decisions.md#best-fixed-model
    smooth = smooth_absolute if loss == "absolute" else smooth_hinge
    widest = 4.0 * max(1.0, float(np.abs(y).max()))
    for halvings in range(36):
        u = newton(smooth, A, y, ridge, u, widest / 2.0**halvings)
    return u


def best_within(loss: str, A: Floats, y: Floats, radius: float) -> Floats:
    """Argmin Σ loss(y, A u) over ‖u‖ ≤ radius: the ridge that gives just this length."""
    low, high = 1e-10, 1e10  # the length falls as the ridge grows
    u = best_fixed(loss, A, y, low)
    if np.linalg.norm(u) <= radius:
        return u
    for _ in range(60):
        middle = float(np.sqrt(low * high))
        u = best_fixed(loss, A, y, middle)
        if np.linalg.norm(u) > radius:
            low = middle
        else:
            high = middle
        if high / low < 1.0 + 1e-9:
            break
    return u * min(1.0, radius / float(np.linalg.norm(u)))


def smooth_logistic(y: Floats, p: Floats, width: float) -> tuple[Floats, Floats, Floats]:
    """Value, first and second derivative in p."""
    s = 0.5 * (1.0 - np.tanh(0.5 * y * p))  # 1 / (1 + e^(yp))
    return logistic(y, p), -y * s, s * (1.0 - s)


def smooth_absolute(y: Floats, p: Floats, width: float) -> tuple[Floats, Floats, Floats]:
    """|p-y|, a parabola within `width` of 0."""
    e = p - y
    inside = np.abs(e) < width
    value = np.where(inside, 0.5 * e * e / width + 0.5 * width, np.abs(e))
    return value, np.clip(e / width, -1.0, 1.0), inside / width


def smooth_hinge(y: Floats, p: Floats, width: float) -> tuple[Floats, Floats, Floats]:
    """max(0, 1-yp), a parabola for 0 < 1-yp < width."""
    m = 1.0 - y * p
    inside = (m > 0.0) & (m < width)
    value = np.where(inside, 0.5 * m * m / width, np.maximum(0.0, m - 0.5 * width))
    return value, -y * np.clip(m / width, 0.0, 1.0), inside / width


def newton(
    smooth: Callable[[Floats, Floats, float], tuple[Floats, Floats, Floats]],
    A: Floats,
    y: Floats,
    ridge: Floats,
    u: Floats,
    width: float,
) -> Floats:
    """Minimise Σ smooth(y, A u) + ½ Σ ridge u² by Newton's method with halved steps."""

    def cost(v: Floats) -> float:
        return float(smooth(y, A @ v, width)[0].sum() + 0.5 * (ridge * v) @ v)

    here = cost(u)
    damping = 1e-12
    for _ in range(300):
        _, slope, bend = smooth(y, A @ u, width)
        gradient = A.T @ slope + ridge * u
        hessian = A.T @ (A * bend[:, None]) + np.diag(ridge)
        # Where the cost is flat Newton's step would be endless: damp it until it helps.
        hessian += np.eye(len(u)) * (damping * (1.0 + np.trace(hessian)))
        direction = np.linalg.lstsq(hessian, -gradient, rcond=None)[0]
        slant = float(gradient @ direction)
        step = 1.0
        there = cost(u + direction)
        while there > here + 1e-4 * step * slant and step > 1e-4:
            step *= 0.5
            there = cost(u + step * direction)
        if there < here:
            u = u + step * direction
            gained, here = here - there, there
            damping = max(1e-12, 0.1 * damping) if step == 1.0 else damping
            if gained > 1e-14 * (1.0 + abs(here)):
                continue
        if damping > 1e6 or -slant <= 1e-15 * (1.0 + abs(here)):
            break
        damping *= 100.0
    return u
