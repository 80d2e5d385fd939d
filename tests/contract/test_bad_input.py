"""Whatever comes in: a sentence and an unchanged model, or a model whose numbers are all finite."""

import math
import re
from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from onstream.persist import dumps, loads

from .table import Case, functions_of
from .tools import assert_finite, attempt, by_name, fingerprint, named, some_rows

pytestmark = pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")  # names at random

EXTREME = [
    0.0,
    -0.0,
    5e-324,
    -5e-324,
    2.2e-308,
    1e-160,
    1e-9,
    1e9,
    1e100,
    -1e154,
    1e160,
    1e300,
    -1e300,
    1e308,
    -1e308,
    1.7976931348623157e308,
]
NOT_FINITE = [math.nan, math.inf, -math.inf, 10**400, -(10**400), np.float32("inf")]
NO_NUMBER = [[], {}, b"1", 1j, object(), (1.0,), np.array([1.0, 2.0]), np.complex128(1j)]

floats = st.one_of(st.sampled_from(EXTREME), st.floats(allow_nan=False, allow_infinity=False))
values = st.one_of(
    floats,
    st.integers(-(10**20), 10**20),
    st.booleans(),
    st.none(),
    st.text(max_size=3),
    st.sampled_from(NOT_FINITE),
    st.sampled_from(NO_NUMBER),
)
names = st.one_of(
    st.sampled_from([f"f{j}" for j in range(10)]),
    st.integers(-3, 12),
    st.text(max_size=3),
    st.sampled_from(["\ud800", "a=b", "", "\0", "0", "-1", 10**30, -(10**30), 2**63]),
    st.sampled_from([None, 1.5, (), True, b"f1", frozenset()]),
)
examples = st.one_of(
    st.dictionaries(names, values, max_size=6),
    st.dictionaries(st.sampled_from(["f1", "f2", "f3"]), floats, max_size=3),
    st.lists(values, max_size=4),
    st.lists(floats, min_size=10, max_size=10).map(np.array),
    st.sampled_from([None, 5, "text", np.zeros((2, 2)), np.array(["a"]), set()]),
)
labels = st.one_of(
    st.sampled_from(["ham", "spam", "third", ""]),
    st.sampled_from([None, 1, True, 0.5, math.nan, b"x", "\ud800", [], ("ham",), 10**400]),
    st.text(max_size=2),
)
targets = st.one_of(floats, st.sampled_from([*NOT_FINITE, *NO_NUMBER, None, "1", True, 3]))
weights = st.one_of(
    st.just(1.0),
    floats,
    st.sampled_from([0.0, -1.0, 1e308, 5e-324, *NOT_FINITE, None, "1", [], 1j]),
)


def target_of(case: Case) -> st.SearchStrategy[Any]:
    return labels if case.takes_labels else targets


def check(model: Any, verb: str, *args: Any) -> None:
    """The one rule of this file."""
    before, seen = dumps(model), model.seen
    refused = attempt(model, verb, *args)
    after = dumps(model)
    if refused and "rows before it were learned" in refused:  # an overflow within a block
        row = int(re.search(r"row ([\d,]+)", refused)[1].replace(",", ""))
        assert seen <= model.seen <= seen + row
        assert (after == before) == (model.seen == seen)
    elif refused or "learn" not in verb:
        assert after == before, refused
    if after != before:  # otherwise it was looked at before
        assert_finite(model, [{}, *by_name(some_rows(2))])
        assert dumps(loads(after, **functions_of(model.params))) == after


def model_of(case: Case, which: str) -> Any:
    """New, or knowing two labels, or three."""
    model = case.make() if which == "new" else named(case, 20)
    if which == "three labels" and case.takes_labels:
        model.learn_one({"f1": 1.0}, "third")
    return model


models = st.sampled_from(["new", "two labels", "three labels"])


@given(which=models, lessons=st.lists(st.tuples(examples, st.data(), weights), max_size=3))
def test_one_example(case: Case, which: str, lessons: list[Any]) -> None:
    model = model_of(case, which)
    for x, data, w in lessons:
        y = data.draw(target_of(case))
        check(model, "learn_one", x, y, w)
        check(model, "predict_one", x)
        check(model, "score_one", x)
        if hasattr(model, "predict_proba_one"):
            check(model, "predict_proba_one", x)


