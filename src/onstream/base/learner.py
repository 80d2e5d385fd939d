"""What all learners share: parameters, a model for life, copies, merging, `fit`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self, TypedDict

from numpy.typing import ArrayLike

from ..core.state_reader import StateReader
from ._learner import LearnerBase
from .checks import nearest
from .elsewhere import Elsewhere
from .errors import NotMergeable
from .fit import fit
from .parameters import SuggestsParameters, parameters, suggest_parameters
from .types import Example, Rows

PER_PARAMETER = 24  # bytes of a number
BOTH_VERBS = {
    "learn_one": ("learn_many", "predict_learn_many"),
    "predict_one": ("predict_many", "predict_learn_many"),
    "predict_proba_one": ("predict_proba_many",),
    "score_one": ("score_many",),
    "transform_one": ("transform_many",),
}


class LearnerOptions(TypedDict, total=False):
    """Parameters of every learner."""

    init: Any


class Learner(SuggestsParameters, Elsewhere, LearnerBase):
    """What all learners share. A subclass checks its own parameters, then calls `super().__init__`.

    Parameters
    ----------
    init : {learner} or None, default None
        Start from what this model has learned.
    """

    merge_kind: ClassVar[Literal["exact", "mixing"] | None] = None  # None: cannot be merged
    target_kind: ClassVar[Literal["labels", "numbers", "structured"]] = "labels"  # what it predicts
    _model_class: Any
    _of_model: tuple[str, ...] = ("hash_bits", "hash_seed", "max_labels")  # not the state's

    def __init__(self, *, init: Any = None) -> None:
        self._start_from(init)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if not cls.__module__.startswith("onstream."):
            refuse_half_verbs(cls)

    def _start_from(self, init: Any = None) -> None:
        """Begin with nothing, or with what `init` (a model or an exported state) has learned."""
        self._set_model(self._new_model())
        if init is not None:
            try:
                self._restore(exported(self, init))
            except ValueError as error:
                name = type(self).__name__
                reason = str(error).removeprefix(f"{name}: ")
                raise ValueError(f"{name}: init cannot be started from: {reason}") from None

    def _new_state(self) -> Any:
        """A state with this learner's parameters that has learned nothing."""
        raise TypeError(f"{type(self).__name__} is not a learner by itself.")

    def _named_state(self) -> Any:
        """The same, which knows whose it is."""
        state = self._new_state()
        state.who = type(self).__name__
        return state

    def _new_model(self) -> Any:
        """A model with this learner's parameters that has learned nothing."""
        return self._model_behind(type(self).__name__, ())

    def _model_behind(self, who: str, steps: Sequence[Any]) -> Any:
        """The same in a pipeline of this name, behind these states of its steps."""
        known = parameters(type(self))
        own = {name: getattr(self, name) for name in self._of_model if name in known}
        return self._model_class(who, self._named_state(), steps=steps, **own)

    def _revived(self, fields: dict[str, Any]) -> Any:
        """A model with this learner's parameters that has learned what was exported."""
        model, checked = self._new_model(), StateReader(fields)
        model.restore(checked)
        checked.done()
        return model

    def _restore(self, fields: dict[str, Any]) -> None:
        """Become what was exported; if that fails, stay as before."""
        revived = self._revived(fields)
        with self._model.learning():
            self._model.become(revived)

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and self._begun():
            known = parameters(type(self))
            if name in known and hasattr(self, name):
                raise AttributeError(
                    f"{type(self).__name__}: {name} is fixed when the learner is made; "
                    f"clone({name}={value!r}) gives a new learner with another value."
                )
            if name not in known and not hasattr(self, name) and nearest(name, known, 0.85):
                raise AttributeError(
                    f"{type(self).__name__}: there is no parameter {name!r}.{nearest(name, known)} "
                    f"Parameters are fixed when the learner is made."
                )
        object.__setattr__(self, name, value)

    @property
    def params(self) -> dict[str, Any]:
        """The parameters, by name."""
        return {name: handed_out(kept_as(self, name)) for name in parameters(type(self))}

    @property
    def seen(self) -> int:
        """How many examples were learned (those of weight 0 do not count)."""
        return int(self._model.readable_state().seen)

    @property
    def memory_bytes(self) -> int:
        """Bytes held by what was learned, C buffers included."""
        model = self._model
        with model.reading():
            return int(model.memory() + PER_PARAMETER * len(parameters(type(self))))

    def clone(self, **changes: Any) -> Self:
        """A learner with the same parameters, but for `changes`, that has learned nothing."""
        return type(self)(**{**self.params, **changes})

    def reset_schedule(self) -> None:
        """Restart rates that fall with the number of examples: after pre-training, say."""
        with self._model.writing():
            self._model.reset_schedule()

    def merge(self, other: Self) -> None:
        """Absorb a learner of the same kind that was trained on other data.

        Features and labels are matched by name. `merge_kind` says what comes out: "exact", as if
        one learner had seen everything, or "mixing", the average weighted by `seen`.
        """
        if type(other) is not type(self):
            raise NotMergeable(
                f"{type(self).__name__} cannot be merged with {type(other).__name__}."
            )
        if self.merge_kind is None:
            raise NotMergeable(f"{type(self).__name__} cannot be merged.")
        ours, theirs = self.params, other.params
        for name in sorted(
            parameters(type(self)), key=lambda name: name == "scale"
        ):  # it may follow
            if name not in ("labels", "max_labels", "seed") and ours[name] != theirs[name]:
                raise NotMergeable(
                    f"{type(self).__name__}: {name} is {ours[name]!r} here and "
                    f"{theirs[name]!r} there; only learners with equal parameters can be merged."
                )
        if other is self:
            raise NotMergeable(f"{type(self).__name__}: a learner cannot be merged with itself.")
        self._absorb(other)

    def _absorb(self, other: Self) -> None:
        """Become what both have learned. Nobody learns meanwhile."""
        theirs, model = other._model.snapshot(), self._model
        with model.learning():
            model.become(self._revived(self._merged(model.snapshot(), theirs)))

    def _merged(self, mine: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
        """The exported state that two exported states amount to."""
        raise NotMergeable(f"{type(self).__name__} cannot be merged.")

    def _rebased(self, fields: dict[str, Any], base: dict[str, Any], sign: int) -> dict[str, Any]:
        """An exported state without what `base`, which it began with, had counted (sign -1).

        Counts and sums are then those of the examples since; what it predicts stays. Such states
        are merged, and get the counts of `base` back (sign 1): so nothing counts twice.
        """
        raise NotMergeable(
            f"{type(self).__name__}: what was learned since a model was mixed cannot be told apart."
        )

    def _paced(self, fields: dict[str, Any], share: float) -> dict[str, Any]:
        """An exported state that predicts the same; its rates have fallen by a share of its steps.

        An average of models that took n steps each is n steps away from where they began.
        """
        return fields

    @suggest_parameters
    def fit(
        self,
        X: Rows | Iterable[tuple[Example, Any]],
        y: ArrayLike | None = None,
        w: ArrayLike | None = None,
        *,
        epochs: int = 1,
        shuffle: bool = True,
        seed: int = 0,
    ) -> Self:
        """Go over a static block `(X, y)`, or a stream, `epochs` times, from the present state on.

        A block is shuffled again in each epoch unless `shuffle` is False; `w` holds the importance
        of each row. A stream (any iterable of `(x, y)`) is read in its own order, in blocks if it
        offers `batches(n)`. Returns the learner itself.
        """
        fit(self, X, y, w, epochs, shuffle, seed)
        return self

    def __or__(self, other: Any) -> Any:
        raise TypeError(
            f"{type(self).__name__}: a learner ends a pipeline; its steps stand before it: "
            f"step | {type(self).__name__}()."
        )

    def __eq__(self, other: object) -> bool:
        """A learner is equal to itself alone; templates, which never learn, by their parameters."""
        if self is other or type(other) is not type(self) or not self._is_template():
            return self is other
        return bool(other._is_template() and self.params == other.params)

    def __hash__(self) -> int:
        return hash(type(self).__name__) if self._is_template() else object.__hash__(self)

    def __repr__(self) -> str:
        usual = parameters(type(self))
        given = {n: v for n, v in self.params.items() if v is not usual[n] and v != usual[n]}
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in given.items())})"

    def _snapshot(self) -> dict[str, Any]:
        """Everything that was learned, while no thread is learning."""
        return self._model.snapshot()

    def __reduce__(self) -> Any:
        return revive, (type(self), self.params, self._snapshot()), noted(self)


