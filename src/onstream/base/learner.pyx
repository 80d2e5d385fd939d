"""The face of every learner: the verbs of the contract, and nothing of any algorithm."""

cimport cython

import inspect
from contextlib import contextmanager

import numpy as np

from ..core.classifier cimport ClassifierModel
from ..core.task cimport LABEL, PROBA, SCORE
from ..core.state_reader import StateReader
from ..core.regressor import RegressorModel
from ..core.arrow import arrow_table
from ..core.frames import movable, read_table
from ..core.coerce import in_row, coerce_weights, row_error
from ..core.rows import check_weights, shuffled_csr
from ..core.sparse import SparseBlock

from .checks import SuggestsParameters, flag, nearest, suggest_parameters, whole
from .elsewhere import Elsewhere
from .errors import NotMergeable, renumbered

OUTPUTS = {"label": LABEL, "proba": PROBA, "score": SCORE}
STREAM_BLOCK = 4096  # rows that `fit` asks a stream for at a time
PER_PARAMETER = 24  # bytes of a number
BOTH_VERBS = {
    "learn_one": ("learn_many", "predict_learn_many"),
    "predict_one": ("predict_many", "predict_learn_many"),
    "predict_proba_one": ("predict_proba_many",),
    "score_one": ("score_many",),
    "transform_one": ("transform_many",),
}
NOT_PARAMETERS = ("self", "init", "reset_schedule")


@cython.auto_pickle(False)
cdef class LearnerBase:
    """The part of a learner that compiled code can look into."""

    @property
    def _model(self):
        """The model; of a template it is made now."""
        if self.made is None:
            if not self.template:
                raise TypeError(f"{type(self).__name__}: its __init__ must call that of its base first.")
            self.made = self._new_model()
        return self.made

    def _set_model(self, model):
        self.made = model

    def _begun(self):
        """Are the parameters fixed?"""
        return self.made is not None or self.template

    def _template(self):
        """A learner with the same parameters, without a model until somebody asks for it."""
        cdef LearnerBase other = type(self).__new__(type(self))
        for name, value in vars(self).items():
            object.__setattr__(other, name, value)
        other.template = True
        return other