@given(data=st.data(), which=models, x=st.lists(examples, max_size=4))
def test_rows_of_mappings(case: Case, data: st.DataObject, which: str, x: list[Any]) -> None:
    model = model_of(case, which)
    n = data.draw(st.sampled_from([len(x)] * 8 + [0, len(x) + 1]))
    y = data.draw(st.lists(target_of(case), min_size=n, max_size=n))
    w = data.draw(st.one_of(st.none(), st.lists(weights, min_size=n, max_size=n), weights))
    check(model, "learn_many", x, y, w)
    check(model, "predict_learn_many", x, y, w)
    check(model, "predict_many", x)
    check(model, "score_many", x)


numbers = st.one_of(floats, st.sampled_from([math.nan, math.inf, -math.inf]))


@given(data=st.data(), which=models)
def test_arrays(case: Case, data: st.DataObject, which: str) -> None:
    model = model_of(case, which)
    shape = data.draw(st.tuples(st.integers(0, 4), st.sampled_from([0, 1, 3, 10, 11])))
    flat = data.draw(
        st.lists(
            data.draw(st.sampled_from([floats, numbers])),
            min_size=shape[0] * shape[1],
            max_size=shape[0] * shape[1],
        )
    )
    X = np.array(flat, dtype=float).reshape(shape)
    kind = data.draw(st.sampled_from(["C", "F", "f4", "big-endian", "objects", "CSR", "lists"]))
    with np.errstate(over="ignore"):
        block = {
            "C": lambda: X,
            "F": lambda: np.asfortranarray(X),
            "f4": lambda: X.astype("f4"),
            "big-endian": lambda: X.astype(">f8"),
            "objects": lambda: X.astype(object),
            "CSR": lambda: sp.csr_array(X),
            "lists": lambda: X.tolist(),
        }[kind]()
    y = data.draw(st.lists(target_of(case), min_size=shape[0], max_size=shape[0]))
    check(model, "learn_many", block, y)
    check(model, "predict_learn_many", block, y)
    check(model, "predict_many", block)
    for row in X:
        check(model, "learn_one", row, y[0])
        check(model, "score_one", row)


class Sparse:
    """What calls itself a CSR matrix."""

    def __init__(self, data: Any, indices: Any, indptr: Any, shape: Any) -> None:
        self.data, self.indices, self.indptr, self.shape = data, indices, indptr, shape


whole = st.sampled_from([-(2**63), -1, 0, 1, 2, 3, 4, 9, 2**31, 2**32, 2**63 - 1])
parts = st.one_of(
    st.lists(st.integers(0, 4), max_size=6).map(np.array),
    st.lists(whole, max_size=5).map(lambda v: np.array(v, dtype=np.int64)),
    st.lists(st.integers(0, 4), max_size=5),
    st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=1), max_size=4).map(np.array),
    st.sampled_from(
        [None, 5, "text", np.array(1), np.array([0.5]), np.array([b"x"]), [[1], [1, 2]]]
    ),
)
shapes = st.one_of(
    st.tuples(st.integers(0, 4), st.integers(0, 5)),
    st.sampled_from(
        [None, (), (2,), (1, 2, 3), (-1, 2), (2, -1), ("2", 2), (2.5, 2), 4, (2, 2**40)]
    ),
)


@given(data=st.data(), which=models)
def test_sparse_matrices(case: Case, data: st.DataObject, which: str) -> None:
    model = model_of(case, which)
    n = data.draw(st.integers(0, 4))
    counts = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    used = sum(counts)
    good = {
        "data": np.array(data.draw(st.lists(numbers, min_size=used, max_size=used)), dtype=float),
        "indices": np.array(
            data.draw(st.lists(st.integers(0, 4), min_size=used, max_size=used)), dtype=np.int32
        ),
        "indptr": np.cumsum([0, *counts]),
        "shape": (n, 5),
    }
    for spoiled in data.draw(st.lists(st.sampled_from(list(good)), max_size=2, unique=True)):
        good[spoiled] = data.draw(shapes if spoiled == "shape" else parts)
    X = Sparse(**good)
    y = data.draw(st.lists(target_of(case), min_size=n, max_size=n))
    check(model, "learn_many", X, y)
    check(model, "predict_learn_many", X, y)
    check(model, "predict_many", X)
    check(model, "score_many", X)