def check_output(owner: Learner, output: str) -> None:
    """Refuse what is no output of a learner without probabilities."""
    if output not in ("label", "score"):
        raise ValueError(
            f"{type(owner).__name__}: output must be 'label' or 'score', got {output!r}."
        )


def refuse_half_verbs(cls: type[Any]) -> None:
    """A class of the user's that changes a verb for one example must change it for many, too."""
    for one, many in BOTH_VERBS.items():
        if one in vars(cls) and all(is_ours(cls, verb) for verb in many):
            raise TypeError(
                f"{cls.__name__}: {many[0]} would not call its {one}; override "
                f"{' and '.join(many)}, too."
            )


def is_ours(cls: type[Any], verb: str) -> bool:
    """Say whether this verb of a class is that of the library, and not the user's."""
    makers = [base for base in cls.__mro__ if verb in vars(base)]
    return bool(makers) and makers[0].__module__.startswith("onstream.")


def noted(learner: Learner) -> dict[str, Any] | None:
    """What the user has noted on a learner, as attributes that are no parameters; None: nothing."""
    known = parameters(type(learner))
    found = {k: v for k, v in vars(learner).items() if k not in known and not k.startswith("_")}
    return found or None


def kept_as(learner: Learner, name: str) -> Any:
    """The attribute in which a learner keeps a parameter of its constructor."""
    try:
        return getattr(learner, name)
    except AttributeError:
        raise AttributeError(
            f"{type(learner).__name__}: its __init__ takes {name}, but does not keep it; "
            f"set self.{name} there."
        ) from None


