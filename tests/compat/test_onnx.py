"""Models of ONNX answer as the learners that they were made of."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from onstream import save
from onstream.base import Classifier, DataWarning, Regressor, learners
from onstream.bayes import (
    BernoulliNB,
    CategoricalNB,
    GaussianNB,
    MultinomialNB,
)
from onstream.compat import to_onnx
from onstream.ensemble import (
    AdaptiveRandomForestClassifier,
    AdaptiveRandomForestRegressor,
    DriftRetraining,
    LeveragingBagging,
    OnlineBagging,
    StreamingGradientBoostingClassifier,
    StreamingGradientBoostingRegressor,
    StreamingRandomPatchesClassifier,
)
from onstream.features import BagOfWords, Imputer, MinMaxScaler, Select, StandardScaler
from onstream.kernel import KernelPerceptron
from onstream.linear import (
    LinearRegression,
    LogisticRegression,
    PAClassifier,
    PAMultilabel,
    PARegressor,
    SGDClassifier,
    SGDRegressor,
)
from onstream.neighbors import KNNClassifier
from onstream.tree import (
    CVFDT,
    ExtremelyFastDecisionTree,
    HoeffdingAdaptiveTreeClassifier,
    HoeffdingTreeClassifier,
    HoeffdingTreeRegressor,
)
from onstream.tree.base import Tree

from ..cli.calling import call
from .onnx_models import NAMES, answers, compare, labels, numbers, rows, targets

pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

from onstream.compat.onnx import ensembles  # noqa: E402
from onstream.compat.onnx.answers import check  # noqa: E402


def is_exported(kind: Any) -> bool:
    try:
        check(kind.__name__, kind())
    except (TypeError, ValueError):
        return False
    return issubclass(kind, (Classifier, Regressor))


EXPORTED = {name: kind for name, kind in learners().items() if is_exported(kind)}
COUNTS = (BernoulliNB, MultinomialNB)


def trained(kind: Any, k: int, n: int = 1500, **parameters: Any) -> Any:
    if issubclass(kind, Tree):
        parameters = {"grace_period": 40, "tau": 0.2, **parameters}
    model = kind(**parameters)
    X = inputs(kind, numbers(n, 1))
    y = targets(numbers(n, 1)) if isinstance(model, Regressor) else NAMES[labels(numbers(n, 1), k)]
    model.learn_many(X, y)
    return model


def inputs(kind: Any, X: Any) -> Any:
    if issubclass(kind, COUNTS):
        return np.abs(X)
    return np.round(X) if kind is CategoricalNB else X


@pytest.mark.parametrize("rows", [1000, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", EXPORTED)
def test_every_learner_answers_the_same(name: str, rows: int) -> None:
    kind = EXPORTED[name]
    many = (0,) if issubclass(kind, Regressor) else (2, 4)
    for k in many:
        model = trained(kind, k, 3000 if rows > 1000 else 1000)
        compare(model, inputs(kind, numbers(rows, 2)))


BEFORE = [None, StandardScaler(), MinMaxScaler(), Imputer(), Select(0, 1, 2, 4)]


@pytest.mark.filterwarnings("ignore")  # of data: of counts below 0, say
@pytest.mark.parametrize("before", BEFORE, ids=repr)
@pytest.mark.parametrize("name", EXPORTED)
def test_rows_far_outside_of_what_was_learned(name: str, before: Any) -> None:
    kind = EXPORTED[name]
    model = kind() if before is None else before.clone() | kind()
    X = inputs(kind, numbers(400, 1))
    regresses = isinstance(model, Regressor)
    model.learn_many(X, targets(X) if regresses else NAMES[labels(numbers(400, 1), 3)])
    asked = numbers(60, 2) * np.repeat([1.0, 20.0, 400.0], 20)[:, np.newaxis]
    compare(model, inputs(kind, asked))


@pytest.mark.parametrize("kind", [PARegressor, LinearRegression, SGDRegressor])
def test_members_behind_scalers_keep_the_range_of_targets(kind: Any) -> None:
    X = np.arange(20.0).reshape(-1, 1) % 5
    for step in (StandardScaler(), MinMaxScaler(), StandardScaler() | Imputer()):
        for model in (
            step.clone() | kind(),
            OnlineBagging(step.clone() | kind(), n_models=2),
            DriftRetraining(step.clone() | kind()),
        ):
            model.learn_many(X, X[:, 0])
            compare(model, np.array([[100.0], [-100.0], [2.0]]))


def test_the_families_are_there() -> None:
    families = ("bayes", "linear", "tree")
    whole = [
        name
        for name, kind in learners().items()
        if kind.__module__.split(".")[1] in families and issubclass(kind, (Classifier, Regressor))
    ]
    assert len(whole) >= 30
    assert set(whole) <= EXPORTED.keys()
    assert {kind.__name__ for kind in ensembles.KINDS} <= EXPORTED.keys()


VARIANTS = [
    LogisticRegression(scale="auto"),
    PAClassifier(scale="auto"),
    StandardScaler() | LogisticRegression(),
    MinMaxScaler() | PAClassifier(),
    Imputer() | StandardScaler() | LogisticRegression(),
    Imputer(strategy="constant", value=2.0) | SGDClassifier(loss="logistic"),
    Select("a", "colour", "z") | StandardScaler() | LogisticRegression(),
    GaussianNB(categorical=["month"], variance_floor=0.0),
    GaussianNB(variance_floor=0.1),
    StandardScaler() | GaussianNB(),
    Select("month", "colour") | GaussianNB(),
    CategoricalNB(alpha=0.1, n_values={"colour": 7}),
    BernoulliNB(),
    BernoulliNB(alpha=0.0),
    MultinomialNB(),
    MultinomialNB(alpha=0.0, prior_alpha=1.0),
    HoeffdingTreeClassifier(grace_period=30, tau=0.2),
    HoeffdingTreeClassifier(grace_period=30, nominal=["month"], leaf_prediction="nb", tau=0.2),
    HoeffdingTreeClassifier(grace_period=30, nominal_split="binary", variance_floor=0.1, tau=0.2),
    HoeffdingTreeClassifier(grace_period=30, leaf_prediction="mc", ties="parent", tau=0.2),
    StandardScaler() | HoeffdingTreeClassifier(grace_period=30, tau=0.2),
    CVFDT(grace_period=30, tau=0.2),
    HoeffdingAdaptiveTreeClassifier(grace_period=30, tau=0.2),
    ExtremelyFastDecisionTree(grace_period=30, tau=0.2),
    HoeffdingTreeRegressor(grace_period=30),
    HoeffdingTreeRegressor(grace_period=30, leaf_prediction="linear", nominal_split="binary"),
    LinearRegression(scale="auto"),
    StandardScaler() | PARegressor(),
    AdaptiveRandomForestClassifier(n_models=4),
    StandardScaler() | AdaptiveRandomForestClassifier(n_models=3, nominal=["month"]),
    # Trees that begin anew all the time: some have learned nothing, and have no vote.
    AdaptiveRandomForestClassifier(n_models=3, warning_delta=1.0, drift_delta=1.0),
    StreamingRandomPatchesClassifier(n_models=4, nominal=["month"], subspace=0.5),
    OnlineBagging(HoeffdingTreeClassifier(grace_period=30, tau=0.2), n_models=3),
    OnlineBagging([GaussianNB(), HoeffdingTreeClassifier(grace_period=30)], n_models=4),
    OnlineBagging([StandardScaler() | LogisticRegression(), PAClassifier(), SGDClassifier()]),
    OnlineBagging(OnlineBagging(HoeffdingTreeClassifier(grace_period=30), n_models=2), n_models=2),
    LeveragingBagging(StandardScaler() | PAClassifier(), n_models=3),
    LeveragingBagging(LogisticRegression(scale="auto"), n_models=3),
    OnlineBagging([LinearRegression(scale="auto"), StandardScaler() | PARegressor()]),
    OnlineBagging([HoeffdingTreeClassifier(grace_period=30), LogisticRegression()], n_models=4),
    OnlineBagging(StandardScaler() | GaussianNB(), n_models=2),
    OnlineBagging(GaussianNB(categorical=["month"]), n_models=2),
    LeveragingBagging([GaussianNB(categorical=["month"]), StandardScaler() | PAClassifier()]),
    OnlineBagging([HoeffdingTreeRegressor(), LinearRegression(scale="auto")], n_models=3),
    AdaptiveRandomForestRegressor(n_models=4),
    StreamingGradientBoostingClassifier(n_models=10, learning_rate=0.3),
    StreamingGradientBoostingRegressor(n_models=3, bag_size=3, nominal=["month"], subspace=0.6),
    AdaptiveRandomForestRegressor(n_models=3, aggregation="mean", nominal=["month"]),
    DriftRetraining(HoeffdingTreeClassifier(grace_period=30)),
    DriftRetraining(StandardScaler() | LogisticRegression()),
    DriftRetraining(StandardScaler() | LinearRegression()),
]


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("made", VARIANTS, ids=repr)
def test_text_and_missing_values(made: Any, gaps: bool) -> None:
    seen, asked = rows(800, 1, gaps=gaps), rows(1000, 2, gaps=gaps, unseen=True)
    if isinstance(made, COUNTS):
        seen = [{f: v if isinstance(v, str) else abs(v) for f, v in x.items()} for x in seen]
    warm = np.array([x.get("z", 0.0) + 10.0 * (x.get("colour") == "red") for x in seen])
    for k in (2, 3):
        model = made.clone()
        y = warm if isinstance(model, Regressor) else np.digitize(warm, [3.0, 10.0][: k - 1])
        model.learn_many(seen, y)
        compare(model, asked)


@pytest.mark.parametrize("kind", [HoeffdingTreeClassifier, HoeffdingTreeRegressor])
def test_thresholds_are_cut_in_double_precision(kind: Any) -> None:
    model = trained(kind, 2, 3000, leaf_prediction="mean" if issubclass(kind, Regressor) else "mc")
    assert model.n_leaves > 2
    cuts = [node.threshold for node in model._root().walk() if node.threshold is not None]
    X = numbers(3 * len(cuts), 3)
    near = np.array([v for c in cuts for v in (np.nextafter(c, -9), c, np.nextafter(c, 9))])
    for column in range(4):
        X[:, column] = near
        compare(model, X)


@pytest.mark.parametrize(
    ("given", "kind"), [([True, False], bool), ([7, -3, 0], int), (["a", "b"], str)]
)
def test_labels_keep_their_type(given: list[Any], kind: type) -> None:
    X = numbers(300, 1)
    y = np.array(given, dtype=object)[labels(X, len(given))]
    for model in (LogisticRegression(), GaussianNB(), HoeffdingTreeClassifier()):
        model.learn_many(X, y)
        found = answers(model, X)["label"].tolist()
        assert {type(label) for label in found} == {kind}
        compare(model, X)


def test_equal_scores_are_decided_alike() -> None:
    X = np.array([[1.0, 0.0], [0.0, 1.0]] * 5)
    for given in (["a", "b"], [1, 0], [0, 1], ["a", "b", "c"]):
        y = (given * 5)[:10] if len(given) == 2 else [*given, *given[:2]] * 2
        model = PAClassifier(intercept=False, labels=given)
        model.learn_many(X, y)
        compare(model, np.zeros((3, 2)))


@pytest.mark.parametrize(
    "made", [StandardScaler() | LogisticRegression(), HoeffdingTreeClassifier(grace_period=40)]
)
def test_single_precision(made: Any) -> None:
    X = numbers(2000, 1).astype(np.float32)
    made = made.clone()
    made.learn_many(X, NAMES[labels(X, 3)])
    compare(made, X, dtype="float32")


def test_members_that_agree_to_disagree_are_decided_alike() -> None:
    for given in (["a", "b"], [1, 0], ["a", "b", "c"]):
        model = OnlineBagging(PAClassifier(), n_models=4, labels=given)
        rng = np.random.default_rng(0)
        model.learn_many(rng.normal(size=(40, 2)), rng.choice(given, size=40).tolist())
        X = rng.normal(size=(300, 2))
        likely = model.predict_proba_many(X)
        best = likely.max(axis=1, keepdims=True)
        assert ((likely == best).sum(axis=1) > 1).any()  # some are equal
        compare(model, X)


@pytest.mark.parametrize("seed", [1851, 2221, 3717])
def test_shares_of_trees_that_make_up_for_each_other_are_equal(seed: int) -> None:
    made = HoeffdingTreeClassifier(leaf_prediction="mc")
    model = OnlineBagging(made, n_models=2 + seed % 4, seed=seed, labels=["a", "b"])
    n = 4 + seed % 9
    model.learn_many(np.zeros((n, 1)), ["a", "b"] * (n // 2) + ["a"] * (n % 2))
    compare(model, np.zeros((1, 1)))
    np.testing.assert_allclose(model.predict_proba_many(np.zeros((1, 1))), 0.5, rtol=1e-15)


def test_a_forest_hides_what_a_leaf_does_not_watch() -> None:
    X = np.random.default_rng(0).normal(size=(400, 30))
    for subspace in (0.1, 0.5):
        model = StreamingRandomPatchesClassifier(subspace=subspace, n_models=5)
        model.learn_many(X, X[:, 0] + X[:, 1] > 0.0)
        compare(model, np.random.default_rng(1).normal(size=(1000, 30)))


def test_metadata_name_columns_and_labels() -> None:
    import json

    model = GaussianNB()
    model.learn_many(rows(50, 1), ["x", "y"] * 25)
    found = {prop.key: prop.value for prop in to_onnx(model).metadata_props}
    assert json.loads(found["onstream.labels"]) == ["x", "y"]
    assert json.loads(found["onstream.features"]) == ["a", "month", "z", "colour"]
    assert found["onstream.learner"] == "GaussianNB"


def test_whole_numbers_as_names_come_in_their_order() -> None:
    model = LogisticRegression()
    model.learn_one({2: 1.0, 0: 5.0, 1: 0.0}, "x")
    model.learn_one({0: -1.0, 1: 2.0, 2: 4.0}, "y")
    X = numbers(50, 4)[:, :3]
    compare(model, X)


def test_a_column_may_be_called_like_an_output() -> None:
    model = LogisticRegression()
    model.learn_one({"label": "red", "scores": 1.0}, "x")
    model.learn_one({"label": "blue", "scores": 2.0}, "y")
    session = onnxruntime.InferenceSession(to_onnx(model).SerializeToString())
    assert {value.name for value in session.get_inputs()} == {"label", "scores"}
    assert [value.name for value in session.get_outputs()] == ["label_2", "probabilities"]


class TestTheCommand:
    def test_it_writes_a_model(self, tmp_path: Path) -> None:
        X = numbers(300, 1)
        model = StandardScaler() | LogisticRegression()
        model.learn_many(X, NAMES[labels(X, 3)])
        save(model, tmp_path / "m.onstream")
        said = call("export", tmp_path / "m.onstream", tmp_path / "m.onnx")
        assert said.output.startswith("Pipeline in ")
        session = onnxruntime.InferenceSession(tmp_path / "m.onnx")
        found = session.run(["label"], {"X": X})[0]
        assert found.tolist() == model.predict_many(X).tolist()
        call("export", tmp_path / "m.onstream", tmp_path / "m.onnx", "--float32", "--quiet")
        session = onnxruntime.InferenceSession(tmp_path / "m.onnx")
        assert session.get_inputs()[0].type == "tensor(float)"

    def test_it_refuses_in_one_line(self, tmp_path: Path) -> None:
        save(KNNClassifier(), tmp_path / "m.onstream")
        said = call("export", tmp_path / "m.onstream", tmp_path / "m.onnx", code=1)
        assert "KNNClassifier cannot be exported" in said.output
        assert not (tmp_path / "m.onnx").exists()
        said = call("export", tmp_path / "m.onstream", tmp_path / "m.pb", code=1)
        assert "--format" in said.output
        said = call(
            "export", tmp_path / "m.onstream", tmp_path / "m.onstream", "-f", "onnx", code=1
        )
        assert "name another" in said.output


def learned(model: Any, x: Any, *ys: Any) -> Any:
    for y in ys:
        model.learn_one(x, y)
    return model


@pytest.mark.parametrize(
    ("made", "error", "words"),
    [
        (lambda: learned(PAClassifier(hash_bits=4), {"a": 1.0}, 0, 1), ValueError, "without hash"),
        (lambda: PAClassifier(), ValueError, "learned nothing"),
        (lambda: learned(PAClassifier(), {"a": 1.0}, "x"), ValueError, "one label"),
        (lambda: learned(PAClassifier(), {}, "x", "y"), ValueError, "no feature"),
        (
            lambda: learned(KNNClassifier(), {"a": 1.0}, "x", "y"),
            TypeError,
            "naive Bayes, trees",
        ),
        (lambda: learned(KernelPerceptron(), {"a": 1.0}, 0, 1), TypeError, "KernelPerceptron"),
        (
            lambda: learned(OnlineBagging(KNNClassifier(), n_models=3), {"a": 1.0}, *"xyxyxy"),
            TypeError,
            "OnlineBagging cannot be exported to ONNX: KNNClassifier is none",
        ),
        (lambda: learned(PAMultilabel(), {"a": 1.0}, {"x"}), TypeError, "PAMultilabel"),
        (lambda: "model", TypeError, "not a learner"),
        (
            lambda: learned(BagOfWords() | MultinomialNB(), "a b", "x", "y"),
            TypeError,
            "BagOfWords cannot be exported",
        ),
    ],
)
def test_what_cannot_be_is_refused(made: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        to_onnx(made())


def test_dtype_is_a_choice() -> None:
    with pytest.raises(ValueError, match="float64"):
        to_onnx(trained(PAClassifier, 2), dtype="int8")  # type: ignore[arg-type]


def test_a_column_has_one_type() -> None:
    model = learned(PAClassifier(), {"a": 1.0}, 0, 1)
    with pytest.warns(DataWarning, match="is text"):
        model.learn_one({"a": "much"}, 0)
    with pytest.raises(ValueError, match="make it text in all rows"):
        to_onnx(model)


@pytest.mark.parametrize("names", [["few", "many"], ["many", "few"], ["few", "many", "other"]])
@pytest.mark.parametrize("ties", ["parent", "first"])
def test_ties_of_a_leaf_are_broken_alike(names: list[str], ties: Any) -> None:
    model = HoeffdingTreeClassifier(
        grace_period=20, tau=0.5, leaf_prediction="mc", ties=ties, labels=names
    )
    while model.n_nodes == 1:
        for x, y in ((0.0, "many"), (0.1, "many"), (1.0, "few")):
            model.learn_one({"x": x, "z": 0.0}, y)
    answered = set()
    for _ in range(2):  # in each leaf as many of the one as of the other
        for x in (0.0, 1.0):
            for y in ("few", "many"):
                model.learn_one({"x": x, "z": 0.0}, y)
        X = [{"x": x, "z": 0.0} for x in (0.0, 1.0)]
        answered |= set(model.predict_many(X).tolist())
        found = answers(model, np.array([[0.0, 0.0], [1.0, 0.0]]))
        assert found["label"].tolist() == model.predict_many(X).tolist()
    assert ("many" in answered) or ties == "first"