def test_infinite_entries_of_one_place(case: Case) -> None:
    """They do not add up to a missing value."""
    y = ["ham"] * 2 if case.takes_labels else [1.0, 2.0]
    for entries in ([np.inf, -np.inf], [1e308, 1e308], [-np.inf, 1.0]):
        model = case.make()
        before = fingerprint(model)
        X = sp.csr_array((np.array([2.0, *entries]), [0, 1, 1], [0, 1, 3]), shape=(2, 3))
        told = attempt(model, "learn_many", X, y)
        assert_finite(model)
        if not np.isfinite(entries).all():
            assert told is not None
            assert fingerprint(model) == before


def test_extreme_numbers_that_are_fine(case: Case) -> None:
    """Every finite number gets an answer, and learning it gives finite weights or is refused."""
    some = [5e-324, -1e-160, 1e100, -1e160, 1.7976931348623157e308]
    for a, b in product(some, some):
        model = case.make()
        for i in range(3):
            y = "xyz"[i] if case.takes_labels else [1.0, -b, a][i]
            check(model, "learn_one", {"f1": a, "f2": b, "f3": -a}, y)
            check(model, "learn_many", [{"f1": b}, {"f2": a, "new": 1.0}], [y, y])
        for x in ({"f1": a, "f2": b}, {"f1": b, "f2": a, "f3": 1.0}):
            assert attempt(model, "predict_one", x) is None
            assert attempt(model, "score_many", [x]) is None


def test_a_negative_zero_is_a_zero(case: Case) -> None:
    minus, plus = case.make(), case.make()
    for i in range(6):
        y = ["x", "y", "z"][i % 3] if case.takes_labels else float(i)
        minus.learn_one({"a": -0.0, "b": 1.0}, y)
        plus.learn_one({"a": 0.0, "b": 1.0}, y)
    assert minus.score_one({"a": 1.0, "b": 2.0}) == plus.score_one({"a": 1.0, "b": 2.0})


def test_huge_and_tiny_weights(case: Case) -> None:
    for w in (5e-324, 1e-300, 1e-100, 1e100, 1e300, 1.7e308):
        for x in ({"f1": 1.0}, {"f1": 1e150, "f2": 1.0}, {"f1": 1e-150}):
            model = named(case, 10)
            for i in range(2):
                y = ["x", "y"][i] if case.takes_labels else [1.0, -1e10][i]
                check(model, "learn_one", x, y, w)
                check(model, "learn_many", [x, x], [y, y], [1.0, w])


def test_names_too_long_to_write_down(case: Case) -> None:
    """Python refuses to print whole numbers of more than 4,300 digits."""
    for model in (case.make(), named(case, 10)):
        y = "ham" if case.takes_labels else 1.0
        check(model, "learn_one", {10**5000: 1.0}, y)
        check(model, "learn_many", [{"a": 1.0}, {10**5000: 1.0}], [y, y])
        check(model, "predict_one", {10**5000: 1.0})
        check(model, "learn_one", {"a": 10**5000}, y)
        check(model, "learn_one", {"a": 1.0}, 10**5000)
        check(model, "learn_many", [{"a": 1.0}] * 2, [y, 10**5000])
        check(model, "learn_one", {"a": 1.0}, y, 10**5000)
    if case.takes_labels:
        check(case.make(), "learn_one", {"a": 1.0}, 10**5000)
        check(case.make(), "learn_many", [{"a": 1.0}], [10**5000])


class Hostile(dict[str, Any]):
    """A mapping of the user's own that fails."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(a=1.0)
        self.error = error

    def items(self) -> Any:
        raise self.error


def test_errors_of_the_users_own_code_come_through(case: Case) -> None:
    model = named(case, 10)
    before = fingerprint(model)
    errors = [
        KeyError("k"),
        RuntimeError("r"),
        KeyboardInterrupt(),
        UnicodeDecodeError("utf-8", b"", 0, 1, "u"),
        ValueError("v"),
    ]
    for error in errors:
        for verb in ("learn_one", "predict_one", "learn_many", "score_many"):
            x: Any = Hostile(error)
            y: Any = "ham" if case.takes_labels else 1.0
            if verb.endswith("many"):
                x, y = [{"b": 1.0}, x], [y, y]
            try:
                getattr(model, verb)(*((x, y) if "learn" in verb else (x,)))
            except BaseException as caught:
                kind = type(caught)
            assert issubclass(kind, type(error)) or issubclass(type(error), kind)
            assert fingerprint(model) == before