class Learner(SuggestsParameters, Elsewhere, LearnerBase):
    """What all learners share. Subclasses check their parameters, then call `_begin`."""

    merge_kind = None  # "exact", "mixing", or None: cannot be merged
    _of_model = ("hash_bits", "hash_seed", "max_labels")  # parameters that are not the state's

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if not cls.__module__.startswith("onstream."):
            refuse_half_verbs(cls)

    def _begin(self, init=None, reset_schedule=False):
        """Start from nothing, or from what `init` (a model or an exported state) has learned."""
        flag(self, "reset_schedule", reset_schedule)
        self._set_model(self._new_model())
        if init is not None:
            try:
                self._restore(exported(self, init))
            except ValueError as error:
                name = type(self).__name__
                told = str(error).removeprefix(f"{name}: ")
                raise ValueError(f"{name}: init cannot be started from: {told}") from None
            if reset_schedule:
                self._model.reset_schedule()

    def _new_state(self):
        """A state with this learner's parameters that has learned nothing."""
        raise TypeError(f"{type(self).__name__} is not a learner by itself.")

    def _named_state(self):
        """The same, which knows whose it is."""
        state = self._new_state()
        state.who = type(self).__name__
        return state

    def _new_model(self):
        """A model with this learner's parameters that has learned nothing."""
        return self._model_behind(type(self).__name__, ())

    def _model_behind(self, who, steps):
        """The same in a pipeline of this name, behind these states of its steps."""
        own = {name: getattr(self, name) for name in self._of_model if name in parameters(type(self))}
        return self._model_class(who, self._named_state(), steps=steps, **own)

    def _revived(self, fields):
        """A model with this learner's parameters that has learned what was exported."""
        model, checked = self._new_model(), StateReader(fields)
        model.restore(checked)
        checked.done()
        return model

    def _restore(self, fields):
        """Become what was exported; if that fails, stay as before."""
        revived = self._revived(fields)
        with self._model.learning():
            self._model.become(revived)

    def __setattr__(self, name, value):
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
    def params(self):
        """The parameters, by name."""
        return {name: handed_out(kept_as(self, name)) for name in parameters(type(self))}

    @property
    def seen(self):
        """How many examples were learned (those of weight 0 do not count)."""
        return self._model.readable_state().seen

    @property
    def memory_bytes(self):
        """Bytes held by what was learned, C buffers included."""
        model = self._model
        with model.reading():
            return model.memory() + PER_PARAMETER * len(parameters(type(self)))

    def clone(self, **changes):
        """A learner with the same parameters, but for `changes`, that has learned nothing."""
        return type(self)(**{**self.params, **changes})

    def merge(self, other):
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
        for name in parameters(type(self)):
            if name not in ("labels", "max_labels", "seed") and ours[name] != theirs[name]:
                raise NotMergeable(
                    f"{type(self).__name__}: {name} is {ours[name]!r} here and "
                    f"{theirs[name]!r} there; only learners with equal parameters can be merged."
                )
        if other is self:
            raise NotMergeable(f"{type(self).__name__}: a learner cannot be merged with itself.")
        self._absorb(other)

    def _absorb(self, other):
        """Become what both have learned. Nobody learns meanwhile."""
        theirs, model = other._model.snapshot(), self._model
        with model.learning():
            model.become(self._revived(self._merged(model.snapshot(), theirs)))

    def _merged(self, mine, theirs):
        """The exported state that two exported states amount to."""
        raise NotMergeable(f"{type(self).__name__} cannot be merged.")

    @suggest_parameters
    def fit(self, X, y=None, w=None, *, epochs=1, shuffle=True, seed=0):
        """Go over a static block `(X, y)`, or a stream, `epochs` times, from the present state on.

        A block is shuffled anew in each epoch unless `shuffle` is False; `w` holds the importance
        of each row. A stream (any iterable of `(x, y)`) is read in its own order, in blocks if it
        offers `batches(n)`. Returns the learner itself.
        """
        whole(self, "epochs", epochs, least=1)
        flag(self, "shuffle", shuffle)
        if not isinstance(seed, np.random.Generator):
            whole(self, "seed", seed, least=0)
        if y is None:
            refuse_weights(self, w)
            refuse_endless(self, X)
            if epochs > 1 and iter(stream_of(self, X)) is X:
                raise TypeError(
                    f"{type(self).__name__}: an iterator can be read once only; for epochs={epochs} "
                    f"pass something that can be read again, such as a list."
                )
            for _ in range(epochs):
                if hasattr(X, "batches"):  # the stream offers blocks
                    before = 0
                    for block in X.blocks() if hasattr(X, "blocks") else X.batches(STREAM_BLOCK):
                        with rows_as(lambda row: before + row):
                            self.learn_many(*block)
                        before += len(block[1])
                    continue
                for row, pair in enumerate(stream_of(self, X)):
                    if not isinstance(pair, (tuple, list)) or not 2 <= len(pair) <= 3:
                        told = f"without y, fit takes a stream of (x, y) or (x, y, w), got {pair!r:.60}."
                        raise row_error(TypeError, type(self).__name__, row, told)
                    try:
                        self.learn_one(*pair)
                    except (TypeError, ValueError) as error:
                        if not str(error).startswith(f"{type(self).__name__}: "):  # the user's own
                            raise
                        raise in_row(error, type(self).__name__, row) from None
            return self
        X = block_of(self, X)
        rows = count_rows(self, "X", X)
        if rows != count_rows(self, "y", y):
            raise ValueError(
                f"{type(self).__name__}: X has {rows:,} rows, y has {count_rows(self, 'y', y):,}."
            )
        w = coerce_weights(type(self).__name__, w)
        check_weights(type(self).__name__, rows, w)
        generator = np.random.default_rng(seed)
        for _ in range(epochs):
            if not shuffle:
                self.learn_many(X, y, w)
                continue
            order = generator.permutation(rows)
            shuffled = take_rows(self, X, order), take_rows(self, y, order), None if w is None else w[order]
            with rows_as(lambda row: int(order[row])):
                self.learn_many(*shuffled)
        return self

    def __or__(self, other):
        raise TypeError(
            f"{type(self).__name__}: a learner ends a pipeline; its steps stand before it: "
            f"step | {type(self).__name__}()."
        )

    def __repr__(self):
        defaults = parameters(type(self))
        told = (f"{n}={v!r}" for n, v in self.params.items() if v is not defaults[n] and v != defaults[n])
        return f"{type(self).__name__}({', '.join(told)})"

    def _snapshot(self):
        """Everything that was learned, while nobody is learning."""
        return self._model.snapshot()

    def __reduce__(self):
        return revive, (type(self), self.params, self._snapshot()), noted(self)


@contextmanager
def rows_as(count):
    """Errors about a row of a block name it as the user counts it."""
    try:
        yield
    except (TypeError, ValueError, MemoryError) as error:
        if hasattr(error, "row"):
            row = count(error.row)
            error.args, error.row = (renumbered(error, row),), row
        raise


def refuse_half_verbs(cls):
    """A class of the user's that changes a verb for one example must change it for many, too."""
    for one, many in BOTH_VERBS.items():
        if one in vars(cls) and all(is_ours(cls, verb) for verb in many):
            raise TypeError(
                f"{cls.__name__}: {many[0]} would not call its {one}; override "
                f"{' and '.join(many)}, too."
            )


