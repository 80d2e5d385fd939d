"""MLflow: a flavour for learners, which are saved as `onstream.save` does, without pickle.

`save_model`, `log_model` and `load_model` are those of any flavour; `mlflow.pyfunc.load_model`
loads the same model for scoring, over data frames.
"""

import sys
from pathlib import Path
from typing import Any

from .. import __version__
from ..base import Classifier, Learner
from ..persist import load, save
from .extras import needed

needed("mlflow", "mlflow", "onstream.compat.mlflow")

import yaml  # noqa: E402
from mlflow import pyfunc  # noqa: E402
from mlflow.models import Model  # noqa: E402
from mlflow.models.utils import _save_example  # noqa: E402
from mlflow.tracking.artifact_utils import _download_artifact_from_uri  # noqa: E402
from mlflow.utils.environment import (  # noqa: E402
    _CONDA_ENV_FILE_NAME,
    _PYTHON_ENV_FILE_NAME,
    _REQUIREMENTS_FILE_NAME,
    _mlflow_conda_env,
    _process_conda_env,
    _process_pip_requirements,
    _PythonEnv,
)
from mlflow.utils.model_utils import (  # noqa: E402
    _add_code_from_conf_to_system_path,
    _get_flavor_configuration,
    _validate_and_copy_code_paths,
)

__all__ = [
    "FLAVOR_NAME",
    "get_default_conda_env",
    "get_default_pip_requirements",
    "load_model",
    "log_model",
    "save_model",
]

FLAVOR_NAME = "onstream"
FILE = "model.onstream"


def get_default_pip_requirements() -> list[str]:
    """What a scoring environment needs."""
    return [f"onstream=={__version__}", "pandas"]


def get_default_conda_env() -> Any:
    """The same as an environment of conda."""
    return _mlflow_conda_env(additional_pip_deps=get_default_pip_requirements())


def save_model(
    model: Learner,
    path: str | Path,
    *,
    conda_env: Any = None,
    code_paths: list[str] | None = None,
    mlflow_model: Any = None,
    signature: Any = None,
    input_example: Any = None,
    pip_requirements: Any = None,
    extra_pip_requirements: Any = None,
    metadata: dict[str, Any] | None = None,
) -> None:
    """Save a learner as a model of MLflow, in a new folder.

    `mlflow_model`, `signature` and the others are those of every flavour of MLflow.
    """
    if not isinstance(model, Learner):
        raise TypeError(
            f"save_model: {type(model).__name__} is not a learner of onstream; give it an object "
            f"such as PAClassifier()."
        )
    folder = Path(path)
    if folder.exists() and any(folder.iterdir()):
        raise FileExistsError(
            f"save_model: the folder {str(folder)!r} is there already; name another one."
        )
    folder.mkdir(parents=True, exist_ok=True)
    code = _validate_and_copy_code_paths(code_paths, str(folder))
    save(model, folder / FILE)
    made = Model() if mlflow_model is None else mlflow_model
    if signature is not None:
        made.signature = signature
    if input_example is not None:
        _save_example(made, input_example, str(folder))
    if metadata is not None:
        made.metadata = metadata
    pyfunc.add_to_model(
        made,
        loader_module=__name__,
        data=FILE,
        conda_env=_CONDA_ENV_FILE_NAME,
        python_env=_PYTHON_ENV_FILE_NAME,
        code=code,
    )
    made.add_flavor(
        FLAVOR_NAME,
        onstream_version=__version__,
        learner=type(model).__name__,
        data=FILE,
        code=code,
    )
    made.model_size_bytes = (folder / FILE).stat().st_size
    made.save(str(folder / "MLmodel"))
    write_environment(folder, conda_env, pip_requirements, extra_pip_requirements)


def write_environment(folder: Path, conda_env: Any, requirements: Any, extra: Any) -> None:
    """The files that say what a scoring environment needs."""
    if conda_env is None:
        default = get_default_pip_requirements() if requirements is None else None
        conda_env, requirements, constraints = _process_pip_requirements(
            default, requirements, extra
        )
    else:
        conda_env, requirements, constraints = _process_conda_env(conda_env)
    (folder / _CONDA_ENV_FILE_NAME).write_text(
        yaml.safe_dump(conda_env, default_flow_style=False), encoding="utf-8"
    )
    if constraints:
        (folder / "constraints.txt").write_text("\n".join(constraints), encoding="utf-8")
    (folder / _REQUIREMENTS_FILE_NAME).write_text("\n".join(requirements), encoding="utf-8")
    _PythonEnv.current().to_yaml(str(folder / _PYTHON_ENV_FILE_NAME))


def log_model(
    model: Learner,
    name: str = "model",
    *,
    registered_model_name: str | None = None,
    await_registration_for: int = 300,
    **more: Any,
) -> Any:
    """Log a learner as an artifact of the current run; what MLflow knows of it (`ModelInfo`).

    `more` are the parameters of `save_model`; `registered_model_name` also registers it.
    """
    return Model.log(
        artifact_path=None,
        name=name,
        flavor=sys.modules[__name__],
        model=model,
        registered_model_name=registered_model_name,
        await_registration_for=await_registration_for,
        **more,
    )


def load_model(model_uri: str | Path, dst_path: str | None = None) -> Any:
    """The learner behind an address of MLflow or in a folder, which can go on learning."""
    folder = _download_artifact_from_uri(artifact_uri=str(model_uri), output_path=dst_path)
    flavour = _get_flavor_configuration(model_path=folder, flavor_name=FLAVOR_NAME)
    _add_code_from_conf_to_system_path(folder, flavour)
    return load(Path(folder) / flavour["data"])


def _load_pyfunc(path: str) -> "Scorer":
    """What `mlflow.pyfunc.load_model` calls."""
    return Scorer(load(path))


class Scorer:
    """A learner as MLflow scores with it."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def get_raw_model(self) -> Any:
        """The learner."""
        return self.model

    def predict(self, data: Any, params: dict[str, Any] | None = None) -> Any:
        """Answers for the rows of a data frame (or anything that `predict_many` takes).

        `params={"output": "proba"}` gives probabilities as a data frame with a column for each
        label, `"score"` scores; `"label"`, the default, labels or numbers.
        """
        output = (params or {}).get("output", "label")
        verbs = {"label": "predict_many", "proba": "predict_proba_many", "score": "score_many"}
        if output not in verbs:
            raise ValueError(
                f"{type(self.model).__name__}: output must be 'label', 'proba' or 'score', got "
                f"{output!r:.40}."
            )
        verb = getattr(self.model, verbs[output], None)
        if verb is None:
            raise ValueError(
                f"{type(self.model).__name__} has no {verbs[output]}; ask for output='label'."
            )
        rows = [data] if isinstance(data, dict) and not is_columns(data) else data
        found = verb(rows)
        if output != "label" and found.ndim == 2 and isinstance(self.model, Classifier):
            import pandas as pd

            return pd.DataFrame(found, columns=[str(label) for label in self.model.labels])
        return found


def is_columns(data: dict[Any, Any]) -> bool:
    """Say whether a dict holds columns, not one example."""
    return any(hasattr(value, "__len__") and not isinstance(value, str) for value in data.values())
