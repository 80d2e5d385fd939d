"""What linear learners share: parameters, a view of their weights, merging by averaging."""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from ..base.checks import flag, whole
from ..base.classifier import Classifier, LabelledOptions
from ..base.learner import Learner, LearnerOptions
from ..base.parameters import parameters
from ..base.regressor import Regressor
from ..base.union import Exported, all_names
from ..core.scaling import Scaling
from ._state import LinearClassifierState
from .mixing import mix_classifiers, mix_regressors
from .scales import merged_targets, on_one_scale, rebased_scales, rebased_targets, unscaled

NOT_OF_THE_RULE = {"scale", "intercept", "labels", "max_labels"}


class Usual(str):
    """A default that a parameter has only as long as others are not given."""


USUAL: Any = Usual("auto")


class HashedOptions(TypedDict, total=False):
    """Parameters of every learner whose features can be hashed."""

    hash_bits: int | None
    hash_seed: int


class LinearOptions(HashedOptions, total=False):
    """Parameters of every linear learner with an intercept."""

    intercept: bool


class LinearClassifierOptions(LinearOptions, LabelledOptions, total=False):
    """Parameters of every linear classifier."""


class LinearRegressorOptions(LinearOptions, LearnerOptions, total=False):
    """Parameters of every linear regressor."""


class ScaleOptions(TypedDict, total=False):
    """The parameter of `Scaled`."""

    scale: Literal["auto"] | None


class Hashed(Learner):
    """A learner with a weight for each feature; features can be hashed.

    Parameters
    ----------
    hash_bits : int or None, default None
        Hash features to 2**hash_bits signed slots, so that memory stays fixed whatever the stream
        sends. None names every feature.
    hash_seed : int, default 0
        Seed of that hash.
    """

    merge_kind: ClassVar[Literal["exact", "mixing"] | None] = "mixing"
    _most_hash_bits = 31

    def __init__(self, *, hash_bits: int | None = None, hash_seed: int = 0, **common: Any) -> None:
        self.hash_bits = None
        if hash_bits is not None:
            self.hash_bits = whole(self, "hash_bits", hash_bits, least=1, most=self._most_hash_bits)
        self.hash_seed = whole(self, "hash_seed", hash_seed, least=0, most=2**64 - 1)
        super().__init__(**common)

    @property
    def weights(self) -> dict[Any, Any]:
        """Feature to weight. With `hash_bits` the keys are slots, those in use."""
        fields = self._view()
        return self._named(fields, fields["weights"][:, 0])

    def _view(self) -> Exported:
        """The state's fields, with the weights that predict."""
        fields: Exported = self._model.snapshot()
        return {**fields, "weights": fields["scale"] * fields["weights"]}

    def _named(self, fields: Exported, column: NDArray[Any]) -> dict[Any, float]:
        """Feature to weight; of hashed features those that are not 0."""
        if self.hash_bits is not None:
            used = np.flatnonzero(column)
            return dict(zip(used.tolist(), column[used].tolist(), strict=True))
        return dict(zip(all_names(fields), column.tolist(), strict=True))

    def _merged(self, mine: Exported, theirs: Exported) -> Exported:
        return mix_regressors(mine, theirs)

    def _rebased(self, fields: Exported, base: Exported, sign: int) -> Exported:
        counts = [name for name in ("seen", "start", "updates") if name in fields]
        return {**fields, **{name: fields[name] + sign * base[name] for name in counts}}

    def _paced(self, fields: Exported, share: float) -> Exported:
        steps = fields["seen"] - fields["start"]
        return {**fields, "start": fields["seen"] - round(share * steps)}


class Linear(Hashed):
    """A learner that scores by w.x + b.

    Parameters
    ----------
    intercept : bool, default True
        Append a constant 1 to every example; its weight is `bias`.
    """

    def __init__(self, *, intercept: bool = True, **common: Any) -> None:
        self.intercept = flag(self, "intercept", intercept)
        super().__init__(**common)

    def _tidied(self, fields: Exported) -> Exported:
        """The state with nothing left to be done later."""
        return fields

    def _model_like(self, fields: Exported) -> Any:
        """A new model that can restore these fields."""
        return self._new_model()


