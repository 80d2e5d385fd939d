"""Pipelines: transformers in a row, then a learner."""

from typing import Any

import numpy as np

from ..base.classifier import Classifier, ProbabilisticClassifier
from ..base.errors import NotMergeable
from ..base.learner import Learner, revive
from ..base.regressor import Regressor
from ..base.union import union_of_features
from .bag_of_words import BagOfWords
from .feature_hasher import FeatureHasher
from .steps import checked_steps, members
from .transformer import Transformer
from .union import Union


class Pipeline(Learner):
    """Steps in a row: transformers, and at the end a learner (or another transformer).

    A pipeline is what its last step is: a classifier, a regressor or a transformer, with the same
    verbs. To learn an example, each step first takes note of it, then transforms it; to predict,
    the steps are used as they are. `a | b | c` is the same as `Pipeline(a, b, c)`.

    Parameters
    ----------
    *members : transformers, then a learner
        The steps, which must not have learned anything yet. `steps=[...]` does the same.
    steps : list, optional
        The steps, as a list.

    Examples
    --------
    >>> from onstream.features import StandardScaler
    >>> from onstream.linear import LogisticRegression
    >>> model = StandardScaler() | LogisticRegression()
    >>> model.learn_one({"metres": 4810.0}, "mountain")
    >>> model.learn_one({"metres": 120.0}, "hill")
    >>> model.predict_one({"metres": 3000.0})
    'mountain'
    """

    def __new__(cls, *members: Any, steps: Any = None) -> Any:
        """A pipeline of the kind that its last step is."""
        if cls is not Pipeline:
            return Learner.__new__(cls)
        last = checked_steps("Pipeline", members, steps)[-1]
        for kind, pipeline in KINDS.items():
            if isinstance(last, kind):
                return Learner.__new__(pipeline)
        raise TypeError(
            f"Pipeline: the last step cannot be used in a pipeline: {last!r:.80}. Only "
            f"classifiers, regressors and transformers can; give it rows of transform_many."
        )

    def __init__(self, *members: Any, steps: Any = None) -> None:
        self.steps = [step._template() for step in checked_steps("Pipeline", members, steps)]
        if any(not isinstance(step, Transformer) for step in self.steps[:-1]):
            raise TypeError("Pipeline: all steps but the last must be transformers.")
        last = self.steps[-1]
        hashes = not isinstance(last, Transformer) and getattr(last, "hash_bits", None) is not None
        if hashes and len(self.steps) > 1:
            raise ValueError(
                "Pipeline: the last step has hash_bits; put a FeatureHasher before it instead."
            )
        if len(self.steps) > 1 and getattr(last, "takes_counts", False):
            refuse_signs(self.steps[-2], type(last).__name__)
        self._declared: Any = None
        self._start_from()
        declared = last.params.get("labels")
        if declared:
            self._model.declare(list(declared))

    def _new_model(self) -> Any:
        *before, last = self.steps
        return last._model_behind("Pipeline", [step._named_state() for step in before])

    @property
    def params(self) -> dict[str, Any]:
        """The parameters, by name."""
        return {"steps": [step.clone() for step in self.steps]}

    @property
    def members(self) -> list[Any]:
        """The steps with what they have learned, as copies to be looked at."""
        model = self._model
        with model.reading():
            fields, inner, between = model.export(), model.inner_features(), model.step_features()
        learned = fields.pop("steps", {})
        last = self.steps[-1].clone()
        if "labels" in last.params:
            last = last.clone(labels=None)
        if last.params.get("scale") == "auto" and not self._scaling(learned):  # behind a scaler
            last = last.clone(scale=None)
            for name in ("targets", "watch"):
                fields.pop(name, None)
        last._restore({**fields, **features_of(last, inner), **self._scaling(learned)})
        found = []
        for i, (step, names) in enumerate(zip(self.steps[:-1], between, strict=False)):
            copy = step.clone()  # without nominal values: a step changes numbers only
            names = {field: value for field, value in names.items() if "nominal" not in field}
            copy._restore({"start": 0, **names, **learned[str(i)]})
            found.append(copy)
        return [*found, last]

    @property
    def merge_kind(self) -> Any:  # type: ignore[override]
        """How two pipelines merge: one transformer alone as it does, others by mixing."""
        kinds = [step.merge_kind for step in self.steps]
        if None in kinds:
            return None
        if isinstance(self.steps[-1], Transformer):
            return "exact" if len(self.steps) == 1 else "mixing"
        return "mixing"

    def merge(self, other: Any) -> None:
        """Absorb a pipeline with the same steps that was trained on other data.

        Statistics of the steps are put together, then the learners are merged: "mixing", since
        each has seen examples scaled by its own statistics.
        """
        if not isinstance(other, Pipeline) or repr(other) != repr(self):
            raise NotMergeable(f"{self!r} cannot be merged with {other!r:.80}.")
        if other is self:
            raise NotMergeable("Pipeline: a learner cannot be merged with itself.")
        self._absorb(other)

    def _merged(self, mine: Any, theirs: Any) -> Any:
        for step in self.steps:
            if step.merge_kind is None:
                raise NotMergeable(f"Pipeline: {type(step).__name__} cannot be merged.")
        union, places = union_of_features(mine, theirs)
        merged = self._of_both(
            mine,
            theirs,
            places,
            lambda step, a, b, seen, where: step._merged_step(a, b, seen or union, where),
            lambda last, a, b: last._merged(a, b),
        )
        return {**merged, **union}

    def _rebased(self, fields: Any, base: Any, sign: int) -> Any:
        _, places = union_of_features(fields, base)
        names = {name: fields[name] for name in ("features", "implicit", "columns")}
        moved = self._of_both(
            fields,
            base,
            places,
            lambda step, a, b, _, where: step._rebased_step(a, b, where, sign),
            lambda last, a, b: last._rebased(a, b, sign),
        )
        return {**moved, **names}

    def _paced(self, fields: Any, share: float) -> Any:
        return self._of_both(
            fields,
            fields,
            union_of_features(fields, fields)[1],
            lambda step, a, *others: a,
            lambda last, a, b: last._paced(a, share),
        ) | {name: fields[name] for name in ("features", "implicit", "columns")}

    def _of_both(self, mine: Any, theirs: Any, places: Any, of_step: Any, of_last: Any) -> Any:
        """The exported state that two amount to, from what each step and the last one say.

        `of_step` also gets the features that a step sees (None: those that came in), and where
        theirs are among them.
        """
        a, b = dict(mine), dict(theirs)
        ours, other = a.pop("steps", {}), b.pop("steps", {})
        steps, last = {}, self.steps[-1]
        seen, where = None, places
        made = [*self._model.step_features(), self._model.inner_features()]
        for i, step in enumerate(self.steps[:-1]):
            steps[str(i)] = of_step(step, ours[str(i)], other[str(i)], seen, where)
            if makes_features(step):  # numbers, the same here and there
                seen, where = made[i + 1], np.arange(made[i + 1]["implicit"])
        a, b = (
            {**fields, **features_of(last, features if seen is None else seen), **scaling}
            for fields, features, scaling in (
                (a, mine, self._scaling(ours)),
                (b, theirs, self._scaling(other)),
            )
        )
        both = {name: value for name, value in of_last(last, a, b).items() if name in mine}
        if scaling := both.pop("steps", None):
            steps[str(len(self.steps) - 1)] = scaling["0"]
        return {**both, "steps": steps} if steps else both

    def _scaling(self, learned: dict[str, Any]) -> dict[str, Any]:
        """What the last step has learned of the scales of its features, as a field of its own."""
        own = learned.get(str(len(self.steps) - 1))
        return {} if own is None else {"steps": {"0": own}}

    def __or__(self, other: Any) -> Any:
        if not isinstance(self, Transformer) or not isinstance(other, Learner):
            return NotImplemented
        return Transformer.__or__(self, other)

    def __eq__(self, other: object) -> bool:
        """As learners: templates by their steps, which `params` would make learners of."""
        if self is other or not isinstance(other, Pipeline):
            return self is other
        templates = self._is_template() and other._is_template()
        return bool(templates and self.steps == other.steps)

    __hash__ = Learner.__hash__

    def __repr__(self) -> str:
        return f"Pipeline({', '.join(map(repr, self.steps))})"

    def __reduce__(self) -> Any:
        return revive, (Pipeline, self.params, self._model.snapshot())

    def clone(self, **changes: Any) -> Any:
        """A pipeline with the same steps, but for `changes`, that has learned nothing."""
        return Pipeline(**{**self.params, **changes})


