"""The flavour of MLflow, over a store of local files."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from onstream import GaussianNB, LinearRegression, LogisticRegression, PAClassifier, StandardScaler

pytestmark = pytest.mark.filterwarnings("ignore")  # MLflow warns when it is imported

FRAME = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 3)), columns=["a", "b", "c"])
Y = np.where(FRAME["a"] > 0, "spam", "ham")


@pytest.fixture(scope="module")
def mlflow() -> Any:
    os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
    try:
        import mlflow
        import mlflow.pyfunc
    except ImportError:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip('mlflow is not installed: pip install "onstream[mlflow]"')
    return mlflow


@pytest.fixture
def store(mlflow: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """MLflow with a store of files in a folder of this test."""
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.chdir(tmp_path)
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    yield mlflow
    mlflow.set_tracking_uri(before)


@pytest.fixture
def flavour(mlflow: Any) -> Any:
    import onstream.compat.mlflow as flavour

    return flavour


def trained() -> Any:
    model = StandardScaler() | LogisticRegression()
    model.learn_many(FRAME, Y)
    return model


def test_a_saved_model_comes_back_and_goes_on(flavour: Any, tmp_path: Path) -> None:
    model = trained()
    flavour.save_model(model, tmp_path / "m", metadata={"for": "test"})
    again = flavour.load_model(tmp_path / "m")
    assert (again.predict_proba_many(FRAME) == model.predict_proba_many(FRAME)).all()
    for one in (model, again):
        one.learn_one({"a": 1.0, "b": 0.0, "new": 3.0}, "spam")
    assert (again.predict_proba_many(FRAME) == model.predict_proba_many(FRAME)).all()
    files = {file.name for file in (tmp_path / "m").iterdir()}
    wanted = {"MLmodel", "model.onstream", "conda.yaml", "python_env.yaml", "requirements.txt"}
    assert wanted <= files
    assert not [name for name in files if name.endswith((".pkl", ".pickle"))]
    requirements = (tmp_path / "m" / "requirements.txt").read_text()
    assert "onstream==" in requirements


def test_pyfunc_scores_frames(mlflow: Any, flavour: Any, tmp_path: Path) -> None:
    model = trained()
    flavour.save_model(model, tmp_path / "m")
    scorer = mlflow.pyfunc.load_model(str(tmp_path / "m"))
    assert (scorer.predict(FRAME) == model.predict_many(FRAME)).all()
    assert (scorer.predict(FRAME[["c", "a", "b"]]) == model.predict_many(FRAME)).all()
    assert scorer.get_raw_model().seen == 200


def test_pyfunc_gives_probabilities_and_scores(mlflow: Any, flavour: Any, tmp_path: Path) -> None:
    model = trained()
    params = {"output": "label"}
    signature = mlflow.models.infer_signature(FRAME, Y, params)
    flavour.save_model(model, tmp_path / "m", signature=signature, input_example=FRAME[:2])
    scorer = mlflow.pyfunc.load_model(str(tmp_path / "m"))
    likely = scorer.predict(FRAME, params={"output": "proba"})
    assert list(likely.columns) == model.labels
    assert (likely.to_numpy() == model.predict_proba_many(FRAME)).all()
    scores = scorer.predict(FRAME, params={"output": "score"})
    assert (scores == model.score_many(FRAME)).all()
    with pytest.raises(ValueError, match="'label', 'proba' or 'score', got 'x'"):
        flavour.Scorer(model).predict(FRAME, {"output": "x"})
    with pytest.raises(ValueError, match="PAClassifier has no predict_proba_many"):
        flavour.Scorer(PAClassifier()).predict(FRAME, {"output": "proba"})


@pytest.mark.parametrize("made", [LinearRegression(), GaussianNB()])
def test_a_logged_model_is_found_by_its_address(store: Any, flavour: Any, made: Any) -> None:
    made = made.clone()
    made.learn_many(FRAME, FRAME["a"] if isinstance(made, LinearRegression) else Y)
    with store.start_run():
        told = flavour.log_model(made, "mail")
    assert flavour.load_model(told.model_uri).seen == 200
    scorer = store.pyfunc.load_model(told.model_uri)
    assert (scorer.predict(FRAME) == made.predict_many(FRAME)).all()
    assert told.flavors["onstream"]["learner"] == type(made).__name__


def test_a_model_can_be_registered(store: Any, flavour: Any) -> None:
    with store.start_run():
        flavour.log_model(trained(), "mail", registered_model_name="spam")
    assert flavour.load_model("models:/spam/1").seen == 200


def test_one_example_is_a_row(flavour: Any) -> None:
    model = trained()
    x = {"a": 2.0, "b": 0.0, "c": 0.0}
    assert flavour.Scorer(model).predict(x).tolist() == [model.predict_one(x)]


def test_what_cannot_be_is_refused(flavour: Any, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="not a learner"):
        flavour.save_model("model", tmp_path / "m")
    flavour.save_model(trained(), tmp_path / "m")
    with pytest.raises(FileExistsError, match="name another"):
        flavour.save_model(trained(), tmp_path / "m")