def is_ours(cls, verb):
    """Is this verb of a class the one of the library, and not the user's?"""
    makers = [base for base in cls.__mro__ if verb in vars(base)]
    return bool(makers) and makers[0].__module__.startswith("onstream.")


def noted(learner):
    """What the user has noted on a learner, as attributes that are no parameters; None: nothing."""
    known = parameters(type(learner))
    found = {k: v for k, v in vars(learner).items() if k not in known and not k.startswith("_")}
    return found or None


def kept_as(learner, name):
    """The attribute in which a learner keeps a parameter of its constructor."""
    try:
        return getattr(learner, name)
    except AttributeError:
        raise AttributeError(
            f"{type(learner).__name__}: its __init__ takes {name}, but does not keep it; "
            f"set self.{name} there."
        ) from None


def handed_out(value):
    """A parameter that nobody can change from outside: lists are copied."""
    return list(value) if isinstance(value, list) else value


class Labelled(Learner):
    """What learners with labels share, be it one for each example or a set."""

    @property
    def labels(self):
        """The labels known so far, in order of appearance."""
        return self._model.label_names()

    @property
    def params(self):
        """The parameters, by name."""
        own = {"labels": self._declared}
        names = parameters(type(self))
        return {name: handed_out(own[name] if name in own else kept_as(self, name)) for name in names}

    def _begin(self, labels, init, reset_schedule):
        super()._begin(init, reset_schedule)
        self._declared = None if labels is None else self._model.coerce_labels(labels)
        if labels is not None:
            known = set(map(repr, self.labels))
            self._model.declare([y for y in self._declared if repr(y) not in known])
            wanted = set(map(repr, self._declared))  # in the order in which they are known
            self._declared = [y for y in self.labels if repr(y) in wanted]


class Classifier(Labelled):
    """A learner of labels."""

    _model_class = ClassifierModel

    def learn_one(self, x, y, w=1.0):
        """Learn that the example `x` has the label `y`, with importance `w`."""
        model_of(self).learn_one(x, y, w)

    def predict_one(self, x):
        """The label of `x`; None before any example was learned. Changes nothing."""
        return (<ClassifierModel> model_of(self)).predict_one(x)

    def score_one(self, x):
        """Decision value of `x`: a float for two labels (positive speaks for the one coded +1),
        a dict label to float for more."""
        return (<ClassifierModel> model_of(self)).scores_one(x)

    @suggest_parameters
    def learn_many(self, X, y, w=None):
        """Learn row after row of `X`: the same, bit for bit, as a loop of `learn_one`."""
        self._model.learn_many(X, y, w)

    def predict_many(self, X):
        """The label of every row, in the labels' own dtype (object, with None, before any)."""
        return self._model.predict_many(X, LABEL)

    def score_many(self, X):
        """Decision values: shape (n,) up to two labels, (n, k) in the order of `labels` beyond."""
        return self._model.predict_many(X, SCORE)

    @suggest_parameters
    def predict_learn_many(self, X, y, w=None, output="label"):
        """Test, then train: what was predicted for each row before it was learned.

        `output` is "label", "score" or, where the learner has probabilities, "proba". Columns are
        in the order of `labels` after the last row; where a label was not known yet, the
        probability is 0 and the score NaN.
        """
        wanted = OUTPUTS.get(output) if isinstance(output, str) else None
        if wanted is None:
            raise ValueError(
                f"{type(self).__name__}: output must be 'label', 'proba' or 'score', got {output!r}."
            )
        if wanted == PROBA and not hasattr(self, "predict_proba_one"):
            raise ValueError(
                f"{type(self).__name__}: output='proba' needs probabilities, which this learner "
                f"does not have; use 'score'."
            )
        return self._model.learn_many(X, y, w, wanted)


class ProbabilisticClassifier(Classifier):
    """A classifier that knows how sure it is."""

    def predict_proba_one(self, x):
        """Probability of each label, as a dict; {} before any label is known."""
        return (<ClassifierModel> model_of(self)).proba_one(x)

    def predict_proba_many(self, X):
        """Probabilities of every row, shape (n, k), in the order of `labels`."""
        return self._model.predict_many(X, PROBA)


