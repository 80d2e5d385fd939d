"""A frame of pandas or Polars, read by its own library, is learned as its Arrow table is.

So are frames of few rows, which are read as mappings.
"""

import threading
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from onstream import LogisticRegression, Perceptron
from onstream.bayes import GaussianNB
from onstream.core.number_frames import plain_numbers
from onstream.core.short_frames import short_frame
from onstream.features import Select, StandardScaler
from onstream.linear import PAClassifier, PARegressor
from onstream.neighbors import KNNClassifier
from onstream.persist import dumps
from onstream.tree import HoeffdingTreeClassifier

MODELS = {
    "linear": LogisticRegression,
    "hashed": lambda: PAClassifier(hash_bits=6),
    "regressor": PARegressor,
    "tree": HoeffdingTreeClassifier,
    "nominal": lambda: HoeffdingTreeClassifier(nominal=["i8"]),
    "bayes": GaussianNB,
    "neighbors": lambda: KNNClassifier(window=50),
    "pipeline": lambda: StandardScaler() | LogisticRegression(),
}
KINDS = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]


def frame(n=60):
    rng = np.random.default_rng(0)
    columns = {kind: (30 * rng.random(n) + 1).astype(kind) for kind in KINDS}
    columns["i8"] = rng.integers(0, 3, n)
    return pd.DataFrame(columns)


def gapped():
    X = frame()
    return X.mask(np.random.default_rng(1).random(X.shape) < 0.1).astype("f8")


def late():
    """A column whose first number comes late, and one that has none."""
    X = gapped()
    X.loc[:40, "f4"] = np.nan
    X["u1"] = np.nan
    return X


def text(kind):
    X = frame()[["f8", "i8"]].assign(t=[f"v{i % 7}" for i in range(60)])
    X.loc[[3, 50], "t"] = None
    return X.astype({"t": kind})


FRAMES = {
    "all kinds": frame,
    "floats": lambda: frame()[["f8"]].assign(g=1.5, h=-0.0),
    "small floats": lambda: frame()[["f4"]],
    "bools": lambda: frame()[["?"]],
    "large ints": lambda: pd.DataFrame({"a": [2**63 - 1, 2**53 + 1, -(2**63)] * 20}),
    "in rows": lambda: pd.DataFrame(np.arange(240.0).reshape(60, 4), copy=False),
    "in columns": lambda: pd.DataFrame(np.asfortranarray(np.arange(660.0).reshape(60, 11))),
    "cut": lambda: pd.concat([frame()] * 3)[["f8", "i8", "u1"]].iloc[60:120],
    "every second": lambda: pd.concat([gapped()] * 2).iloc[::2, ::-1],
    "gaps": gapped,
    "late": late,
    "one row": lambda: frame(1),
    "none": lambda: frame(0),
    "numbers as names": lambda: pd.DataFrame(np.arange(120.0).reshape(60, 2)),
    "both names": lambda: pd.DataFrame({0: np.arange(60.0), "b": 1.0}),
    "index": lambda: frame().set_index("i4"),
    "index of texts": lambda: frame().set_axis([f"r{i}" for i in range(60)], axis=0),
    "levels": lambda: frame().set_index(["i4", "f8"]),
    "two rows of names": lambda: frame().set_axis(
        pd.MultiIndex.from_product([["a", "b"], range(6)]), axis=1
    ),
    "objects": lambda: frame().astype(object),
    "nullable": lambda: gapped().astype({"i8": "Int64", "f4": "Float32", "?": "boolean"}),
    "text": lambda: text("str"),
    "text objects": lambda: text(object),
    "text nullable": lambda: text("string"),
    "categories": lambda: text("category"),
    "categories of numbers": lambda: frame().astype({"i8": "category"}),
    "unused categories": lambda: (
        pd.concat([text("category")] * 2)
        .assign(t=lambda X: X["t"].cat.add_categories([f"w{i}" for i in range(1500)]))
        .iloc[:60]
    ),
    "Arrow": lambda: frame().convert_dtypes(dtype_backend="pyarrow"),
}


def told(model, X, y, w=None):
    """All that can be seen of a model that learned X in two blocks, before and after."""
    found = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for part, targets, weights in cut(X, y, w):
            found.append(model.predict_learn_many(part, targets, weights, output="score"))
        found.append(model.predict_many(X))
    return found, dumps(model), [str(warning.message) for warning in caught]