def handed_out(value: Any) -> Any:
    """A parameter as it may be given away: lists are copied."""
    return list(value) if isinstance(value, list) else value


def exported(owner: Learner, init: Any) -> Any:
    """The state to start from."""
    if isinstance(init, Learner):
        if type(init) is not type(owner):
            raise TypeError(
                f"{type(owner).__name__}: init must be another {type(owner).__name__}, "
                f"got a {type(init).__name__}."
            )
        for name in ("intercept", "hash_bits", "hash_seed", "scale"):
            if getattr(init, name, None) != getattr(owner, name, None):
                raise ValueError(
                    f"{type(owner).__name__}: {name} is {getattr(owner, name)!r}, but "
                    f"{getattr(init, name)!r} in init; they must agree."
                )
        return init._model.snapshot()
    if isinstance(init, dict):
        return init
    raise TypeError(
        f"{type(owner).__name__}: init must be a learner or an exported state, "
        f"got {type(init).__name__}."
    )


def revive(cls: type[Any], params: Mapping[str, Any], fields: Mapping[str, Any]) -> Any:
    """Unpickle: the learner with these parameters and this state."""
    labels = {"labels": None} if "labels" in params else {}
    model = cls(**{**params, **labels})
    model._restore(fields)
    if labels and params["labels"] is not None:
        declared = params["labels"]
        wanted = list(map(repr, declared)) if isinstance(declared, list) else None
        if wanted != [known for known in map(repr, model.labels) if known in (wanted or ())]:
            raise ValueError(f"the declared labels {declared!r:.60} are not known to the state")
        object.__setattr__(model, "_declared", declared)
    return model
