"""Trained learners, and their answers in onnxruntime beside ours."""

from typing import Any

import numpy as np

from onstream.compat import to_onnx

NAMES = np.array(["ant", "bee", "cat", "dog"], dtype=object)


def numbers(n: int, seed: int) -> Any:
    """Rows of six numbers; the last two are small whole ones."""
    X = np.random.default_rng(seed).normal(size=(n, 6)) * 1.5
    X[:, 4:] = np.clip(np.round(X[:, 4:]), -2, 2)
    return X


def targets(X: Any) -> Any:
    return 2.0 * X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * X[:, 4]


def labels(X: Any, k: int) -> Any:
    """Numbers of labels, 0 … k - 1."""
    return np.digitize(targets(X), np.linspace(-2.0, 2.0, k + 1)[1:-1])


def rows(n: int, seed: int, *, gaps: bool = False, unseen: bool = False) -> list[dict[str, Any]]:
    """Rows with a column of text, numbers that are few, and maybe gaps and new texts."""
    rng = np.random.default_rng(seed)
    colours = ["red", "green", "blue", *(["pink"] if unseen else [])]
    found = []
    for _ in range(n):
        x = {
            "a": float(rng.normal()),
            "month": float(rng.integers(0, 5 if unseen else 4)),
            "colour": str(rng.choice(colours)),
            "z": float(rng.normal() * 10 + 3),
        }
        found.append({f: v for f, v in x.items() if not (gaps and rng.random() < 0.1)})
    return found


def answers(model: Any, X: Any, **options: Any) -> dict[str, Any]:
    """What onnxruntime says, by output."""
    import onnxruntime

    session = onnxruntime.InferenceSession(to_onnx(model, **options).SerializeToString())
    single = options.get("dtype") == "float32"
    feed: dict[str, Any] = {}
    for wanted in session.get_inputs():
        if isinstance(X, np.ndarray):
            feed[wanted.name] = X.astype(np.float32 if single else np.float64)
        elif wanted.type == "tensor(string)":
            feed[wanted.name] = np.array([[x.get(wanted.name, "")] for x in X], dtype=object)
        else:
            column = [[x.get(wanted.name, np.nan)] for x in X]
            feed[wanted.name] = np.array(column, dtype=np.float32 if single else np.float64)
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, feed), strict=True))


def compare(model: Any, X: Any, **options: Any) -> None:
    """Assert that labels are equal, and numbers within 1e-5."""
    found = answers(model, X, **options)
    ours = model.predict_many(X)
    if "prediction" in found:
        np.testing.assert_allclose(found["prediction"], ours, rtol=1e-5, atol=1e-5)
        return
    assert found["label"].tolist() == ours.tolist()
    if "probabilities" in found:
        likely = model.predict_proba_many(X)
        np.testing.assert_allclose(found["probabilities"], likely, rtol=0, atol=1e-5)
    else:
        assert not hasattr(model, "predict_proba_many")
        scores = model.score_many(X)
        atol = 1e-5 * max(1.0, np.abs(scores).max())
        np.testing.assert_allclose(found["scores"], scores, rtol=1e-5, atol=atol)
