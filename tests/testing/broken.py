"""The toys again, each with one fault."""

import copy
import math
import random
from typing import Any

import numpy as np

from .toys import Centre, Jump, Voter, check

# -- learners ----------------------------------------------------------------------------------


class Chains(Voter):
    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> Any:
        super().learn_one(x, y, w)
        return self


class GuessesAtOnce(Voter):
    def predict_one(self, x: Any) -> Any:
        found = super().predict_one(x)
        return 0 if found is None else found


class CountsTwice(Voter):
    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        super().learn_one(x, y, w)
        self.seen += 1


class TwoLabelsOnly(Voter):
    def label(self, y: Any) -> Any:
        if y not in self.sums and len(self.sums) == 2:
            raise ValueError("there are two labels")
        return super().label(y)


class LabelsAreTexts(Voter):
    def label(self, y: Any) -> Any:
        return str(super().label(y))


class SortsLabels(Voter):
    @property
    def labels(self) -> list[Any]:
        return sorted(self.sums)


class SumsToTwo(Voter):
    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        return {label: min(1.0, 2.0 * p) for label, p in super().predict_proba_one(x).items()}


class RemembersQuestions(Voter):
    def score_one(self, x: Any) -> dict[Any, float]:
        for sums in self.sums.values():
            for name in check(x):
                sums.setdefault(name, 0.0)
        return super().score_one(x)


class DrawsWhenAsked(Voter):
    def __init__(self, *, prior: float = 1.0) -> None:
        super().__init__(prior=prior)
        self.random = random.Random(0)

    def predict_one(self, x: Any) -> Any:
        self.random.random()
        return super().predict_one(x)


class LearnsBackwards(Voter):
    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        super().learn_many(self.rows(X)[::-1], list(y)[::-1], None if w is None else w[::-1])


class LearnsArraysInOtherBits(Voter):
    def rows(self, X: Any) -> Any:
        return X.astype(np.float32) if isinstance(X, np.ndarray) else super().rows(X)


class LearnsBeforeItTests(Voter):
    def predict_learn_many(self, X: Any, y: Any) -> list[Any]:
        self.learn_many(X, y)
        return self.predict_many(X)


class AveragesTheAnswers(Voter):
    def predict_many(self, X: Any) -> list[Any]:
        found = super().predict_many(X)
        return [found[0]] * len(found)


class NeedsFeatures(Voter):
    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        max(check(x))
        super().learn_one(x, y, w)


class TakesInfinity(Voter):
    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        if isinstance(x, dict):
            x = {k: 1.0 if v in (math.inf, -math.inf) else v for k, v in x.items()}
        super().learn_one(x, y, w)


class KeepsTheLabel(Voter):
    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        self.sums.setdefault(self.label(y), {})
        super().learn_one(x, y, w)


class LearnsHalfABlock(Voter):
    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        for x, label, weight in zip(self.rows(X), y, w or [1.0] * len(y), strict=True):
            self.learn_one(x, label, weight)


class RaisesWhatItLikes(Voter):
    def label(self, y: Any) -> Any:
        if y is None:
            raise RuntimeError("no label")
        return super().label(y)


class KeepsTheExample(Voter):
    def __init__(self, *, prior: float = 1.0) -> None:
        super().__init__(prior=prior)
        self.last: Any = None

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        super().learn_one(x, y, w)
        if w:
            self.last = x


class SpoilsTheExample(Voter):
    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        super().learn_one(x, y, w)
        if isinstance(x, dict):
            x.pop("f0", None)


class CountsNothing(Voter):
    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        super().learn_one(x, y, w)
        self.seen += w == 0.0


class DropsWeights(Voter):
    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        super().learn_many(X, y, w)  # which checks them
        if w is not None and any(w):
            self.__dict__.update(self.clone().__dict__)
            super().learn_many(X, y)


class NeverSaysItsLabels(Voter):
    @property
    def labels(self) -> Any:
        return None


class UnlearnsByWeight(Voter):
    def weight(self, w: Any) -> float:
        return abs(w) if isinstance(w, float) and math.isfinite(w) else super().weight(w)


class Overflows(Voter):
    def score_one(self, x: Any) -> dict[Any, float]:
        return {k: v * v * 1e200 for k, v in super().score_one(x).items()}


class MergesWithoutCounting(Voter):
    def merge(self, other: Any) -> None:
        seen = self.seen
        super().merge(other)
        self.seen = seen


class MergesByAccident(Voter):
    def merge(self, other: Any) -> None:
        self.sums = self.sums + other.sums  # type: ignore[operator]


class EmptiesTheOther(Voter):
    def merge(self, other: Any) -> None:
        super().merge(other)
        other.sums.clear()


class ClonesWhatItKnows(Voter):
    def clone(self) -> Any:
        return copy.deepcopy(self)


class ForgetsAParameter(Voter):
    def clone(self) -> Any:
        return type(self)(prior=self.prior + 1.0)


class DrawsFromEverywhere(Voter):
    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        super().learn_one(x, y, w)
        if w and self.seen == 1:
            self.prior = 1.0 + random.random() * 1e-9


class CannotBePickled(Voter):
    def __reduce__(self) -> Any:
        raise TypeError("no")


