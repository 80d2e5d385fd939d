"""What kernel learners share: the kernel, and a view of their supports."""

from itertools import pairwise
from typing import Any, Literal, TypedDict, Unpack

import numpy as np

from ..base.checks import whole
from ..base.classifier import Classifier, LabelledOptions
from ..base.errors import NotMergeable
from ..base.learner import Learner, LearnerOptions
from ..base.regressor import Regressor
from ._objects import ObjectClassifierModel, ObjectRegressorModel
from ._supports import CompiledKernel
from .kernels.base import Kernel
from .kernels.vectors import RBF


class KernelOptions(TypedDict, total=False):
    """Parameters of every kernel learner."""

    kernel: Kernel | Literal["auto"] | None


class KernelClassifierOptions(KernelOptions, LabelledOptions, total=False):
    """Parameters of every kernel classifier."""


class KernelRegressorOptions(KernelOptions, LearnerOptions, total=False):
    """Parameters of every kernel regressor."""


class KernelLearner(Learner):
    """A learner that remembers some of its examples and compares new ones with them.

    Parameters
    ----------
    kernel : kernel, "auto" or None, default "auto"
        The similarity of examples. "auto": RBF(gamma="median"), whose gamma is found from the
        first examples; put a scaler in front where columns differ in size. None:
        RBF(gamma=0.1), for about ten features of size one.
    """

    merge_kind = None  # the supports of both together would be too many, or not the same at all
    _object_model: Any  # the class of models whose examples have no features

    def __init__(self, *, kernel: Kernel | Literal["auto"] | None = "auto", **common: Any) -> None:
        if kernel is not None and kernel != "auto" and not isinstance(kernel, Kernel):
            raise TypeError(
                f"{type(self).__name__}: kernel must be a kernel such as RBF(gamma=0.5), "
                f"got {kernel!r:.80}."
            )
        self.kernel = kernel
        if (
            isinstance(kernel, Kernel) and kernel.steps() is None
        ):  # of strings, trees, graphs or pairs
            self._model_class = self._object_model
        super().__init__(**common)

    def _compiled(self) -> CompiledKernel:
        """The kernel as states use it."""
        kernel = RBF(gamma=0.1) if self.kernel is None else self.kernel
        if kernel == "auto":
            kernel = RBF(gamma="median")
        return CompiledKernel(kernel, type(self).__name__)

    def merge(self, other: Any) -> None:
        """Refused: two sets of supports do not amount to one that was learned in sequence."""
        if type(other) is not type(self):
            raise NotMergeable(
                f"{type(self).__name__} cannot be merged with {type(other).__name__}."
            )
        raise NotMergeable(
            f"{type(self).__name__}: cannot be merged: which examples are supports depends on all "
            f"that were seen before them."
        )

    @property
    def median_gamma(self) -> float | None:
        """What gamma="median" is by now; None: not known yet, or not asked for."""
        compiled = self._model.readable_state().compiled
        return None if compiled is None else compiled.gamma

    @property
    def supports(self) -> list[tuple[Any, Any]]:
        """The examples that are remembered, each with its coefficient.

        With more than two labels the coefficient is a dict label to coefficient.
        """
        model = self._model
        with model.reading():
            rows = [row for f in model.state.expansions for row in f.coefficients()]
            return named_supports(model.export_names(), rows)


class KernelClassifier(KernelLearner, Classifier):
    """A kernel learner of labels."""

    _object_model = ObjectClassifierModel

    def __init__(self, **common: Unpack[KernelClassifierOptions]) -> None:
        super().__init__(**common)


class KernelRegressor(KernelLearner, Regressor):
    """A kernel learner of numbers."""

    _object_model = ObjectRegressorModel

    def __init__(self, **common: Unpack[KernelRegressorOptions]) -> None:
        super().__init__(**common)


def checked_budget(owner: KernelLearner, budget: Any) -> int:
    """A budget: a number of supports."""
    return whole(owner, "budget", budget, least=1, most=2**31 - 1)


def checked_seed(owner: KernelLearner, seed: Any) -> int:
    """A seed of 64 bits."""
    return whole(owner, "seed", seed, least=0, most=2**64 - 1)


def named_supports(fields: dict[str, Any], rows: list[Any]) -> list[tuple[Any, Any]]:
    """Examples with their coefficients; `rows` holds (supports, coefficients) of each label."""
    if len(rows) == 1:
        store, coefficients = rows[0]
        return list(zip(examples(store, fields), coefficients.tolist(), strict=True))
    labels = fields["labels"]
    if all(store is rows[0][0] for store, _ in rows):  # one set, a coefficient for each label
        table = np.array([coefficients for _, coefficients in rows]).T.tolist()
        by_label = [dict(zip(labels, row, strict=True)) for row in table]
        return list(zip(examples(rows[0][0], fields), by_label, strict=True))
    found: list[tuple[Any, Any]] = []
    for label, (store, coefficients) in zip(labels, rows, strict=True):
        own = zip(examples(store, fields), coefficients.tolist(), strict=True)
        found += [(x, {label: a}) for x, a in own]
    return found


def examples(store: Any, fields: dict[str, Any]) -> list[Any]:
    """The supports as the user may have passed them.

    Arrays if all were arrays, otherwise mappings without zeros; mappings also where they are held
    sparsely, since their arrays would be long. Structured ones in canonical form.
    """
    objects = store.forms()
    if objects is not None:
        return list(objects)
    starts, columns, values = store.rows_of_values()
    found = [(columns[a:b], values[a:b]) for a, b in pairwise(starts.tolist())]
    if not fields["features"] and fields["columns"] >= 0 and not store.is_sparse:
        wide = np.zeros((len(found), max(fields["columns"], store.used)))
        for row, (ids, numbers) in zip(wide, found, strict=True):
            row[ids] = numbers
        return list(wide)
    implicit, names = fields["implicit"], fields["features"]
    return [
        {
            j if j < implicit else names[j - implicit]: v
            for j, v in sorted(zip(ids.tolist(), numbers.tolist(), strict=True))
        }
        for ids, numbers in found
    ]