class ProbabilisticPipeline(Pipeline, ProbabilisticClassifier):
    """A pipeline that ends in a classifier with probabilities."""

    params = Pipeline.params


class ClassifierPipeline(Pipeline, Classifier):
    """A pipeline that ends in a classifier."""

    params = Pipeline.params


class RegressorPipeline(Pipeline, Regressor):
    """A pipeline that ends in a regressor."""


class TransformerPipeline(Pipeline, Transformer):
    """A pipeline of transformers."""


KINDS = {  # of a pipeline, by its last step
    ProbabilisticClassifier: ProbabilisticPipeline,
    Classifier: ClassifierPipeline,
    Regressor: RegressorPipeline,
    Transformer: TransformerPipeline,
}
for _kind in KINDS.values():  # all of them are Pipelines, in messages and in files
    _kind.__name__ = "Pipeline"
    _kind._public_class = Pipeline  # type: ignore[attr-defined]


def refuse_signs(step: Any, who: str) -> None:
    """Refuse a step that makes about half of all counts negative, by the sign of its hash."""
    for part in step.parts if isinstance(step, Union) else [step]:
        part = members(part)[-1]
        if isinstance(part, FeatureHasher) and part.signed:
            advice = "use FeatureHasher(signed=False)"
        elif isinstance(part, BagOfWords) and part.hash_bits is not None:
            advice = "leave out hash_bits, or hash by FeatureHasher(signed=False) behind it"
        else:
            continue
        raise ValueError(
            f"Pipeline: {who} counts, but {type(part).__name__} makes half of the counts negative "
            f"by the sign of its hash, and these would be left out; {advice}."
        )


def features_of(learner: Any, seen: dict[str, Any]) -> dict[str, Any]:
    """Features as a learner that stands alone keeps them; without a field, none is nominal."""
    empty = learner._new_model().inner_features()
    return {name: seen.get(name, value) for name, value in empty.items()}


def makes_features(step: Any) -> bool:
    """Say whether a step makes features of its own."""
    return bool(step._new_model().makes())
