"""JSON lines."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.json
import pytest

from onstream import PAClassifier
from onstream.streams import files, read_jsonl


@pytest.fixture
def write(tmp_path: Path):
    def write(*lines: str | bytes | dict) -> Path:
        path = tmp_path / "data.jsonl"
        texts = [json.dumps(line) if isinstance(line, dict) else line for line in lines]
        path.write_bytes(b"".join((t.encode() if isinstance(t, str) else t) + b"\n" for t in texts))
        return path

    return write


GOOD = {"a": 1, "b": "x", "c": True, "y": "no"}


def test_rows(write) -> None:
    path = write(GOOD, {"a": 2.5, "b": None, "c": False, "y": "yes"})
    assert list(read_jsonl(path, target="y")) == [
        ({"a": 1.0, "b": "x", "c": True}, "no"),
        ({"a": 2.5, "b": None, "c": False}, "yes"),
    ]


def test_keys_come_and_go(write, monkeypatch) -> None:
    monkeypatch.setattr(files.line_blocks, "__defaults__", (32,))
    path = write(*({f"f{i}": i, "y": i % 2} for i in range(40)))
    rows = list(read_jsonl(path, target="y"))
    assert len(rows) == 40
    for i, (x, y) in enumerate(rows):
        assert {k: v for k, v in x.items() if v is not None} == {f"f{i}": float(i)}
        assert y == i % 2
    model = PAClassifier().fit(read_jsonl(path, target="y"))
    assert model.seen == 40
    assert len(model.weights) == 40


def test_columns(write) -> None:
    path = write({**GOOD, "w": 2}, {**GOOD, "w": 3, "new": 1})
    assert list(read_jsonl(path, target="y", weight="w", only=["a"])) == [
        ({"a": 1.0}, "no", 2.0),
        ({"a": 1.0}, "no", 3.0),
    ]
    x, _ = next(iter(read_jsonl(path, target="y", drop=["b", "c", "w"])))
    assert x == {"a": 1.0, "new": None}
    with pytest.raises(TypeError, match="must be a key"):
        read_jsonl(path, target=1)


def test_nested_values_that_are_dropped_do_not_matter(write) -> None:
    path = write({"a": 1, "y": 1, "deep": {"b": [1]}})
    assert list(read_jsonl(path, target="y", drop="deep")) == [({"a": 1.0}, 1)]
    with pytest.raises(ValueError, match='column "deep": the value is an object or a list'):
        list(read_jsonl(path, target="y"))


def test_dates_are_text(write) -> None:
    path = write({"a": "2020-01-01T00:00:00Z", "y": 1}, {"a": "soon", "y": 0})
    assert [x["a"] for x, _ in read_jsonl(path, "y")] == ["2020-01-01T00:00:00Z", "soon"]


BAD = {
    "no JSON": ('{"a": 1, "y": ', "line 2: not valid JSON"),
    "a list": ("[1, 2]", "line 2: a line must be an object, not an array"),
    "text for a number": ('{"a": "z", "b": "x", "y": "no"}', "column \"a\": 'z' is not a number"),
    "number for text": ('{"a": 1, "b": 7, "y": "no"}', 'column "b": 7 is not text'),
    "no target": ('{"a": 1, "b": "x"}', 'line 2, column "y": the target is missing'),
    "null target": ('{"a": 1, "b": "x", "y": null}', 'column "y": the target is missing'),
    "an object": ('{"a": {"b": 1}, "y": "no"}', 'column "a": the value is an object or a list'),
    "two on a line": ('{"a": 1, "y": "no"} {"a": 2, "y": "no"}', "line 2: not valid JSON"),
    "too large": ('{"a": 1e999, "y": "no"}', "line 2"),
    "bad UTF-8": (b'{"a": 1, "b": "\xff\xfe", "y": "no"}', "line 2: the text is not valid UTF-8"),
    "zeros": (b"\0\0\0", "line 2"),
    "deep": ('{"a":' + "[" * 5000 + "1" + "]" * 5000 + "}", "line 2"),
    "null": ("null", "line 2: a line must be an object, not null"),
    "a number": (" 17", "line 2: a line must be an object, not a number"),
    "text": ('"{}"', "line 2: a line must be an object, not text"),
    "an object and null": ('{"a": 1, "y": "no"} null', "line 2: not valid JSON"),
    "a name twice": ('{"a": 1, "a": 2, "y": "no"}', "line 2"),
    "bool for a number": ('{"a": true, "y": "no"}', 'column "a": True is not a number'),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_lines(write, tmp_path: Path, case: str) -> None:
    text, message = BAD[case]
    path = write(GOOD, text, GOOD)
    with pytest.raises(ValueError, match=message):
        list(read_jsonl(path, target="y"))
    stream = read_jsonl(path, target="y", on_error=tmp_path / "bad.jsonl")
    assert len(list(stream)) == 2
    assert stream.rejected == 1
    raw = text if isinstance(text, bytes) else text.encode()
    assert (tmp_path / "bad.jsonl").read_bytes() == stream.messages[
        0
    ].encode() + b"\t" + raw + b"\n"


@pytest.mark.parametrize("chunk", [8, 1 << 20])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("null", "line 1: a line must be an object, not null"),
        ("\n \nnull", "line 3: a line must be an object, not null"),
        ('{"deep":' + "[" * 30_000 + "]" * 30_000 + "}", "line 1.*nested deeper than 64"),
        ('{"deep":' + '{"a":' * 30_000 + "1" + "}" * 30_001, "line 1.*nested deeper than 64"),
        ("[" * 30_000 + "]" * 30_000, "line 1: a line must be an object, not an array"),
        ('{"deep":' + "[" * 30_000, "line 1"),
    ],
)
def test_what_comes_first_may_be_anything(
    write, monkeypatch, text: str, message: str, chunk: int
) -> None:
    """Arrow must not see it: some of these end the process."""
    monkeypatch.setattr(files.line_blocks, "__defaults__", (chunk,))
    path = write(text, GOOD, GOOD)
    with pytest.raises(ValueError, match=f"data.jsonl: {message}"):
        list(read_jsonl(path, target="y", drop="deep"))
    stream = read_jsonl(path, target="y", drop="deep", on_error="skip")
    assert len(list(stream)) == 2
    assert stream.rejected == 1


def test_values_that_are_not_very_deep(write) -> None:
    line = '{"a": 1, "y": 0, "deep": ' + "[" * 60 + '"[[[{{{]]"' + "]" * 60 + "}"
    assert list(read_jsonl(write(line, line), target="y", drop="deep")) == [({"a": 1.0}, 0)] * 2


def test_text_that_looks_like_two_rows(write) -> None:
    texts = ['} null {"a": 2}', "[{", "}{", "\\", 'a"} {"b'] * 30
    path = write(*({"a": text, "y": i} for i, text in enumerate(texts)))
    assert [x["a"] for x, _ in read_jsonl(path, target="y")] == texts


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"a": 1, "y": 0},\n{"a": 1, "y": 0}]', "line 1: a line must be an object, not an array"),
        ('[\n{"a": 1, "y": 0}\n]', r"line 1: .* an array; .*jq -c '\.\[\]'"),
        ('{\n"a": 1, "y": 0\n}', "line 1: not valid JSON: the object does not end on its line"),
    ],
)
def test_json_that_is_no_lines(write, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        list(read_jsonl(write(text), target="y"))


def test_many_keys_take_one_pass(write, monkeypatch) -> None:
    """A table that is made anew for each of its columns takes time as their square."""

    class Table:
        def __init__(self, table: pa.Table) -> None:
            self.table = table

        def __getattr__(self, name: str) -> Any:
            assert name != "set_column"
            return getattr(self.table, name)

    real = pyarrow.json.read_json
    monkeypatch.setattr("pyarrow.json.read_json", lambda *a, **o: Table(real(*a, **o)))
    row = {**{f"k{i}": i for i in range(1000)}, "y": "x"}
    [(x, y), _] = read_jsonl(write(row, row), target="y")
    assert x == {f"k{i}": float(i) for i in range(1000)}
    assert y == "x"


def test_first_targets_are_null(write) -> None:
    path = write({"a": 1, "y": None})
    with pytest.raises(ValueError, match='line 1, column "y": the target is missing'):
        list(read_jsonl(path, target="y"))
    path = write({"a": 1, "y": None, "w": None}, {"a": 1, "y": "no", "w": 2})
    stream = read_jsonl(path, target="y", weight="w", on_error="skip")
    assert list(stream) == [({"a": 1.0}, "no", 2.0)]
    assert stream.rejected == 1


def test_a_whole_target_stays_whole(write, monkeypatch) -> None:
    monkeypatch.setattr(files.line_blocks, "__defaults__", (8,))
    path = write({"a": 1, "y": 1}, {"a": 1.5, "y": 2}, {"a": 1, "y": 2.5})
    with pytest.raises(ValueError, match=r'line 3, column "y": 2.5 is not a whole number'):
        list(read_jsonl(path, target="y"))


def test_nan_is_missing(write) -> None:
    path = write(GOOD, '{"a": NaN, "y": "no"}', '{"a": Infinity, "y": "no"}')
    stream = read_jsonl(path, target="y", on_error="skip")
    assert [x["a"] for x, _ in stream] == [1.0, None]
    assert stream.rejected == 1


def test_blank_lines(write) -> None:
    assert len(list(read_jsonl(write(GOOD, "", "  ", GOOD), target="y"))) == 2


def test_empty(write) -> None:
    assert list(read_jsonl(write(), target="y")) == []


def test_a_date_on_a_line_that_is_read_alone(write, monkeypatch) -> None:
    monkeypatch.setattr(files.line_blocks, "__defaults__", (8,))
    path = write({"a": "2020-01-01", "y": 1}, {"a": "2020-01-02", "b": "2020-01-01", "y": 0})
    stream = read_jsonl(path, "y", on_error="skip")
    assert [x["a"] for x, _ in stream] == ["2020-01-01", "2020-01-02"]
    assert stream.rejected == 0


def test_the_reason_is_not_hidden_by_nan(write) -> None:
    path = write(GOOD, '{"a": NaN, "b": 7, "y": "no"}')
    with pytest.raises(ValueError, match='line 2, column "b": 7 is not text'):
        list(read_jsonl(path, target="y"))


def test_large_whole_numbers(write) -> None:
    stream = read_jsonl(write({"a": 2**60 + 1, "y": 2**60 + 1}), target="y")
    assert list(stream) == [({"a": 2.0**60}, 2**60 + 1)]
