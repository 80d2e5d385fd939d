"""Data that cannot mean what it says: one warning, from every learner alike."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from onstream.base import DataWarning
from onstream.bayes import GaussianNB
from onstream.features import Imputer, MinMaxScaler, Select, StandardScaler, Union
from onstream.linear import LogisticRegression, PAClassifier

from .table import Case
from .tools import fingerprint, targets

ROWS = 40
NAMES = ["a", "b", "c"]


def models(case: Case) -> Iterator[Any]:
    """The learner alone and behind a step, having learned a frame with the columns a, b, c."""
    y = targets(case, ROWS)
    made = [case.make()]
    if case.classifies or case.regresses:
        made.append(StandardScaler() | case.make())
    for model in made:
        model.learn_many(frame(), y)
        yield model


def frame(names: list[str] = NAMES) -> pd.DataFrame:
    values = np.random.default_rng(4).uniform(1.0, 2.0, size=(ROWS, len(names)))
    return pd.DataFrame(values, columns=names)


def quietly(ask: Any, *args: Any) -> Any:
    """The answer, without any warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return ask(*args)


STRANGE = {
    "frame": lambda: frame(["A", "B", "C"]),
    "polars": lambda: pl.DataFrame(frame(["A", "B", "C"]).to_dict("list")),
    "arrow": lambda: pa.table(frame(["A", "B", "C"])),
    "array": lambda: frame().to_numpy(),
    "lists": lambda: frame().to_numpy().tolist(),
    "CSR": lambda: sp.csr_array(frame().to_numpy()),
    "dicts": lambda: frame(["A", "B", "C"]).to_dict("records"),
}


@pytest.mark.parametrize("kind", STRANGE)
def test_a_block_of_unknown_features_is_doubted_once(learner: Case, kind: str) -> None:
    for model in models(learner):
        before = fingerprint(model)
        with pytest.warns(DataWarning, match="was learned; learned were 'a', 'b', 'c'") as told:
            model.predict_many(STRANGE[kind]())
        assert len(told) == 1
        quietly(model.predict_many, STRANGE[kind]())
        assert fingerprint(model) == before


@pytest.mark.parametrize(
    ("kind", "verb"),
    [
        *((kind, "learn_many") for kind in ("frame", "polars", "arrow", "array", "lists")),
        ("frame", "predict_learn_many"),
    ],
)
def test_a_block_to_learn_of_new_columns_only_is_doubted_once(
    learner: Case, kind: str, verb: str
) -> None:
    for model in models(learner):
        before, y = fingerprint(model), targets(learner, ROWS)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(DataWarning, match="was learned before; learned were 'a', 'b', 'c'"):
                getattr(model, verb)(STRANGE[kind](), y)
        assert fingerprint(model) == before  # as an error it is one that leaves no trace
        with pytest.warns(DataWarning, match="Were columns renamed") as told:
            getattr(model, verb)(STRANGE[kind](), y)
        assert len(told) == 1
        quietly(getattr(model, verb), STRANGE[kind](), y)


@pytest.mark.parametrize("step", [StandardScaler, MinMaxScaler, Imputer])
def test_blanks_of_a_sparse_matrix_before_a_step_that_takes_them_as_missing(step: Any) -> None:
    X, y = sp.csr_array(np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]])), [0, 1, 0]
    makes: list[Any] = [
        lambda: step() | LogisticRegression(),
        lambda: Union(Select("0"), step()) | LogisticRegression(),
    ]
    for make in makes:
        for verb, rest in (("learn_many", (y,)), ("predict_many", ())):
            model = make()
            quietly(model.learn_many, X.toarray(), y)
            with pytest.warns(DataWarning, match=f"{step.__name__} takes what a sparse") as told:
                getattr(model, verb)(X, *rest)
            assert len(told) == 1
            quietly(getattr(model, verb), X, *rest)
        quietly(make().learn_many, sp.csr_array(np.ones((3, 2))), y)  # nothing is left out
    quietly((step() | GaussianNB()).learn_many, X, y)  # to which it is 0


def test_an_array_of_unknown_columns_is_doubted_once(learner: Case) -> None:
    for model in models(learner):
        with pytest.warns(DataWarning, match="learned were 'a', 'b', 'c'") as told:
            model.predict_one(np.ones(3))
        assert len(told) == 1
        quietly(model.predict_one, np.ones(3))