def cut(X, y, w):
    if len(y) < 2:
        return [(X, y, w)]
    slice_of = (lambda a, b: X.slice(a, b - a)) if isinstance(X, pa.Table) else None
    slice_of = slice_of or (lambda a, b: X.iloc[a:b] if hasattr(X, "iloc") else X[a:b])
    ends = [(0, 25), (25, len(y))]
    return [(slice_of(a, b), y[a:b], None if w is None else w[a:b]) for a, b in ends]


@pytest.fixture
def long_way(monkeypatch):
    """What `told` tells of blocks that are not read as mappings, however short."""

    def found(*args):
        with monkeypatch.context() as patch:
            patch.setattr("onstream.core.short_frames.MOST", 0)
            return told(*args)

    return found


def same(one, other):
    for a, b in zip(one[0], other[0], strict=True):
        np.testing.assert_array_equal(a, b)
    assert one[1:] == other[1:]


def target(X):
    return (np.arange(len(X)) % 3 > 0).astype(int)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("weighted", [False, True])
def test_pandas(name, kind, weighted, long_way):
    X = FRAMES[kind]()
    w = np.arange(len(X)) % 4 / 2 if weighted else None
    table = pa.Table.from_pandas(X, preserve_index=False)
    assert plain_numbers(table) is None
    expected = long_way(MODELS[name](), table, target(X), w)
    same(told(MODELS[name](), X, target(X), w), expected)
    same(told(MODELS[name](), table, target(X), w), expected)
    same(long_way(MODELS[name](), X, target(X), w), expected)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", ["late", "nullable", "text", "categories", "unused categories"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("cells", [1, 20, 1 << 15])
def test_piece_by_piece_as_row_by_row(name, kind, weighted, cells, monkeypatch, long_way):
    """What is missing is left out, and features and texts become known in the order of the rows."""
    monkeypatch.setattr("onstream.core.cell_rows.PIECE", cells)
    X = FRAMES[kind]()
    y, w = target(X), np.arange(len(X)) % 4 / 2 if weighted else None
    records = pa.Table.from_pandas(X, preserve_index=False).to_pylist()
    mappings = [{k: v for k, v in row.items() if v is not None} for row in records]
    same(long_way(MODELS[name](), X, y, w)[:2], told(MODELS[name](), mappings, y, w)[:2])


def test_what_is_read_without_a_table():
    through_tables = {"none", "two rows of names", "objects", "nullable", "Arrow"}
    through_tables |= {kind for kind in FRAMES if "text" in kind or "categories" in kind}
    through_tables -= {"index of texts"}
    assert {kind for kind in FRAMES if plain_numbers(FRAMES[kind]()) is None} == through_tables


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", ["numbers", "null", "categories", "texts", "views of a cut"])
def test_polars(name, kind, long_way):
    X = pl.DataFrame(frame().drop(columns=["f2", "?"]))
    if kind == "null":
        X = X.with_columns(pl.when(pl.col("f8") > 5).then(pl.col("f8")).alias("f8"))
    elif kind != "numbers":
        X = X.with_columns(pl.Series("t", [f"v{i % 7}" if i % 11 else None for i in range(60)]))
    if kind in ("categories", "views of a cut"):
        X = X.with_columns(pl.col("t").cast(pl.Categorical))
    if kind == "views of a cut":
        X = X.vstack(X)[50:110]
    plain = X.with_columns(pl.col("t").cast(pl.String)) if "t" in X.columns else X
    table = pa.Table.from_pylist(plain.to_dicts())
    expected = long_way(MODELS[name](), table, target(X))
    same(told(MODELS[name](), X, target(X)), expected)
    same(long_way(MODELS[name](), X, target(X)), expected)


def test_what_is_read_as_mappings_if_it_is_short():
    left = {kind for kind in FRAMES if short_frame(FRAMES[kind]()) is None}
    assert left == {"none", "two rows of names", "Arrow"}
    X = pl.DataFrame({"a": [1.0, None], "b": ["x", None]})
    for table in (X, X.to_arrow(), X.with_columns(pl.col("b").cast(pl.Categorical))):
        assert short_frame(table).rows == [{"a": 1.0, "b": "x"}, {"a": None, "b": None}]
    assert short_frame(pd.concat([frame()] * 3)) is None