class Regressor(Learner):
    """A learner of numbers."""

    _model_class = RegressorModel

    def learn_one(self, x, y, w=1.0):
        """Learn that the example `x` has the target `y`, with importance `w`."""
        model_of(self).learn_one(x, y, w)

    def predict_one(self, x):
        """The prediction for `x`; 0.0 before any example was learned. Changes nothing."""
        return model_of(self).score_one(x)

    def score_one(self, x):
        """The same as `predict_one`."""
        return model_of(self).score_one(x)

    @suggest_parameters
    def learn_many(self, X, y, w=None):
        """Learn row after row of `X`: the same, bit for bit, as a loop of `learn_one`."""
        self._model.learn_many(X, y, w)

    def predict_many(self, X):
        """The prediction for every row."""
        return self._model.predict_many(X, SCORE)

    def score_many(self, X):
        """The same as `predict_many`."""
        return self._model.predict_many(X, SCORE)

    @suggest_parameters
    def predict_learn_many(self, X, y, w=None, output="label"):
        """Test, then train: what was predicted for each row before it was learned."""
        if output not in ("label", "score"):
            raise ValueError(
                f"{type(self).__name__}: output must be 'label' or 'score', got {output!r}."
            )
        return self._model.learn_many(X, y, w, SCORE)


_parameters = {}


def parameters(cls):
    """Name and default of every parameter of a learner's class."""
    found = _parameters.get(cls)
    if found is None:
        found = {}
        for base in cls.__mro__:
            if "__init__" not in vars(base):
                continue
            taken = inspect.signature(base.__init__).parameters.values()
            for p in taken:
                if p.name not in NOT_PARAMETERS and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
                    found.setdefault(p.name, p.default)
            if not any(p.kind is p.VAR_KEYWORD for p in taken):
                break  # else the others go to the class above
        _parameters[cls] = found
    return found


def exported(owner, init):
    """The state to start from."""
    if isinstance(init, Learner):
        if type(init) is not type(owner):
            raise TypeError(
                f"{type(owner).__name__}: init must be another {type(owner).__name__}, "
                f"got a {type(init).__name__}."
            )
        for name in ("intercept", "hash_bits", "hash_seed"):
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


def revive(cls, params, fields):
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


def stream_of(owner, X):
    """X, if it can be a stream of (x, y)."""
    if isinstance(X, (str, bytes, dict)) or hasattr(X, "shape") or not hasattr(X, "__iter__"):
        raise TypeError(
            f"{type(owner).__name__}: without y, fit takes a stream of (x, y), "
            f"got {type(X).__name__}."
        )
    return pairs_of(owner, X) if isinstance(X, (list, tuple)) else X


def refuse_weights(owner, w):
    """Nobody can say beforehand which rows a stream has."""
    if w is not None:
        raise TypeError(
            f"{type(owner).__name__}: w is for a block, fit(X, y, w=w); without y, X is a stream "
            f"of (x, y), read row after row."
        )


def pairs_of(owner, rows):
    """A list whose items all are (x, y)."""
    for i, pair in enumerate(rows):
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(
                f"{type(owner).__name__}: without y, fit takes a stream of (x, y); "
                f"item {i} is {pair!r:.60}."
            )
    return rows


def count_rows(owner, name, X):
    """How many rows X has."""
    if hasattr(X, "shape") and len(X.shape):
        return int(X.shape[0])
    if hasattr(X, "__len__") and not isinstance(X, (str, bytes, dict)) and not hasattr(X, "shape"):
        return len(X)
    raise TypeError(
        f"{type(owner).__name__}: {name} must be a block of rows, got {type(X).__name__}; "
        f"a stream of (x, y) goes into fit alone."
    )


def refuse_endless(owner, X):
    """A stream without end cannot be gone over."""
    if getattr(X, "endless", False):
        raise ValueError(
            f"{type(owner).__name__}: {type(X).__name__} is a stream without end; fit a part of it, "
            f"such as {type(X).__name__}(...).limit(10_000)."
        )


def block_of(owner, X):
    """X, if it is a frame, as an Arrow table, which can be shuffled and still knows its index."""
    if hasattr(X, "__arrow_c_stream__") and hasattr(X, "columns"):
        return read_table(type(owner).__name__, X)[0]
    return X


def take_rows(owner, X, order):
    """The rows of X in another order."""
    if isinstance(X, (list, tuple)):
        return [X[i] for i in order]
    if hasattr(X, "__arrow_c_stream__"):
        import pyarrow as pa

        taken = X if isinstance(X, (pa.Table, pa.ChunkedArray)) else None
        if taken is None:
            taken = np.asarray(X) if not hasattr(X, "columns") else arrow_table(X)
        return movable(taken).take(order)
    if hasattr(X, "tocsr"):
        return X.tocsr()[order]
    if hasattr(X, "indptr"):
        return shuffled_csr(type(owner).__name__, X, order)
    if isinstance(X, SparseBlock):
        return X.take(order)
    return np.asanyarray(X)[order]  # a mask stays, and is seen where rows are learned
