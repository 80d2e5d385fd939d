"""One model per key in a structured stream of Spark, whose state store holds the models."""

from collections.abc import Callable, Iterator
from typing import Any

from ..base.learner import Learner
from ..compat.extras import needed
from ..persist.format import dumps, loads

STATE = "model binary"


def keyed_stream(
    frame: Any, model: Any, key: str, target: str, *, output_models: bool = False
) -> Any:
    """A streaming DataFrame of what each key has learned, one row per key and micro-batch.

    Its columns: `key` (as text), `seen` (rows of the key that were learned so far), `bytes` (of
    its model) and, with `output_models`, `model`: the bytes that `onstream.persist.loads` reads.
    The models are in Spark's state store, so that a query that is stopped goes on with them from
    its checkpoint, and each row is learned once. Start it with `outputMode("update")`.

    Parameters
    ----------
    frame : streaming DataFrame
        Rows with the key, the target and features.
    model : learner
        What a new key begins with.
    key, target : str
        The columns with the key and with what is to be learned.
    output_models : bool, default False
        Send the models, too.
    """
    needed("pyspark", "spark", "keyed_stream")
    needed("pandas", "spark", "keyed_stream")
    from pyspark.sql.streaming.state import GroupStateTimeout

    if not isinstance(model, Learner) or model.seen:
        raise ValueError("keyed_stream: model must be a learner that has not learned anything.")
    for name in (key, target):
        if name not in frame.columns:
            raise ValueError(f"keyed_stream: there is no column {name!r}.")
    output = "key string, seen long, bytes long" + (", model binary" if output_models else "")
    learn = learn_groups(dumps(model.clone()), key, target, output_models)
    return frame.groupBy(key).applyInPandasWithState(
        learn, output, STATE, "update", GroupStateTimeout.NoTimeout
    )


def learn_groups(
    template: bytes, key: str, target: str, output_models: bool
) -> Callable[[Any, Any, Any], Iterator[Any]]:
    """What Spark does with the new rows of a key."""

    def learn(group: tuple[Any, ...], frames: Iterator[Any], state: Any) -> Iterator[Any]:
        import pandas as pd

        learner = loads(bytes(state.get[0]) if state.exists else template)
        for frame in frames:
            if len(frame):
                learner.learn_many(frame.drop(columns=[key, target]), frame[target].to_numpy())
        data = dumps(learner)
        state.update((data,))
        row = {"key": [str(group[0])], "seen": [learner.seen], "bytes": [len(data)]}
        yield pd.DataFrame({**row, "model": [data]} if output_models else row)

    return learn