ODD = {
    "texts and numbers": ["x", 1, None],
    "texts and floats": ["x", 1.5, None],
    "whole numbers": [1, 2, None],
    "bools": [True, None, False],
    "floats": [1.5, None, float("nan")],
    "NA": ["x", pd.NA, float("nan")],
    "floats and NA": [1.5, pd.NA, None],
    "NaT": ["x", pd.NaT, "y"],
    "texts of NumPy": [np.str_("x"), "y", "y"],
    "bytes": [b"x", "y", "y"],
    "no Unicode": ["x", "\ud800", "y"],
    "dates": list(pd.date_range("2026-01-01", periods=3)),
    "huge by sign": [2**63 - 1, -(2**63), None],
    "beyond by one": [2**63, 1, 2],
    "nothing": [None, None, None],
    "empty text": ["", "y", ""],
    "huge": [2**70, 1, 2],
    "lists": [[1], [2], [3]],
}


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("name", ["linear", "tree", "hashed"])
def test_odd_objects_in_short_frames(name, kind, long_way):
    """What a short frame holds is read, or refused, as it is in a long one."""
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": pd.Series(ODD[kind], dtype=object)})
    same(outcome(told, MODELS[name](), X), outcome(long_way, MODELS[name](), X))


@pytest.mark.parametrize("name", ["linear", "tree"])
@pytest.mark.parametrize("bad", [np.inf, -np.inf])
def test_infinite_numbers_beside_texts(name, bad, long_way):
    X = text(object).assign(f8=[bad if i == 9 else 1.0 for i in range(60)])
    assert short_frame(X) is not None
    same(outcome(told, MODELS[name](), X), outcome(long_way, MODELS[name](), X))


@pytest.mark.parametrize("name", ["linear", "regressor", "tree"])
def test_nan_beside_na(name, long_way):
    """In nullable columns NaN is a number, which linear learners refuse."""
    numbers = pd.arrays.FloatingArray(np.array([1.0, np.nan, 2.0]), np.array([True, False, False]))
    X = pd.DataFrame({"a": numbers, "t": ["x", "y", "z"]})
    assert short_frame(X) is not None
    same(outcome(told, MODELS[name](), X), outcome(long_way, MODELS[name](), X))


def test_a_column_without_values_is_of_no_kind():
    """It was text before; nothing is said of it."""
    X = pd.DataFrame({"a": [1.0, 2.0], "t": ["x", "y"]})
    model = LogisticRegression()
    model.learn_many(X, [0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.learn_many(X.assign(t=pd.Series([None, None], dtype=object)), [0, 1])
    with pytest.warns(UserWarning, match="is a number, but was learned as text"):
        model.learn_many(X.assign(t=[1.0, 2.0], u="x"), [0, 1])


@pytest.mark.parametrize("limit", [{"MOST_INDEXES": 20}, {"MOST_KEPT": 4_000}])
def test_short_frames_of_many_columns_of_categories(monkeypatch, limit):
    """Texts of categories are listed once, for some columns; an id may come again."""
    for name, most in limit.items():
        monkeypatch.setattr(f"onstream.core.short_frames.{name}", most)
    monkeypatch.setattr("onstream.core.short_frames._listed", listed := {})
    monkeypatch.setattr("onstream.core.short_frames._kept", 0)
    model, twin = LogisticRegression(), LogisticRegression()
    for i in range(200):
        texts = [f"v{i}", f"w{i}"]
        model.learn_many(pd.DataFrame({"t": pd.Categorical(texts)}), [0, 1])
        twin.learn_many([{"t": text} for text in texts], [0, 1])
        assert 0 < len(listed) <= 40
    model.learn_many(pd.DataFrame({"t": pd.Categorical(["x" * 4_000, "y"])}), [0, 1])
    twin.learn_many([{"t": "x" * 4_000}, {"t": "y"}], [0, 1])
    assert "MOST_KEPT" not in limit or all(
        len(text) < 4_000 for _, some in listed.values() for text in some[:-1]
    )
    assert dumps(model) == dumps(twin)


def outcome(of, model, X):
    """What `told` or `long_way` finds; or the error, and that nothing was learned."""
    before = dumps(model)
    try:
        return of(model, X, target(X))
    except (TypeError, ValueError) as error:
        return [], (type(error), str(error)), dumps(model) == before


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("bad", [np.inf, -np.inf])
@pytest.mark.parametrize("gap", [False, True])
def test_infinite_numbers_are_refused_by_name(name, bad, gap):
    X = gapped() if gap else frame()
    model = MODELS[name]()
    model.learn_many(X[:30], target(X)[:30])
    before = dumps(model)
    X.loc[45, "f8"] = bad
    for verb in (lambda: model.learn_many(X, target(X)), lambda: model.predict_many(X)):
        with pytest.raises(
            ValueError, match=f"row 45: feature 'f8' is {bad}; values must be finite"
        ):
            verb()
    assert dumps(model) == before


def test_nan_of_polars_is_refused_as_before():
    X = pl.DataFrame({"a": [1.0, float("nan")], "b": [1.0, 2.0]})
    with pytest.raises(ValueError, match="row 1: feature 'a' is nan; values must be finite"):
        LogisticRegression().learn_many(X, [0, 1])


def test_sparse_columns_are_refused_as_before():
    X = pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 1.0]), "b": [1.0, 2.0]})
    with pytest.raises(TypeError, match="could not be read as a table: Sparse pandas data"):
        LogisticRegression().learn_many(X, [0, 1])


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["a", "a"], "X could not be read as a table: Duplicate column names found"),
        ([1, "1"], "X has two columns called '1'"),
        ([b"a", "a"], "X has two columns called 'a'"),
    ],
)
@pytest.mark.filterwarnings("ignore:The DataFrame has column names of mixed type")
def test_names_that_are_refused(names, told):
    X = pd.DataFrame(np.ones((3, 2)), columns=pd.Index(names, dtype=object))
    with pytest.raises((TypeError, ValueError), match=f"^LogisticRegression: {told}"):
        LogisticRegression().learn_many(X, [0, 1, 0])


