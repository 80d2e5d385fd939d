"""From a trained learner to a model of ONNX."""

from typing import Any, Literal

import msgspec
import numpy as np

from ... import __version__
from ...base import Classifier, Learner, Regressor
from ...bayes import BayesianLinearRegression
from ...bayes.base import NaiveBayes
from ...core.coding import first_sign
from ...features import Pipeline
from ...linear.base import LinearClassifier, LinearRegressor
from ...tree.base import Tree
from . import bayes, linear, steps, trees
from .columns import Columns, declare
from .graph import DOUBLE, Graph, onnx


def to_onnx(model: Learner, *, dtype: Literal["float64", "float32"] = "float64") -> Any:
    """A trained learner as a model of ONNX (`onnx.ModelProto`; `onnx.save(it, path)` writes it).

    Linear learners, naive Bayes, trees, and pipelines of scalers before them. If all columns are
    numbers there is one input X, with a column for each feature; with columns of text every column
    is an input of its own, by its name. The metadata name the columns and labels in order
    (`onstream.features`, `onstream.labels`). Missing numbers are NaN, a missing text is "".
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
        raise TypeError(f"{who} is not a learner of onstream; give it a trained one.")
    if dtype not in ("float64", "float32"):
        raise ValueError(f"to_onnx: dtype must be 'float64' or 'float32', got {dtype!r:.40}.")
    *before, last = model.members if isinstance(model, Pipeline) else [model]
    check(who, last)
    if not getattr(model, "seen", 0):
        raise ValueError(f"{who} has learned nothing yet, so there is nothing to export.")
    fields = last._model.snapshot()
    columns = Columns.of(last, fields)
    if not columns.features:
        raise ValueError(f"{who} knows no feature, so there is no input to export.")
    graph = Graph()
    X, names = declare(graph, columns, who, dtype == "float32")
    for step in before:
        X = steps.apply(graph, X, step, columns, who)
    about = {
        "onstream.learner": type(last).__name__,
        "onstream.features": msgspec.json.encode(names).decode(),
    }
    kind = DOUBLE if dtype == "float64" else onnx.TensorProto.FLOAT
    if isinstance(last, Classifier):
        about["onstream.labels"] = msgspec.json.encode(last.labels).decode()
        found = voices(graph, X, last, fields, columns, bool(before))
        classify(graph, found, model, last, fields["labels"], who, kind)
    else:
        found = (
            trees.predictions(graph, X, last, fields, columns)
            if isinstance(last, Tree)
            else linear.predictions(graph, X, last, fields)
        )
        found = graph.op("Squeeze", found, graph.constant([1], np.int64))
        graph.output(graph.op("Cast", found, to=kind), "prediction", kind, ["rows"])
    return graph.model(about, __version__)


def check(who: str, last: Any) -> None:
    """Refuse what cannot be exported, and say what can."""
    if getattr(last, "hash_bits", None) is not None:
        raise ValueError(
            f"{who} hashes its features (hash_bits={last.hash_bits}), and ONNX has no such "
            f"operator; train without hash_bits, so that every feature has its name."
        )
    linear_kinds = (LinearClassifier, LinearRegressor, BayesianLinearRegression)
    if not isinstance(last, (*linear_kinds, NaiveBayes, Tree)) or not isinstance(
        last, (Classifier, Regressor)
    ):
        raise TypeError(
            f"{who} cannot be exported to ONNX: {type(last).__name__} is none of the linear "
            f"classifiers and regressors, naive Bayes and trees, which can."
        )


def voices(
    graph: Graph, X: str, learner: Any, fields: dict[str, Any], columns: Columns, behind: bool
) -> str:
    """What a classifier says for each label; for two labels a linear one says one number."""
    if isinstance(learner, LinearClassifier):
        return linear.scores(graph, X, learner, fields)
    if isinstance(learner, NaiveBayes):
        return bayes.joints(graph, X, learner, fields, columns, behind)
    return trees.votes(graph, X, learner, fields, columns, len(fields["labels"]))


def classify(
    graph: Graph, found: str, model: Any, learner: Any, labels: list[Any], who: str, kind: int
) -> None:
    """The outputs of a classifier: labels, and probabilities or scores."""
    if len(labels) < 2:
        raise ValueError(f"{who} knows one label only, {labels[0]!r:.60}; train it on two or more.")
    sign, two, is_linear = (
        first_sign(labels),
        len(labels) == 2,
        isinstance(learner, LinearClassifier),
    )
    scores = found
    if two and not is_linear:
        scores = graph.op("MatMul", found, graph.constant([[sign], [-sign]], np.float64))
    decide(graph, scores, labels, sign)
    if hasattr(model, "predict_proba_many"):
        if isinstance(learner, NaiveBayes):
            likely = graph.op("Softmax", found, axis=1)
        elif not is_linear:
            likely = found
        elif two:
            likely = two_probabilities(graph, scores, sign)
        else:
            likely = linear.probabilities(graph, scores, learner)
        shape = ["rows", len(labels)]
        graph.output(graph.op("Cast", likely, to=kind), "probabilities", kind, shape)
    elif two:
        flat = graph.op("Squeeze", scores, graph.constant([1], np.int64))
        graph.output(graph.op("Cast", flat, to=kind), "scores", kind, ["rows"])
    else:
        graph.output(graph.op("Cast", scores, to=kind), "scores", kind, ["rows", len(labels)])


def two_probabilities(graph: Graph, score: str, sign: float) -> str:
    """Those of two labels, in their order, by the score of the one coded +1."""
    both = graph.op("MatMul", score, graph.constant([[sign, -sign]], np.float64))
    return graph.op("Sigmoid", both)


def decide(graph: Graph, scores: str, labels: list[Any], sign: float) -> None:
    """The label with the best score: of two the one coded +1 if it is not negative."""
    if len(labels) == 2:
        positive = graph.op("GreaterOrEqual", scores, graph.constant(0.0, np.float64))
        positive = graph.op("Squeeze", positive, graph.constant([1], np.int64))
        codes = (0, 1) if sign > 0 else (1, 0)
        yes, no = (graph.constant(code, np.int64) for code in codes)
        best = graph.op("Where", positive, yes, no)
    else:
        best = graph.op("ArgMax", scores, axis=1, keepdims=0)
    kinds = {
        bool: (np.bool_, onnx.TensorProto.BOOL),
        int: (np.int64, onnx.TensorProto.INT64),
        str: (object, onnx.TensorProto.STRING),
    }
    array, kind = kinds[type(labels[0])]
    graph.output(graph.gather(np.array(labels, dtype=array), best), "label", kind, ["rows"])
