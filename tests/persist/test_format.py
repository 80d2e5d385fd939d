"""The file format: safetensors with a JSON header and a SHA-256; nothing else is accepted."""

import contextlib
import hashlib
import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors
import safetensors.numpy

import onstream
from onstream.base import learners
from onstream.base.parameters import parameters
from onstream.persist import dumps, loads
from onstream.persist.format import ModelFileError

from .forge import BLANK, Parts, put_together, seal, small_models, take_apart, tensor

MODELS = small_models()
MADE = [name for name in learners() if f"{name} named" in MODELS]


LATER = ("new", "columns")  # states that come with the slow tests, but for the first family


@pytest.fixture(
    params=[
        pytest.param(name, marks=pytest.mark.slow if slow else ())
        for name in MODELS
        for slow in [name.split()[1] in LATER and not name.startswith("PAClassifier")]
    ],
    ids=str,
)
def model(request: pytest.FixtureRequest) -> Any:
    return MODELS[request.param]


def test_another_library_can_read_it(model: Any, tmp_path: Any) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(dumps(model))
    with safetensors.safe_open(path, framework="numpy") as file:
        header = json.loads(file.metadata()["onstream"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    assert header["cls"] == type(model).__name__
    assert header["format"] == 1
    assert header["numbers"]["seen"] == model.seen
    assert {tensor.dtype.name for tensor in tensors.values()} <= {"float64", "int64", "uint8"}
    assert set(safetensors.numpy.load(dumps(model))) == set(take_apart(dumps(model)).tensors)


def test_the_checksum_is_over_everything(model: Any) -> None:
    data = dumps(model)
    size = int.from_bytes(data[:8], "little")
    told = json.loads(data[8 : 8 + size])["__metadata__"]["sha256"]
    assert hashlib.sha256(data.replace(told.encode(), BLANK.encode())).hexdigest() == told
    assert size % 8 == 0  # tensors are aligned


def test_taking_apart_and_putting_together(model: Any) -> None:
    """The forge of these tests makes files that are accepted."""
    data = dumps(model)
    parts = take_apart(data)
    for forged in (put_together(parts), put_together(parts, pad=False), seal(data)):
        assert dumps(loads(forged)) == data


def test_equal_bytes(model: Any) -> None:
    assert dumps(model) == dumps(model)
    assert dumps(loads(dumps(model))) == dumps(model)


def test_names_and_labels() -> None:
    model = onstream.PAClassifier()
    names = ["a", "", "\0", "naïve 名", "x" * 1000, 5, -5, 10**30, "a=b", '"sha256":"', "0"]
    model.learn_one(dict.fromkeys(names, 1.0), "ä")
    model.learn_one({"a": -1.0}, "")
    again = loads(dumps(model))
    assert list(again.weights) == names
    assert again.labels == ["ä", ""]
    parts = take_apart(dumps(model))
    assert parts.tensors["features.bytes"].dtype == "U8"
    assert parts.tensors["features.offsets"].array[-1] == len(parts.tensors["features.bytes"].data)


@pytest.mark.parametrize(
    "data",
    [b"", b"\0", b"\0" * 8, b"\0" * 100, b"{}", b"\x80\x04K\x01.", b"PK\x03\x04" * 20, b"{" * 64],
)
def test_what_is_no_file_of_ours(data: bytes) -> None:
    with pytest.raises(ModelFileError):
        loads(data)


@pytest.mark.parametrize("data", ["text", None, 5, [], {}])
def test_what_is_not_even_bytes(data: Any) -> None:
    with pytest.raises((TypeError, ModelFileError)):
        loads(data)


def test_safetensors_of_others_are_refused() -> None:
    other = safetensors.numpy.save({"weights": np.zeros(3)}, metadata={"format": "np"})
    with pytest.raises(ModelFileError, match="not written by onstream"):
        loads(other)


def test_errors_are_sentences() -> None:
    data = dumps(MODELS["PAClassifier named"])
    for bad in (
        data[:-1],
        data[:50],
        data[:9],
        data + b"x",
        b"x" + data,
        data[:300] + b"?" + data[301:],
    ):
        with pytest.raises(ModelFileError, match=r"^\w.{15,}\.$") as told:
            loads(bad)
        assert isinstance(told.value, ValueError)


def change(model: Any, **header: Any) -> bytes:
    parts = take_apart(dumps(model))
    return put_together(Parts({**parts.header, **header}, parts.tensors))


@pytest.mark.parametrize("version", [0, 2, -1, 1.0, "1", None, True, 10**30, [1], {}])
def test_other_versions(version: Any) -> None:
    with pytest.raises(ModelFileError, match=r"format|header"):
        loads(change(MODELS["PAClassifier named"], format=version))


@pytest.mark.parametrize(
    "cls",
    ["Nobody", "", "Learner", "os.system", "builtins.eval", None, 5, ["PAClassifier"], "x" * 10**6],
)
def test_other_classes(cls: Any) -> None:
    with pytest.raises(ModelFileError) as told:
        loads(change(MODELS["PAClassifier named"], cls=cls))
    assert len(str(told.value)) < 400


def test_the_state_of_one_class_is_not_that_of_another() -> None:
    """The parameters differ, so it is noticed."""
    for name in MADE:
        data = change(MODELS[f"{name} named"])
        for other in MADE:
            if parameters(learners()[other]).keys() != parameters(learners()[name]).keys():
                with pytest.raises(ModelFileError, match="parameters"):
                    loads(change(MODELS[f"{name} named"], cls=other))
        assert type(loads(data)).__name__ == name


@pytest.mark.parametrize("params", [{}, {"C": 1.0}, None, [], "C=1", 5])
def test_missing_parameters(params: Any) -> None:
    with pytest.raises(ModelFileError):
        loads(change(MODELS["PAClassifier named"], params=params))


BAD = [None, "text", [], {}, -1, 0, 1e308, 10**30, True, 0.5, [[]], {"a": 1}]


def test_parameters_of_the_wrong_kind(model: Any) -> None:
    """Refused, or a model with just these parameters, that can be cloned."""
    parts = take_apart(dumps(model))
    for name, value in parts.header["params"].items():
        for bad in BAD:
            if bad == value and type(bad) is type(value):
                continue
            data = change(model, params={**parts.header["params"], name: bad})
            try:
                other = loads(data)
            except ModelFileError:
                continue
            assert other.params[name] in (
                bad,
                bad if isinstance(bad, (str, list, dict, type(None))) else float(bad),
            )
            assert other.clone().params == other.params
            assert dumps(loads(dumps(other))) == dumps(other)
    for extra in ("init", "reset_schedule", "no_such", "__class__"):
        with pytest.raises(ModelFileError, match="parameters"):
            loads(change(model, params={**parts.header["params"], extra: 1}))


def test_numbers_of_the_wrong_kind(model: Any) -> None:
    parts = take_apart(dumps(model))
    for name, value in parts.header["numbers"].items():
        for bad in [*BAD, 2**63, -(2**63), 1.5, -5, 1e-320]:
            if bad == value and type(bad) is type(value):
                continue
            try:
                other = loads(change(model, numbers={**parts.header["numbers"], name: bad}))
            except ModelFileError:
                continue
            usable(other)
        missing = {key: v for key, v in parts.header["numbers"].items() if key != name}
        with pytest.raises(ModelFileError, match=name):
            loads(change(model, numbers=missing))
    with pytest.raises(ModelFileError, match="more"):
        loads(change(model, numbers={**parts.header["numbers"], "more": 1}))


def usable(model: Any) -> None:
    """Whatever was accepted is a model like any other."""
    data = dumps(model)
    assert dumps(loads(data)) == data
    assert model.clone().params == model.params
    answers = model.score_many([{"a": 1.0, "b": 2.0}, {}, {"7": 1.0}])
    assert np.isfinite(answers).all()
    weights = getattr(model, "weights", {})
    for weight in flatten(weights if isinstance(weights, dict) else {}):
        assert np.isfinite(weight)
    target = model.labels[0] if getattr(model, "labels", None) else 1
    try:
        model.learn_one({"a": 1.0, "new": 1.0}, target)
    except ValueError as error:
        refused = str(error)
        assert refused.startswith(type(model).__name__)
    assert np.isfinite(model.score_many([{"a": 1.0, "new": 2.0}])).all()


def flatten(weights: Any) -> list[float]:
    if isinstance(weights, dict):
        return [v for value in weights.values() for v in flatten(value)]
    return [weights]


def test_tensors_of_the_wrong_kind(model: Any) -> None:
    parts = take_apart(dumps(model))
    for name, (dtype, shape, raw) in parts.tensors.items():
        n = len(raw)
        wrong = [
            tensor(np.zeros(n // 8 + 1), "F64"),
            tensor(np.zeros((1, n // 8 + 1)), "F64"),
            tensor(np.zeros(n + 1), "U8"),
            tensor(np.full(n // 8, -1), "I64"),
            parts.tensors[name]._replace(shape=[*shape, 1]),
            parts.tensors[name]._replace(shape=[1, *shape]),
            parts.tensors[name]._replace(dtype="I64" if dtype == "F64" else "F64"),
            parts.tensors[name]._replace(dtype="BF16"),
            parts.tensors[name]._replace(dtype="?"),
            parts.tensors[name]._replace(data=raw[:-1]),
            parts.tensors[name]._replace(data=raw + b"\0" * 8),
            parts.tensors[name]._replace(shape=[2**62, 2**62]),
            parts.tensors[name]._replace(shape=[-1]),
        ]
        if dtype == "F64" and n:
            for bad in (np.nan, np.inf, -np.inf, 1e305):
                array = parts.tensors[name].array.copy()
                array.flat[-1] = bad
                wrong.append(tensor(array))
        for bad_tensor in wrong:
            if bad_tensor == parts.tensors[name] or not n:
                continue
            data = put_together(Parts(parts.header, {**parts.tensors, name: bad_tensor}))
            with pytest.raises(ModelFileError):
                loads(data)
        left = {key: value for key, value in parts.tensors.items() if key != name}
        with pytest.raises(ModelFileError):
            loads(put_together(Parts(parts.header, left)))
    extra = {**parts.tensors, "more": tensor([1.0])}
    with pytest.raises(ModelFileError, match="more"):
        loads(put_together(Parts(parts.header, extra)))


def test_an_asymmetric_covariance() -> None:
    parts = take_apart(dumps(MODELS["RLS named"]))
    P = parts.tensors["P"].array.copy()
    P[0, 1] += 1.0
    with pytest.raises(ModelFileError, match="P"):
        loads(put_together(Parts(parts.header, {**parts.tensors, "P": tensor(P)})))


def names_of(values: list[Any], name: str) -> dict[str, Any]:
    texts = [str(value).encode("utf-8", "surrogatepass") for value in values]
    kinds = [["str", "int", "bool"].index(type(value).__name__) for value in values]
    return {
        f"{name}.bytes": tensor(np.frombuffer(b"".join(texts), "u1"), "U8"),
        f"{name}.offsets": tensor(np.cumsum([0, *map(len, texts)]), "I64"),
        f"{name}.kinds": tensor(kinds, "U8"),
    }


@pytest.mark.parametrize(
    "features",
    [
        ["a", "a", "c", "d", "e"],
        ["3", 3, "c", "d", "e"],
        [3, "3", "c", "d", "e"],
        [True, "b", "c", "d", "e"],
        ["\ud800", "b", "c", "d", "e"],
        ["a"],
        ["a", "b", "c", "d", "e", "f"],
        [10**19, str(10**19), "c", "d", "e"],
    ],
)
def test_features_that_cannot_be(features: list[Any]) -> None:
    model = MODELS["PAClassifier named"]
    assert len(model.weights) == 5
    parts = take_apart(dumps(model))
    fine = names_of(["a", "b", "c", 7, "e"], "features")
    loads(put_together(Parts(parts.header, {**parts.tensors, **fine})))
    with pytest.raises(ModelFileError):
        loads(
            put_together(Parts(parts.header, {**parts.tensors, **names_of(features, "features")}))
        )


@pytest.mark.parametrize(
    "labels", [["a", "a"], ["a", 1], [True, 1], [True], ["a", "b", "c"], ["\ud800", "b"], [1, "1"]]
)
def test_labels_that_cannot_be(labels: list[Any]) -> None:
    parts = take_apart(dumps(MODELS["PAClassifier named"]))
    if labels == [True]:
        labels = [True, True]
    with pytest.raises(ModelFileError):
        loads(put_together(Parts(parts.header, {**parts.tensors, **names_of(labels, "labels")})))


def test_offsets_and_kinds_of_names() -> None:
    parts = take_apart(dumps(MODELS["PAClassifier named"]))
    good = parts.tensors["features.offsets"].array
    bad_offsets = [
        good[::-1],
        good + 1,
        good - 1,
        np.zeros_like(good),
        np.full_like(good, 2**62),
        good[:-1],
        [0, 99, *good[2:]],
        [0, 3, 1, *good[3:]],
        [],
    ]
    for offsets in bad_offsets:
        changed = {**parts.tensors, "features.offsets": tensor(offsets, "I64")}
        with pytest.raises(ModelFileError):
            loads(put_together(Parts(parts.header, changed)))
    for kinds in ([3, 0, 0, 1, 0], [255] * 5, [1] * 5, [2] * 5, [0, 0, 0, 1], []):
        changed = {**parts.tensors, "features.kinds": tensor(kinds, "U8")}
        with pytest.raises(ModelFileError):
            loads(put_together(Parts(parts.header, changed)))
    for text in ("1_0", " 7", "+7", "07", "٧", "7.0", "-0", ""):
        odd = names_of(["a", "b", "naïve", "7", "s=text"], "features")
        raw = "abnaïve".encode() + text.encode() + b"s=text"
        ends = np.cumsum([0, 1, 1, 6, len(text.encode()), 6])
        odd["features.bytes"] = tensor(np.frombuffer(raw, "u1"), "U8")
        odd["features.offsets"] = tensor(ends, "I64")
        odd["features.kinds"] = tensor([0, 0, 0, 1, 0], "U8")
        with pytest.raises(ModelFileError):
            loads(put_together(Parts(parts.header, {**parts.tensors, **odd})))


@pytest.mark.parametrize(
    "names",
    [
        [],
        ["features"],
        ["features", "features", "labels"],
        ["labels", "features", "weights"],
        [5],
        None,
    ],
)
def test_the_list_of_lists(names: Any) -> None:
    with pytest.raises(ModelFileError):
        loads(change(MODELS["PAClassifier named"], names=names))


def test_a_field_must_not_be_there_twice() -> None:
    parts = take_apart(dumps(MODELS["PAClassifier named"]))
    for name in ("features", "labels", "weights"):
        with pytest.raises(ModelFileError, match=name):
            loads(
                change(MODELS["PAClassifier named"], numbers={**parts.header["numbers"], name: 1})
            )


def test_a_bias_without_an_intercept() -> None:
    for name in MADE:
        parts = take_apart(dumps(MODELS[f"{name} named"]))
        if "intercept" not in parts.header["params"]:
            continue
        params = {**parts.header["params"], "intercept": False}
        header = {**parts.header, "params": params}
        with pytest.raises(ModelFileError):
            loads(put_together(Parts(header, parts.tensors)))


def test_a_file_cannot_ask_for_memory() -> None:
    """Huge parameters are noticed before anything of that size is made."""
    for name in MADE:
        model = MODELS[f"{name} named"]
        header = take_apart(dumps(model)).header
        for part, field, value in (
            ("params", "hash_bits", 24),
            ("params", "hash_bits", 13),
            ("params", "max_labels", 2**31 - 1),
            ("numbers", "implicit", 2**31 - 1),
            ("numbers", "columns", 2**31 - 1),
        ):
            if field in header[part]:
                data = change(model, **{part: {**header[part], field: value}})
                assert peak_of(data) < 1_000_000, f"{name} {field}={value}"


def peak_of(data: bytes) -> int:
    """Most bytes held while these are loaded."""
    tracemalloc.start()
    try:
        with contextlib.suppress(ModelFileError):
            loads(data)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_header_lengths() -> None:
    data = dumps(MODELS["PAClassifier named"])
    for size in (0, 1, len(data), len(data) - 8, 2**31, 2**63, 2**64 - 1, 100_000_001):
        with pytest.raises(ModelFileError):
            loads(seal(size.to_bytes(8, "little") + data[8:]))


def test_nested_and_repeated_json() -> None:
    deep = "[" * 100_000 + "]" * 100_000
    parts = take_apart(dumps(MODELS["PAClassifier named"]))
    for text in (deep, '{"format": 1' * 5000, '{"a":' * 50_000, "null", "1", "[]", '"x"', ""):
        with pytest.raises(ModelFileError):
            loads(put_together(Parts(text, parts.tensors)))
    plain = json.dumps(parts.header)
    for text in (
        plain.replace("1.0", "NaN"),
        plain.replace("1.0", "1e999"),
        plain.replace("1.0", "Infinity"),
    ):
        assert text != plain
        with pytest.raises(ModelFileError):
            loads(put_together(Parts(text, parts.tensors)))
    params = {**parts.header["params"], "labels": json.loads("[" * 500 + "]" * 500)}
    with pytest.raises(ModelFileError):
        loads(put_together(Parts({**parts.header, "params": params}, parts.tensors)))


@pytest.mark.parametrize(
    "labels",
    [5, "no", [None], [["no"]], {"no": 1}, [1.5], ["no", "no"], ["other"], [1], ["yes", "no"]],
)
def test_declared_labels_must_be_those_of_the_state(labels: Any) -> None:
    model = onstream.PAClassifier(labels=["no", "yes"])
    model.learn_one({"a": 1.0}, "no")
    params = take_apart(dumps(model)).header["params"]
    for fine in (None, ["no"], ["no", "yes"]):
        loads(change(model, params={**params, "labels": fine}))
    with pytest.raises(ModelFileError):
        loads(change(model, params={**params, "labels": labels}))


def test_bytes_of_any_kind() -> None:
    data = dumps(onstream.PAClassifier())
    for same in (data, bytearray(data), memoryview(data), memoryview(data * 2)[: len(data)]):
        assert dumps(loads(same)) == data
    for other in (None, "abc", 3, [1, 2], Path("model")):
        with pytest.raises(TypeError, match=r"^loads: data must be the bytes of a model, got "):
            loads(other)  # type: ignore[arg-type]