def test_ten_mappings_of_unknown_features_are_doubted_once(learner: Case) -> None:
    for x in ({"A": 1.0, "B": 2.0}, pd.Series({"A": 1.0})):
        for model in models(learner):
            for _ in range(2):
                quietly(model.predict_one, {"a": 1.0})  # the count begins anew
                for _ in range(9):
                    quietly(model.predict_one, x)
            with pytest.warns(DataWarning, match="learned were 'a', 'b', 'c'") as told:
                model.predict_one(x)
            assert len(told) == 1
            quietly(model.predict_one, x)


def test_a_frame_that_lacks_columns_is_doubted_once(learner: Case) -> None:
    for X in (frame().rename(columns={"b": "B"}), frame()[["a", "c"]]):
        for model in models(learner):
            quietly(model.predict_many, frame(["c", "a", "b", "more"]))
            with pytest.warns(DataWarning, match="X lacks 'b'") as told:
                model.predict_many(X)
            assert len(told) == 1
            quietly(model.predict_many, X)


def test_a_warning_may_be_an_error(learner: Case) -> None:
    for model in models(learner):
        with warnings.catch_warnings():
            warnings.simplefilter("error", DataWarning)
            for ask in (model.predict_many, model.score_many):
                with pytest.raises(DataWarning):
                    ask(frame(["A"]))
            with pytest.raises(DataWarning):
                model.predict_one(np.ones(3))


def test_what_is_known_in_part_is_not_doubted(learner: Case) -> None:
    for model in models(learner):
        quietly(model.predict_many, frame().to_dict("records"))
        quietly(model.predict_one, {"a": 1.0, "new": 2.0})
        quietly(model.predict_one, {})
        quietly(model.predict_one, {"A": None})
        quietly(model.predict_many, [{}, {"A": None}])
    model = learner.make()
    quietly(model.predict_many, frame())
    quietly(model.predict_one, {"a": 1.0})


def test_new_texts_of_a_known_column_are_not_doubted(learner: Case) -> None:
    texts = pd.DataFrame({"colour": ["red", "green"] * 20})
    model = learner.make()
    model.learn_many(texts, targets(learner, 40))
    quietly(model.predict_many, pd.DataFrame({"colour": ["blue", "black"]}))
    quietly(model.predict_one, {"colour": "blue"})
    quietly(model.predict_many, [{"colour": "blue"}])
    with pytest.warns(DataWarning, match="'color' was learned; learned were 'colour'"):
        model.predict_many(pd.DataFrame({"color": ["red", "green"]}))


def test_labels_that_come_while_a_warning_is_told(classifier: Case) -> None:
    """Whoever shows the warning may teach the model: the answer is that of the model then."""
    if classifier.params:
        pytest.skip("its defaults do")
    for verb in ("predict_one", "score_one", "predict_proba_one"):
        model = next(models(classifier))
        if not hasattr(model, verb):
            continue

        def teach(*told: Any, model: Any = model) -> None:
            for i in range(40):
                model.learn_one({"a": 1.0}, f"late {i}")

        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = teach
            said = getattr(model, verb)(np.ones(3))
        assert len(model.labels) > 40
        assert repr(said) == repr(quietly(getattr(model, verb), np.ones(3)))


def test_an_empty_sparse_matrix_is_not_doubted(learner: Case) -> None:
    X = sp.csr_array(np.ones((3, 2)))
    model = learner.make()
    model.learn_many(X, targets(learner, 3))
    quietly(model.predict_many, sp.csr_array((4, 2)))


def test_words_may_come_and_go(learner: Case) -> None:
    """Few examples of many features: nobody can say that all should be known."""
    model = learner.make()
    y = targets(learner, 5)
    for i, target in enumerate(y.tolist()):
        quietly(model.predict_one, {f"{i} {j}": 1.0 for j in range(5)})
        model.learn_one({f"{i} {j}": 1.0 for j in range(5)}, target)
    quietly(model.predict_many, [{"another": 1.0}])


def test_what_is_not_selected_may_be_missing(learner: Case) -> None:
    if not (learner.classifies or learner.regresses):
        pytest.skip("it ends no pipeline")
    model = Select("a") | learner.make()
    quietly(model.learn_many, frame(), targets(learner, ROWS))
    quietly(model.predict_many, frame(["a"]))
    with pytest.warns(DataWarning, match="no feature 'a' to select"):
        model.predict_many(frame(["b"]))