def test_columns_in_another_order_renamed_and_back():
    X, y = frame()[["f8", "i8", "u1"]], target(frame())
    model, other = LogisticRegression(), LogisticRegression()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for part in (X, X[["u1", "f8", "i8"]], X.rename(columns={"u1": "z"}), X, X[["f8"]]):
            model.learn_many(part, y)
            other.learn_many(part.to_dict("records"), y)
            part = part.copy()
            part.columns = list(part.columns)  # an index of its own
            np.testing.assert_array_equal(model.score_many(part), other.score_many(part))
    assert dumps(model) == dumps(other)


def test_names_are_asked_again_when_they_change_in_place():
    X, y = frame()[["f8", "i8"]], target(frame())
    model = LogisticRegression()
    model.learn_many(X, y)
    X.columns = ["i8", "f8"]
    other = pd.DataFrame({"i8": X["i8"], "f8": X["f8"]})
    np.testing.assert_array_equal(model.score_many(X), model.score_many(other.to_dict("records")))


def test_subclasses_speak_for_themselves():
    class Doubled(pd.DataFrame):
        @property
        def _constructor(self):
            return Doubled

        def __getitem__(self, key):
            return super().__getitem__(key) * 2.0

    X = Doubled({"a": np.arange(6.0), "b": 1.0})
    assert plain_numbers(X) is None
    model, other = PARegressor(), PARegressor()
    model.learn_many(X, np.arange(6.0))
    other.learn_many(pd.DataFrame({"a": 2.0 * np.arange(6.0), "b": 2.0}), np.arange(6.0))
    assert dumps(model) == dumps(other)


@pytest.mark.parametrize("value", [np.nan, np.inf, 7.0])
def test_a_frame_changed_after_its_check(value):
    """The user's function is called once for each block, after it was checked."""
    A = np.random.default_rng(0).normal(size=(50, 4))
    X, y = pd.DataFrame(A, columns=list("abcd"), copy=False), A[:, 0] > 0.0

    def learned(spoil):
        calls = iter([spoil])

        def alpha(t):
            next(calls, lambda: None)()
            return 1.0

        model = Perceptron()
        model.learn_one(dict.fromkeys("abcd", 0.0), False)
        model = Perceptron(alpha=alpha, init=model)
        model.learn_many(X, y)
        return dumps(model)

    calm = learned(lambda: None)
    assert learned(lambda: A.fill(value)) == calm


def test_threads_that_learn_frames_of_different_names():
    frames = [pd.DataFrame({f"a{i}": np.arange(40.0), f"b{i}": 1.0}) for i in range(4)]
    wanted = [dumps(PARegressor().fit(X, np.arange(40.0), shuffle=False)) for X in frames]
    wrong = []

    def work(X, expected):
        for _ in range(100):
            found = dumps(PARegressor().fit(X, np.arange(40.0), shuffle=False))
            wrong.extend([X.columns[0]] * (found != expected))

    pairs = zip(frames, wanted, strict=True)
    threads = [threading.Thread(target=work, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_selected_columns_that_a_frame_lacks_are_told():
    X, y = frame()[["f8", "i8"]], target(frame())
    model = Select("f8", "z") | LogisticRegression()
    with pytest.warns(UserWarning, match="there is no feature 'z' to select"):
        model.learn_many(X, y)
