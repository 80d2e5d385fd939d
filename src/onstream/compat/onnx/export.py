"""From a trained learner to a model of ONNX."""

import copy
from typing import Any, Literal

import msgspec
import numpy as np

from ... import __version__
from ...base import Classifier, Learner
from ...features import Pipeline
from ..generated import learner_within
from .answers import Answers, Verdict, best_label, check, taken_apart
from .columns import Columns, declare
from .graph import DOUBLE, Graph, onnx


def to_onnx(model: Learner, *, dtype: Literal["float64", "float32"] = "float64") -> Any:
    """A trained learner as a model of ONNX (`onnx.ModelProto`; `onnx.save(it, path)` writes it).

    Linear learners, naive Bayes, trees, ensembles of these, and pipelines of scalers before them.
    If all columns are numbers there is one input X, with a column for each feature; with columns of
    text every column is an input of its own, by its name. The metadata name the columns and labels
    in order (`onstream.features`, `onstream.labels`). Missing numbers are NaN, missing texts "".
    Outputs are `label` and `probabilities` (or `scores`, where the learner has none), or
    `prediction` of a regressor.

    `dtype` is that of numbers that go in and out; inside all is reckoned in double precision.

    >>> from onstream import PAClassifier
    >>> model = PAClassifier()
    >>> model.learn_many([[0.0, 1.0], [1.0, 0.0]], ["ham", "spam"])
    >>> [output.name for output in to_onnx(model).graph.output]
    ['label', 'scores']
    """
    who = f"to_onnx: {type(model).__name__}"
    if not isinstance(model, Learner):
        raise TypeError(
            f"{who} is not a learner of onstream; give it a trained one.{learner_within(model)}"
        )
    if dtype not in ("float64", "float32"):
        raise ValueError(f"to_onnx: dtype must be 'float64' or 'float32', got {dtype!r:.40}.")
    check(who, model.steps[-1] if isinstance(model, Pipeline) else model)
    if not getattr(model, "seen", 0):
        raise ValueError(f"{who} has learned nothing yet, so there is nothing to export.")
    chain, fields = taken_apart(copy.deepcopy(model))  # so that other threads may go on learning
    last = chain[-1]
    columns = Columns.of(last, fields)
    if not columns.features:
        raise ValueError(f"{who} knows no feature, so there is no input to export.")
    graph = Graph()
    X, names = declare(graph, columns, who, dtype == "float32")
    answers = Answers(graph, columns, who)
    X = answers.behind_steps(X, chain)
    about = {
        "onstream.learner": type(last).__name__,
        "onstream.features": msgspec.json.encode(names).decode(),
    }
    kind = DOUBLE if dtype == "float64" else onnx.TensorProto.FLOAT
    if isinstance(last, Classifier):
        about["onstream.labels"] = msgspec.json.encode(last.labels).decode()
        if len(last.labels) < 2:
            raise ValueError(
                f"{who} knows one label only, {last.labels[0]!r:.60}; train it on two or more."
            )
        probable = hasattr(model, "predict_proba_many")
        found = answers.judge(X, last, fields, len(chain) > 1, probable)
        write_labels(graph, found, fields["labels"], kind)
    else:
        number = answers.number(X, last, fields)
        number = graph.op("Squeeze", number, graph.constant([1], np.int64))
        graph.output(graph.op("Cast", number, to=kind), "prediction", kind, ["rows"])
    return graph.model(about, __version__)


def write_labels(graph: Graph, found: Verdict, labels: list[Any], kind: int) -> None:
    """The outputs of a classifier: labels, and probabilities or scores."""
    kinds = {
        bool: (np.bool_, onnx.TensorProto.BOOL),
        int: (np.int64, onnx.TensorProto.INT64),
        str: (object, onnx.TensorProto.STRING),
    }
    array, of_labels = kinds[type(labels[0])]
    best = best_label(graph, found.scores, labels)
    graph.output(graph.gather(np.array(labels, dtype=array), best), "label", of_labels, ["rows"])
    each = ["rows", len(labels)]
    if found.probabilities is not None:
        likely = graph.op("Cast", found.probabilities, to=kind)
        graph.output(likely, "probabilities", kind, each)
    elif len(labels) == 2:
        flat = graph.op("Squeeze", found.scores, graph.constant([1], np.int64))
        graph.output(graph.op("Cast", flat, to=kind), "scores", kind, ["rows"])
    else:
        graph.output(graph.op("Cast", found.scores, to=kind), "scores", kind, each)