def test_what_no_part_of_a_union_selects_may_be_missing() -> None:
    model = (Select("a") | StandardScaler()) + Select("b") | LogisticRegression()
    model.learn_many(frame(), [True, False] * (ROWS // 2))
    quietly(model.predict_many, frame(["a", "b"]))
    with pytest.warns(DataWarning, match="no feature 'a' to select; there are 'A', 'b'"):
        model.predict_many(frame(["A", "b"]))


# -- ids and dates -----------------------------------------------------------------------------


def ids(n: int = 1200) -> dict[str, Any]:
    return {
        "day": ["mon", "tue", "wed"] * (n // 3),
        "id": [f"i{i}" for i in range(n)],
        "when": [f"{i}:00" for i in range(n)],
    }


def quick(case: Case) -> bool:
    """Can it take thousands of features in no time?"""
    slow = ("RLS", "BayesianLinearRegression", "NOGD", "FOGD", "KNNADWINClassifier")
    return case.name not in slow and not case.has("kernel") and not case.has("covariance")


def learn(model: Any, kind: str, X: pd.DataFrame, y: np.ndarray) -> None:
    """A frame in pieces, mappings as a block, or one by one."""
    if kind == "frame":
        for start in range(0, len(X), 300):
            model.learn_many(X[start : start + 300], y[start : start + 300])
    elif kind == "dicts":
        model.learn_many(X.to_dict("records"), y)
    else:
        for x, target in zip(X.to_dict("records"), y.tolist(), strict=True):
            model.learn_one(x, target)


@pytest.mark.parametrize("kind", ["frame", "dicts", "loop"])
def test_columns_of_new_values_are_told(learner: Case, kind: str) -> None:
    if not quick(learner):
        pytest.skip("thousands of features would take it minutes")
    X, model = pd.DataFrame(ids()), learner.make()
    y = targets(learner, len(X))
    with pytest.warns(DataWarning, match="columns 'id', 'when': nearly every value is new") as told:
        learn(model, kind, X, y)
    assert len(told) == 1


def test_columns_of_few_values_are_not_doubted(learner: Case) -> None:
    if not quick(learner):
        pytest.skip("thousands of features would take it minutes")
    X = pd.DataFrame(ids())
    X["id"], X["when"] = X["id"].shift(600).fillna("i"), X["day"]  # half of them are new
    model = learner.make()
    quietly(model.learn_many, X, targets(learner, len(X)))


def routes(n: int) -> pd.DataFrame:
    """A text column of n values, each of which comes twice."""
    return pd.DataFrame({"route": [f"r{i // 2}" for i in range(2 * n)]})


@pytest.mark.parametrize("kind", ["frame", "dicts", "loop"])
def test_a_text_column_of_thousands_of_features_is_told_once(kind: str) -> None:
    X = routes(3100)
    y = np.arange(len(X)) % 3 == 0
    with pytest.warns(DataWarning, match="'route' has 3,... different texts by now") as told:
        learn(PAClassifier(), kind, X, y)
    assert len(told) == 1


def test_fewer_texts_and_learners_of_texts_are_not_doubted() -> None:
    X = routes(3100)
    y = np.arange(len(X)) % 3 == 0
    quietly(learn, PAClassifier(), "frame", X[:5900], y[:5900])
    quietly(learn, GaussianNB(), "frame", X, y)
    quietly(learn, PAClassifier(hash_bits=12), "frame", X, y)


# -- Select ------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [False, True], ids=["alone", "in a pipeline"])
def test_what_is_selected_must_be_there(step: bool) -> None:
    rows = frame().to_dict("records")
    for X in (frame(), rows, frame().to_numpy()):
        model = Select("nope") | StandardScaler() if step else Select("nope")
        with pytest.warns(DataWarning, match="there is no feature 'nope' to select; there are"):
            model.learn_many(X)
    model = Select("nope") | StandardScaler() if step else Select("nope")
    for i in range(99):
        quietly(model.learn_one, rows[i % ROWS])
    with pytest.warns(DataWarning, match="'nope'"):
        model.learn_one(rows[0])
    with pytest.warns(DataWarning, match="there is no feature 'd' to select"):
        Select("a", "d").learn_many(frame())
    quietly(Select("a", "d").learn_many, rows)  # which may come later
    quietly(Select("a").learn_one, {"a": None, "b": 1.0})


@pytest.fixture(params=["frames", "dicts one by one", "dicts"])
def in_rows(request: pytest.FixtureRequest) -> Any:
    """How a model is taught a frame, which warnings it may give."""

    def teach(model: Any, rows: pd.DataFrame, y: Any) -> None:
        if request.param == "frames":
            model.learn_many(rows, y)
        elif request.param == "dicts":
            model.learn_many(rows.to_dict("records"), y)
        else:
            for x, target in zip(rows.to_dict("records"), y, strict=True):
                model.learn_one(x, target)

    return teach


@pytest.mark.parametrize("make", [LogisticRegression, lambda: StandardScaler() | PAClassifier()])
@pytest.mark.parametrize("first", ["number", "text"])
def test_text_for_a_number_is_told_once(make: Any, first: str, in_rows: Any) -> None:
    numbers, y = frame(), ["a", "b"] * (ROWS // 2)
    texts = numbers.assign(b=[f"{v:.3f}" for v in numbers.b])
    before, after = (numbers, texts) if first == "number" else (texts, numbers)
    model = make()
    quietly(in_rows, model, before, y)
    with pytest.warns(DataWarning, match="column 'b' is (text|a number), but was learned") as told:
        in_rows(model, after, y)
    assert len(told) == 1
    quietly(in_rows, model, after, y)
    model = make()
    quietly(model.learn_many, before, y)
    with pytest.warns(DataWarning, match="column 'b' is (text|a number), but was learned") as told:
        model.predict_many(after)
    assert len(told) == 1
    model = make()
    quietly(model.learn_many, before, y)  # a column without any value is of no kind
    quietly(model.predict_many, before.assign(b=[None] * ROWS))


def test_a_renamed_column_to_learn_is_told_once() -> None:
    y = ["a", "b"] * (ROWS // 2)
    model = LogisticRegression()
    quietly(model.learn_many, frame(), y)
    quietly(model.learn_many, frame(["a", "b"]), y)  # a column may be missing for a while,
    quietly(model.learn_many, frame(["a", "b", "c", "d"]), y)  # or come later
    with pytest.warns(DataWarning, match="X lacks 'd', learned before, and has 'D', which") as told:
        model.learn_many(frame(["a", "b", "c", "D"]), y)
    assert len(told) == 1


def test_the_target_among_the_features_is_told_once() -> None:
    for library in (pd, pl):
        y = library.Series(
            name="y", **{"data" if library is pd else "values": [0, 1] * (ROWS // 2)}
        )
        X = frame(["a", "y"])
        X = X if library is pd else pl.from_pandas(X)
        model = LogisticRegression()
        quietly(model.learn_many, frame(["a", "b"]), y)
        model = LogisticRegression()
        with pytest.warns(DataWarning, match="X has the column 'y', and so is y called") as told:
            model.learn_many(X, y)
        assert len(told) == 1
        quietly(model.learn_many, X, y)


def kelvins() -> pd.DataFrame:
    """A column far from 0, with gaps."""
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"kelvin": rng.normal(293.0, 5.0, 300), "noise": rng.normal(size=300)})
    X.loc[rng.random(300) < 0.1, ["kelvin", "noise"]] = np.nan
    return X


GAPS = "column 'kelvin' has missing values, and what is missing counts as 0, far from its other"


@pytest.mark.parametrize("rows", [100, 300])
@pytest.mark.parametrize("make", [lambda X: X, pl.from_pandas, lambda X: X.assign(text="same")])
def test_missing_values_that_count_as_0_are_told(make: Any, rows: int) -> None:
    y = [i % 2 for i in range(300)]
    for model in (LogisticRegression(), LogisticRegression(eta=1e-6, scale="auto")):
        with warnings.catch_warnings(record=True, action="always") as told:
            for start in range(0, 300, rows):
                X = kelvins().iloc[start : start + rows]
                model.learn_many(make(X), y[start : start + rows])
        assert [str(one.message).partition(": ")[2].startswith(GAPS) for one in told] == [True]


def test_missing_values_that_harm_nobody_are_not_told() -> None:
    X, y = kelvins(), [i % 2 for i in range(300)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for model in (
            StandardScaler() | LogisticRegression(),
            Imputer() | LogisticRegression(),
            GaussianNB(),
        ):
            model.learn_many(X, y)
        LogisticRegression().learn_many(X[["noise"]], y)
        rows = [{k: v for k, v in x.items() if v == v} for x in X.to_dict("records")]
        LogisticRegression().learn_many(rows, y)  # what a mapping leaves out may well be 0