class SharesItsSums(Voter):
    def __deepcopy__(self, memo: Any) -> Any:
        return copy.copy(self)


class LosesItsCount(Voter):
    def __getstate__(self) -> Any:
        return {**vars(self), "seen": 0}


LEARNERS = {
    Chains: "verbs: learn_one returned",
    GuessesAtOnce: "verbs: before any example, predict_one",
    CountsTwice: "verbs: seen after 1 examples: got 2",
    TwoLabelsOnly: "verbs: learn_one(.*, 'eggs') raised ValueError",
    LabelsAreTexts: "labels: predict_one(.*): expected one of [7], got '7'",
    SortsLabels: "labels: labels, in order of appearance",
    SumsToTwo: "labels: predict_proba_one(.*): expected probabilities that sum to 1",
    RemembersQuestions: "predictions_change_nothing: predict_one(.*) changed the model",
    DrawsWhenAsked: "predictions_change_nothing: predict_one(.*) changed the model",
    LearnsBackwards: "blocks_equal_loops: learn_many of mappings and a loop of learn_one",
    LearnsArraysInOtherBits: "blocks_equal_loops: learn_many of an array and a loop",
    LearnsBeforeItTests: "blocks_equal_loops: predict_learn_many of mappings and a loop",
    AveragesTheAnswers: "blocks_equal_loops: predict_many of mappings and a loop",
    NeedsFeatures: "empty_rows: learn_one({}, .*) raised",
    TakesInfinity: "refused_examples_leave_no_trace: learn_one({'new': inf}, .*) was taken",
    KeepsTheLabel: "refused_examples_leave_no_trace: learn_one(.*), which was refused, changed",
    LearnsHalfABlock: "refused_examples_leave_no_trace: learn_many(.*), which was refused, changed",
    RaisesWhatItLikes: "refused_examples_leave_no_trace: learn_one(.*) raised RuntimeError",
    KeepsTheExample: "inputs_stay_the_users: an example that was changed after",
    SpoilsTheExample: "inputs_stay_the_users: the example after learn_one",
    CountsNothing: "weights: learn_one(..., w=0.0) changed the model",
    DropsWeights: "weights: learn_many(X, y, w) and a loop of learn_one(x, y, w) differ",
    NeverSaysItsLabels: "labels: labels after 1 example: expected ['ham'], in order of appearance, "
    "got None",
    UnlearnsByWeight: "weights: learn_one(.*, w=-1.0) was taken",
    Overflows: "numbers_stay_finite: ",
    MergesWithoutCounting: "merging: seen after a merge: expected 40, got 20",
    MergesByAccident: "merging: merge(other) raised TypeError: unsupported operand",
    EmptiesTheOther: "merging: merge(other), of the other one, changed the model",
    ClonesWhatItKnows: "parameters: clone() has learned something",
    ForgetsAParameter: "parameters: params of clone()",
    DrawsFromEverywhere: "same_again: two that were made and taught alike differ",
    CannotBePickled: "copies: pickle raised TypeError",
    SharesItsSums: "copies: copy.deepcopy: what the original learned changed the copy",
    LosesItsCount: "copies: pickle: ['seen']: expected int 20, got int 0",
}

# -- transformers and detectors ----------------------------------------------------------------


class LearnsWhenItTransforms(Centre):
    def transform_one(self, x: Any) -> dict[str, float]:
        self.learn_one(x)
        return super().transform_one(x)


class TransformsAnotherWay(Centre):
    def transform_many(self, X: Any) -> list[dict[str, float]]:
        return [{k: v + 1e-15 for k, v in x.items()} for x in super().transform_many(X)]


class GivesAList(Centre):
    def transform_one(self, x: Any) -> Any:
        return list(super().transform_one(x).values())


class ForgetsBlocks(Centre):
    def learn_many(self, X: Any) -> None:
        super().learn_many(X[1:])


class CountsRefusals(Centre):
    def learn_one(self, x: Any) -> None:
        self.seen += 1
        self.seen -= 1 if check(x) is not None else 0
        super().learn_one(x)


class SaysOne(Jump):
    def update(self, value: Any) -> Any:
        return int(super().update(value))


class CountsFromOne(Jump):
    def update_many(self, values: Any) -> list[int]:
        return [i + 1 for i in super().update_many(values)]


class ForgetsWhenRead(Jump):
    @property
    def before(self) -> float:
        last, self.last = self.last, 0.5
        return last


class TakesNaN(Jump):
    def update(self, value: Any) -> Any:
        return False if value != value else super().update(value)


OTHERS = {
    LearnsWhenItTransforms: "predictions_change_nothing: transform_one(.*) changed the model",
    TransformsAnotherWay: "blocks_equal_loops: transform_many and a loop of transform_one",
    GivesAList: "verbs: transform_one(.*): expected a mapping",
    ForgetsBlocks: "blocks_equal_loops: learn_many of mappings and a loop",
    CountsRefusals: "refused_examples_leave_no_trace: learn_one({'new': inf}), which was refused",
    SaysOne: "verbs: update(.*), value 0: expected True or False, got 1",
    CountsFromOne: "blocks_equal_loops: indices of update_many",
    ForgetsWhenRead: "looking_changes_nothing: ",
    TakesNaN: "refused_values_leave_no_trace: update(nan) was taken",
}