class Scaled(Linear):
    """A learner that learns the scales of its features by itself.

    Parameters
    ----------
    scale : {"auto"} or None, default "auto"
        "auto" scales every feature by what was seen of it (unless features are hashed, or a scaler
        stands before), so that raw columns of any size work, and shortens steps that would
        overshoot; `weights` and `bias` are those of the features as they came. None learns from
        the features as they are, by the rule of the paper, and is the default as soon as another
        parameter is given than `intercept`, `labels`, `max_labels` and `init`.
    """

    scale: Literal["auto"] | None
    _added_parameters: ClassVar[dict[str, Any]] = {"scale": None}
    _given: frozenset[str] = frozenset()  # parameters that were written down

    def __new__(cls, *_: Any, **given: Any) -> Self:
        """Note what is written down, be it the default."""
        made = super().__new__(cls)
        made._given = frozenset(given)
        return made

    def __init__(self, *, scale: Literal["auto"] | None = USUAL, **common: Any) -> None:
        given: Any = scale
        if given is not None and not (isinstance(given, str) and given == "auto"):
            who = type(self).__name__
            raise ValueError(f"{who}: scale must be 'auto' or None, got {given!r:.80}.")
        if isinstance(given, Usual):
            scale = self._usual_scale(common)
        self.scale = scale
        super().__init__(**common)

    def _usual_scale(self, common: dict[str, Any]) -> Literal["auto"] | None:
        """That of `init`, if there is one; "auto", unless a parameter of the rule is given."""
        init = common.get("init")
        if isinstance(init, Scaled):
            return init.scale
        if isinstance(init, dict):
            return "auto" if "steps" in init else None
        ours = next(c for c in type(self).__mro__ if c.__module__.startswith("onstream."))
        usual = parameters(ours)
        for name in usual.keys() - NOT_OF_THE_RULE:
            value = common[name] if name in common else getattr(self, name, usual[name])
            if name in self._given or value != usual[name]:
                return None
        return "auto"

    def __repr__(self) -> str:
        """As it can be typed in again: `scale` where the others do not say it."""
        usual = parameters(type(self))
        given = {n: v for n, v in self.params.items() if v is not usual[n] and v != usual[n]}
        given.pop("scale", None)
        follows = isinstance(usual["scale"], Usual) and not given.keys() - NOT_OF_THE_RULE
        if self.scale != ("auto" if follows else None):
            given["scale"] = self.scale
        shown = (f"{n}={given[n]!r}" for n in usual if n in given)
        return f"{type(self).__name__}({', '.join(shown)})"

    def _model_behind(self, who: str, steps: Sequence[Any]) -> Any:
        apart = (steps and steps[-1].scales()) or any(step.hashes() for step in steps)
        if self.scale is None or apart or self.hash_bits is not None:
            return super()._model_behind(who, steps)
        scaling = Scaling(self.intercept)
        scaling.who = type(self).__name__
        model = super()._model_behind(who, [*steps, scaling])
        if not steps and isinstance(model.state, LinearClassifierState):
            model.state.behind(scaling)
        return model

    def _view(self) -> Exported:
        return unscaled(super()._view())

    def _merged(self, mine: Exported, theirs: Exported) -> Exported:
        targets = merged_targets(mine, theirs)
        if "steps" not in mine:  # scale=None, or behind a scaler
            return {**super()._merged(mine, theirs), **targets}
        mine, theirs, steps = on_one_scale(self._tidied(mine), self._tidied(theirs))
        return {**super()._merged(mine, theirs), "steps": steps, **targets}

    def _rebased(self, fields: Exported, base: Exported, sign: int) -> Exported:
        if "targets" in fields:
            fields = {
                **fields,
                "targets": rebased_targets(fields["targets"], base["targets"], sign),
            }
        if "steps" not in fields:
            return super()._rebased(fields, base, sign)
        fields, base = self._tidied(fields), self._tidied(base)
        scaled, base = rebased_scales(fields, base, sign, self.intercept)
        return {**super()._rebased(scaled, base, sign), "steps": scaled["steps"]}

    def _model_like(self, fields: Exported) -> Any:
        if "steps" in fields:
            return self._new_model()
        return super()._model_behind(type(self).__name__, ())


class ScaledIfAsked(Scaled):
    """The same by the rule of the paper, unless asked otherwise.

    Parameters
    ----------
    scale : {"auto"} or None, default None
        "auto" scales every feature by what was seen of it (unless features are hashed, or a scaler
        stands before), so that raw columns of any size work; `weights` and `bias` are those of the
        features as they came. None learns from the features as they are, by the rule of the paper.
    """

    def __init__(self, *, scale: Literal["auto"] | None = None, **common: Any) -> None:
        super().__init__(scale=scale, **common)


class LinearClassifier(Linear, Classifier):
    """A classifier that scores by w.x, or by one w per label."""

    _share = 0.5  # of a binary score that each of two labels gets at promotion: as in the state

    def __init__(self, **common: Unpack[LinearClassifierOptions]) -> None:
        super().__init__(**common)

    @property
    def weights(self) -> dict[Any, Any]:
        """Feature to weight; with more than two labels, label to that.

        With `hash_bits` the keys are slots, and only slots in use are shown.
        """
        fields = self._view()
        matrix = fields["weights"]
        if matrix.shape[1] == 1:
            return self._named(fields, matrix[:, 0])
        return {y: self._named(fields, matrix[:, r]) for r, y in enumerate(fields["labels"])}

    @property
    def bias(self) -> Any:
        """The intercept; with more than two labels, label to that."""
        fields = self._view()
        bias = fields["bias"].tolist()
        return bias[0] if len(bias) == 1 else dict(zip(fields["labels"], bias, strict=True))

    def _merged(self, mine: Exported, theirs: Exported) -> Exported:
        return mix_classifiers(type(self).__name__, mine, theirs, self._share)


class LinearRegressor(Linear, Regressor):
    """A regressor that predicts w.x."""

    def __init__(self, **common: Unpack[LinearRegressorOptions]) -> None:
        super().__init__(**common)

    @property
    def bias(self) -> float:
        """The intercept."""
        return float(self._view()["bias"][0])
