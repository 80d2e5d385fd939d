"""Rows of plain numbers, read straight into a matrix: as msgspec reads them, or not at all."""

import json
import random
import struct
from typing import Any

import msgspec
import numpy as np
import pytest

from onstream.core.number_frames import NumberFrame
from onstream.serve import body
from onstream.serve._number_rows import read_numbers
from onstream.serve.answers import answers
from onstream.serve.models import hashed

NAMES = list("abcdefghij")


def read(data: bytes) -> NumberFrame | None:
    return read_numbers(data, 1000, 256)


def wrap(*rows: str) -> bytes:
    return f'{{"examples": [{", ".join(rows)}]}}'.encode()


def bits(rows: list[list[Any]]) -> list[list[bytes]]:
    return [[struct.pack("d", float(value)) for value in row] for row in rows]


def numbers(rng: random.Random) -> str:
    """A number as JSON, of any shape."""
    kind = rng.randrange(9)
    if kind == 0:
        return json.dumps(
            struct.unpack("d", struct.pack("Q", rng.getrandbits(63) % (2047 << 52)))[0]
        )
    if kind == 1:
        return json.dumps(rng.gauss(0, 1))
    if kind == 2:
        return str(rng.randrange(-(10 ** rng.randrange(1, 19)), 10 ** rng.randrange(1, 19)))
    if kind == 3:
        return rng.choice(
            ["0", "-0", "0.0", "-0.0", "0e5", "-0E-3", "0.10", "1E5", "1e+2", "1e-320"]
        )
    if kind == 4:  # half-way between two doubles, and beside it
        near = 2**53 + 2 * rng.randrange(2**40) + rng.randrange(3)
        return f"{near}.{'0' * rng.randrange(1, 4)}"
    if kind == 5:
        tie = (2 * rng.randrange(2**52, 2**53) + 1) * 125  # thousandths: 1/8 is 0.125
        return f"{tie // 1000}.{tie % 1000:03}"
    if kind == 6:  # just above the middle, by less than a 64-bit quotient shows
        above = -(-(2 * rng.randrange(2**52, 2**53) + 1) * 10**18 // 2**53)
        return f"{above // 10**18}.{above % 10**18:018}"
    digits = "".join(rng.choices("0123456789", k=rng.randrange(1, 21)))
    return f"{rng.randrange(100)}.{digits}" + rng.choice(["", f"e{rng.randrange(-30, 30)}"])


def test_numbers_of_every_shape() -> None:
    rng = random.Random(5)
    for _ in range(300):
        table = [[numbers(rng) for _ in range(10)] for _ in range(2)]
        cells = [
            ", ".join(f'"{name}": {v}' for name, v in zip(NAMES, row, strict=True)) for row in table
        ]
        data = wrap(*(f'{{"x": {{{row}}}}}' for row in cells))
        found = read(data)
        assert found is not None, data
        assert found.names == NAMES
        decoded = [list(one["x"].values()) for one in json.loads(data)["examples"]]
        assert bits(found.values.tolist()) == bits(decoded)
        assert bits(found.values.tolist()) == bits(
            [list(one.x.values()) for one in body.decode(body.Predict, data).examples]
        )


def test_blanks() -> None:
    data = b'\n{ "examples"\t:[\r\n{"x" :{ "a":1 ,"b" : 2.5e0 } } , {"x":{"a":3,"b":4}}\n] } \n'
    found = read(data)
    assert found is not None
    assert (found.names, found.values.tolist()) == (["a", "b"], [[1.0, 2.5], [3.0, 4.0]])


A = '{"x": {"a": 1, "b": 2}}'


SPOILT = ["01", "1.", "+1", ".5", "1.e5", "-", "0x1", "1e", "NaN", "1\0", "1e999", "null", "true"]
TWICE = ['{"x": {}}', '{"x": {"a": 1, "a": 2}}', '{"x": {"\\u0061": 1}}', '{"x": {"\u00e4": 1}}',
         '{"x": {"a": "1"}}', f'{{"x": {{"{"a" * 257}": 1}}}}', '{"x": "text"}']  # fmt: skip


@pytest.mark.parametrize(
    "data",
    [wrap(A), wrap(), wrap(A, '{"x": {"b": 2, "a": 1}}'), wrap(A, '{"x": {"a": 1}}'),
     wrap('{"x": {"a": 1}}', A), wrap(A, '{"x": {"a": 1, "b": 2}, "id": "i"}'),
     *(wrap(one, one) for one in TWICE), wrap(A, A).replace(b"x", b"z"),
     *(wrap(A, A).replace(b"1", one.encode()) for one in SPOILT), wrap(A, A) + b"1",
     wrap(A, A)[:-1], b"", b"{", b'{"examples"', b'{"examples": [{"x": {"', b"\0"],
)  # fmt: skip
def test_what_is_not_plain_is_left_to_others(data: bytes) -> None:
    assert read(data) is None


def test_limits() -> None:
    row = '{"x": {' + ", ".join(f'"{i}": 1' for i in range(1000)) + "}}"
    assert read(wrap(row, row)) is not None
    longer = row.replace("}}", ', "more": 1}}')
    assert read(wrap(longer, longer)) is None
    name = "a" * 256
    assert read(wrap(*[f'{{"x": {{"{name}": 1}}}}'] * 2)) is not None
    assert body.plain_rows(wrap(A, A)) is None, "dicts cost less"
    assert body.plain_rows(wrap(*[A] * 400)) is not None


def test_spoilt_bodies_are_read_alike_or_not() -> None:
    rng, read_some = random.Random(8), 0
    whole = wrap(*(f'{{"x": {{"a": {i}.5, "bc": {-i}, "d": 1e{i % 3}}}}}' for i in range(3)))
    for _ in range(5000):
        data = bytearray(whole)
        for _ in range(rng.randrange(1, 3)):
            at = rng.randrange(len(data))
            kind = rng.randrange(3)
            if kind == 0:
                del data[at : at + rng.randrange(1, 4)]
            elif kind == 1:
                data[at:at] = rng.choice(
                    [b" ", b",", b'"', b"}", b"{", b"0", b".", b"\\", b"\xff", b"-"]
                )
            else:
                data[at] = rng.randrange(256)
        found = read(bytes(data))
        if found is not None:
            read_some += 1
            examples = msgspec.json.decode(bytes(data), type=body.Predict).examples
            assert [list(one.x) for one in examples] == [found.names] * len(examples)
            assert bits(found.values.tolist()) == bits([list(one.x.values()) for one in examples])
    assert read_some > 100


LEARNERS = [
    "PAClassifier()", "PAClassifier(hash_bits=3, hash_seed=1)", "LogisticRegression()", "AROW()",
    "SoftmaxRegression(hash_bits=None)", "PARegressor()", "GaussianNB()", "CategoricalNB()",
    "MultinomialNB()", "KNNClassifier(k=3)", "HoeffdingTreeClassifier(grace_period=10)",
    "HoeffdingTreeRegressor()", "StandardScaler() | PAClassifier()", "Imputer() | AROW()",
    "BudgetedPA()", "AdaptiveRandomForestClassifier(n_models=3)",
]  # fmt: skip


@pytest.mark.parametrize("text", LEARNERS)
@pytest.mark.filterwarnings("ignore::onstream.base.DataWarning")
def test_answers_are_those_of_dicts(text: str) -> None:
    rng = random.Random(4)
    learner = hashed(text)
    target = (lambda: rng.gauss(0, 1)) if "Regressor" in text else lambda: rng.randrange(3)
    lessons = [
        {"a": rng.gauss(0, 1) ** 2, "b": rng.randrange(4), "c": rng.choice(["x", "y"])}
        for _ in range(120)
    ]
    learner.learn_many(lessons, [target() for _ in lessons])
    for names in (["b", "a"], ["a", "c", "b"], ["a", "new", "b", "newer"], ["none"]):
        rows = [{name: rng.choice([0, 1, 2.5, 0.125]) for name in names} for _ in range(20)]
        found = read(wrap(*(json.dumps({"x": row}) for row in rows)))
        assert found is not None
        try:
            expected = answers(learner, rows)
        except (TypeError, ValueError):
            with pytest.raises((TypeError, ValueError)):
                answers(learner, found)
        else:
            assert answers(learner, found) == expected


def test_a_frame_like_any_other() -> None:
    """Who cannot read it as it is reads it as an Arrow table; NaN is missing."""
    import pyarrow as pa

    frame = NumberFrame(["a", "b"], np.array([[1.0, 2.0], [3.0, np.nan]]))
    assert pa.table(frame).to_pydict() == {"a": [1.0, 3.0], "b": [2.0, None]}
    learner, other = hashed("HoeffdingTreeClassifier()"), hashed("HoeffdingTreeClassifier()")
    learner.learn_many(frame, [0, 1])
    other.learn_many([{"a": 1.0, "b": 2.0}, {"a": 3.0}], [0, 1])
    assert answers(learner, frame) == answers(other, [{"a": 1.0, "b": 2.0}, {"a": 3.0}])
