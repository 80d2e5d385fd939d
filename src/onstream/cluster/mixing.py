"""Models that meet: what was learned since the last mix, as bytes that are put together in pairs.

Only the format of `onstream.save` travels. A learner whose merge is exact starts anew after each
mix, so what it sends is that round alone. Any other goes on from the mix, and sends its state
without the counts and sums of the mix: the average of such states, weighted by the rows of the
round, with those of the mix added once, is the next mix. So nothing counts twice.
"""

from typing import Any, Literal

from ..base.errors import NotMergeable
from ..persist.format import dumps, loads

Weighting = Literal["rows", "energy"]


def kind_of(model: Any) -> str:
    """How models like this one meet: "exact", "mixing" or, without rounds, "once"."""
    kind = getattr(model, "merge_kind", None)
    if kind is None:
        raise NotMergeable(
            f"train: {type(model).__name__} cannot be merged, so it cannot be trained in shards. "
            f"Linear learners, naive Bayes, RLS and scalers can; or train one model per key "
            f"(onstream.cluster.KeyedModels)."
        )
    if kind == "exact":
        return "exact"
    fields = model._snapshot()
    try:
        model._rebased(fields, fields, -1)
    except NotMergeable:
        return "once"
    return "mixing"


def begin(base: bytes, kind: str) -> Any:
    """The learner that a worker goes on with in this round."""
    mix = loads(base)
    return mix if kind == "mixing" else mix.clone()


def since(learner: Any, base: bytes, kind: str) -> bytes:
    """What it has learned in this round."""
    if kind != "mixing":
        return dumps(learner)
    mix = loads(base)
    mix._restore(mix._rebased(learner._snapshot(), mix._snapshot(), -1))
    return dumps(mix)


def put_together(one: bytes, other: bytes, weighting: Weighting = "rows") -> bytes:
    """What two workers, or groups of them, have learned in a round."""
    first, second = loads(one), loads(other)
    for part in (first, *getattr(first, "steps", ())):
        part._by_energy = weighting == "energy"
    first.merge(second)
    return dumps(first)


def next_mix(base: bytes, learned: bytes, kind: str, workers: int = 1) -> bytes:
    """The mix with what so many workers have learned in a round.

    All their rows count; but rates fall, and gradients add up, as for one of them: an average of
    models is not further from the last mix than they are.
    """
    mix, news = loads(base), loads(learned)
    if kind == "mixing":
        paced = mix._paced(news._snapshot(), 1.0 / workers)
        mix._restore(mix._rebased(paced, mix._snapshot(), 1))
    elif mix.seen == 0:
        return learned  # which began with the same parameters
    else:
        mix.merge(news)
    return dumps(mix)


def check_weighting(model: Any, weighting: Any) -> None:
    """Refuse weights by gradient energy where no squares of gradients are kept."""
    if weighting not in ("rows", "energy"):
        raise ValueError(f"train: weighting must be 'rows' or 'energy', got {weighting!r:.60}.")
    if weighting == "energy" and not ({"squares", "n"} & set(model._snapshot())):
        raise ValueError(
            f"train: weighting='energy' needs the squares of gradients, which "
            f"{type(model).__name__} does not keep: take AdaGrad rates or FTRLProximal, "
            f"or weighting='rows'."
        )
