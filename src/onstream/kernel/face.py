"""Parameters and views that all kernel learners have."""

from itertools import pairwise
from typing import Any

import numpy as np

from ..base.checks import whole
from ..base.classifier import Classifier
from ..base.errors import NotMergeable
from ..base.learner import Learner
from ..base.regressor import Regressor
from ._objects import ObjectClassifierModel, ObjectRegressorModel
from ._supports import Program
from .kernels.base import Kernel
from .kernels.vectors import RBF


class KernelLearner(Learner):
    """A learner that remembers some of its examples and compares new ones with them."""

    merge_kind = None  # the supports of both together would be too many, or not the same at all
    kernel: Kernel | None
    budget: int | None

    def _check_kernel(self, kernel: Kernel | None) -> None:
        if kernel is not None and not isinstance(kernel, Kernel):
            raise TypeError(
                f"{type(self).__name__}: kernel must be a kernel such as RBF(gamma=0.5), "
                f"got {kernel!r:.80}."
            )
        self.kernel = kernel
        self._kernel = RBF(gamma=0.1) if kernel is None else kernel

    def _check_budget(self, budget: Any, required: bool = True) -> None:
        if budget is None and not required:
            self.budget = None
        else:
            self.budget = whole(self, "budget", budget, least=1, most=2**31 - 1)

    def _program(self) -> Program:
        return Program(self._kernel, type(self).__name__)

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
    def supports(self) -> list[tuple[Any, Any]]:
        """The examples that are remembered, each with its coefficient.

        With more than two labels the coefficient is a dict label to coefficient.
        """
        model = self._model
        with model.reading():
            return self._supports(model.export_names(), model.state.coefficients())

    def _supports(self, fields: dict[str, Any], rows: list[Any]) -> list[tuple[Any, Any]]:
        if len(rows) == 1:
            store, coefficients = rows[0]
            return list(zip(examples(store, fields), coefficients.tolist(), strict=True))
        labels = fields["labels"]
        if all(store is rows[0][0] for store, _ in rows):
            table = np.array([coefficients for _, coefficients in rows]).T.tolist()
            told = [dict(zip(labels, row, strict=True)) for row in table]
            return list(zip(examples(rows[0][0], fields), told, strict=True))
        found: list[tuple[Any, Any]] = []
        for label, (store, coefficients) in zip(labels, rows, strict=True):
            own = zip(examples(store, fields), coefficients.tolist(), strict=True)
            found += [(x, {label: a}) for x, a in own]
        return found


class KernelClassifier(KernelLearner, Classifier):
    """A kernel learner of labels."""

    _model_class: Any = ObjectClassifierModel
    max_labels: int

    def _check_common(self, kernel: Kernel | None, max_labels: int) -> None:
        self._check_kernel(kernel)
        self.max_labels = whole(self, "max_labels", max_labels, least=2, most=2**31 - 1)


class KernelRegressor(KernelLearner, Regressor):
    """A kernel learner of numbers."""

    _model_class = ObjectRegressorModel


def examples(store: Any, fields: dict[str, Any]) -> list[Any]:
    """The supports as the user may have passed them.

    Arrays if all were arrays, else mappings without zeros; mappings also where they are held
    sparsely, since their arrays would be long. Structured ones in canonical form.
    """
    objects = store.forms()
    if objects is not None:
        return list(objects)
    starts, columns, values = store.rows_of_values()
    found = [(columns[a:b], values[a:b]) for a, b in pairwise(starts.tolist())]
    if not fields["features"] and fields["columns"] >= 0 and not store.by_feature():
        wide = np.zeros((len(found), max(fields["columns"], store.width())))
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
