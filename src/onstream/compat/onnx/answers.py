"""What a learner answers, behind the matrix of all features: scores, probabilities, numbers."""

from typing import Any, NamedTuple

import numpy as np

from ...base import Classifier, Regressor
from ...bayes import BayesianLinearRegression
from ...bayes.base import NaiveBayes
from ...core.coding import first_sign
from ...features import Pipeline
from ...linear.base import LinearClassifier, LinearRegressor
from ...tree.base import Tree
from . import bayes, ensembles, linear, readings, steps, trees
from .columns import Columns
from .ensembles import Voter
from .graph import Graph

LINEAR = (LinearClassifier, LinearRegressor, BayesianLinearRegression)


class Verdict(NamedTuple):
    """What a classifier says of every row."""

    scores: str  # (rows, 1) of two labels: of the one coded +1; else one for each label
    probabilities: str | None  # (rows, labels), if it has them


class Answers:
    """The answers of learners behind the same columns: of one, or of the members of an ensemble."""

    def __init__(self, graph: Graph, columns: Columns, who: str) -> None:
        self.graph, self.columns, self.who = graph, columns, who

    def behind_steps(self, X: str, chain: list[Any]) -> str:
        """What comes out of the steps of a pipeline: all of `chain` but the last."""
        for step in chain[:-1]:
            X = steps.apply(self.graph, X, step, self.columns, self.who)
        return X

    # -- labels --------------------------------------------------------------------------------

    def judge(
        self, X: str, learner: Any, fields: dict[str, Any], behind: bool, probable: bool
    ) -> Verdict:
        """The verdict of a classifier; `behind` says whether there are steps before it."""
        graph, columns, labels = self.graph, self.columns, fields["labels"]
        sign, two = first_sign(labels), len(labels) == 2
        if isinstance(learner, LinearClassifier):
            found = linear.scores(graph, X, learner, fields)
            if not probable:
                return Verdict(found, None)
            if two:
                return Verdict(found, two_probabilities(graph, found, sign))
            return Verdict(found, linear.probabilities(graph, found, learner))
        if isinstance(learner, NaiveBayes):
            found = bayes.joints(graph, X, learner, fields, columns, behind)
            likely = graph.op("Softmax", found, axis=1)
        elif isinstance(learner, Tree):
            found = likely = trees.votes(graph, X, learner, fields, columns, len(labels))
        else:
            answer = self.vote
            found = ensembles.votes(
                graph, X, learner, fields, columns, lambda voter: answer(X, voter)
            )
            likely = ensembles.shares(graph, found, len(labels))
            return Verdict(ensembles.lead(graph, found, sign) if two else likely, likely)
        if two:
            found = graph.op("MatMul", found, graph.constant([[sign], [-sign]], np.float64))
        return Verdict(found, likely)

    def vote(self, X: str, voter: Voter) -> str:
        """The vote of a member, shape (rows, labels)."""
        if voter.met is not None:
            X, columns = readings.apply(self.graph, X, voter.met, self.columns)
            return Answers(self.graph, columns, self.who).vote(X, voter._replace(met=None))
        X, last, fields, behind = self.member(X, voter)
        labels = fields["labels"]
        verdict = self.judge(X, last, fields, behind, voter.splits)
        if verdict.probabilities is None:
            best = best_label(self.graph, verdict.scores, labels)
            return self.graph.gather(np.eye(len(labels)), best)
        if len(labels) == 2 and not isinstance(last, (LinearClassifier, NaiveBayes)):
            return through_score(self.graph, verdict.scores, first_sign(labels))
        return verdict.probabilities

    # -- numbers -------------------------------------------------------------------------------

    def number(self, X: str, learner: Any, fields: dict[str, Any]) -> str:
        """The prediction of a regressor, shape (rows, 1)."""
        if isinstance(learner, Tree):
            return trees.predictions(self.graph, X, learner, fields, self.columns)
        if isinstance(learner, LINEAR):
            return linear.predictions(self.graph, X, learner, fields)
        answer = self.number_of
        return ensembles.predictions(
            self.graph, X, learner, fields, self.columns, lambda voter: answer(X, voter)
        )

    def number_of(self, X: str, voter: Voter) -> str:
        """The prediction of a member."""
        if voter.met is not None:
            X, columns = readings.apply(self.graph, X, voter.met, self.columns)
            return Answers(self.graph, columns, self.who).number_of(X, voter._replace(met=None))
        X, last, fields, _ = self.member(X, voter)
        return self.number(X, last, fields)

    def member(self, X: str, voter: Voter) -> tuple[str, Any, dict[str, Any], bool]:
        """What a member's last learner gets, that learner, its state, and are steps before it."""
        if voter.fields is not None:
            chain, fields = [voter.learner], voter.fields
        else:
            chain, fields = taken_apart(voter.learner)
        check(self.who, chain[-1])
        return self.behind_steps(X, chain), chain[-1], fields, len(chain) > 1


def taken_apart(learner: Any) -> tuple[list[Any], dict[str, Any]]:
    """The steps of a pipeline, or a learner alone, and the state of the last one."""
    if not isinstance(learner, Pipeline):
        return [learner], learner._model.snapshot()
    chain, whole = learner.members, learner._model.snapshot()
    fields = chain[-1]._model.snapshot()
    if "targets" in whole:  # the last member stands alone, where scale=None knows of no range
        fields["targets"] = whole["targets"]
    return chain, fields


def check(who: str, last: Any) -> None:
    """Refuse what cannot be exported, and say what can."""
    if getattr(last, "hash_bits", None) is not None:
        raise ValueError(
            f"{who} hashes its features (hash_bits={last.hash_bits}), and ONNX has no such "
            f"operator; train without hash_bits, so that every feature has its name."
        )
    kinds = (*LINEAR, NaiveBayes, Tree, *ensembles.KINDS)
    if not isinstance(last, kinds) or not isinstance(last, (Classifier, Regressor)):
        raise TypeError(
            f"{who} cannot be exported to ONNX: {type(last).__name__} is none of the linear "
            f"classifiers and regressors, naive Bayes, trees, forests, and bagging of these, "
            f"which can."
        )


def two_probabilities(graph: Graph, score: str, sign: float) -> str:
    """Those of two labels, in their order, by the score of the one coded +1."""
    both = graph.op("MatMul", score, graph.constant([[sign, -sign]], np.float64))
    return graph.op("Sigmoid", both)


def through_score(graph: Graph, score: str, sign: float) -> str:
    """Those of a tree or an ensemble, whose score says how much likelier one label is.

    They go through the score as in the learner, so that equal votes are equal to the last bit.
    """
    half = graph.constant([[0.5 * sign, -0.5 * sign]], np.float64)
    return graph.op("Add", graph.op("MatMul", score, half), graph.constant(0.5, np.float64))


def best_label(graph: Graph, scores: str, labels: list[Any]) -> str:
    """Number of the label with the best score: of two the one coded +1 if it is not negative."""
    if len(labels) > 2:
        return graph.op("ArgMax", scores, axis=1, keepdims=0)
    positive = graph.op("GreaterOrEqual", scores, graph.constant(0.0, np.float64))
    positive = graph.op("Squeeze", positive, graph.constant([1], np.int64))
    codes = (0, 1) if first_sign(labels) > 0 else (1, 0)
    yes, no = (graph.constant(code, np.int64) for code in codes)
    return graph.op("Where", positive, yes, no)
