"""Broken and hostile files: refused with a sentence, or a model like any other; never a crash."""

import copy
import json
import random
import resource
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from onstream.persist import dumps, loads
from onstream.persist.format import ModelFileError

from .forge import Parts, Tensor, put_together, seal, small_models, take_apart
from .test_format import usable

MODELS = {name: dumps(model) for name, model in small_models().items()}
NAMES = list(MODELS)


@pytest.fixture(autouse=True)
def little_memory() -> Iterator[None]:
    """Whoever asks for gigabytes gets none."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm") as status:
        used = int(status.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 2**30, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


def flip(data: bytearray, rng: random.Random) -> None:
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def write(data: bytearray, rng: random.Random) -> None:
    data[rng.randrange(len(data))] = rng.randrange(256)


def cut(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data)) :]


def cut_out(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data))
    del data[at : at + rng.choice([1, 1, 8, 100])]


def insert(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data) + 1)
    data[at:at] = rng.randbytes(rng.choice([1, 1, 8, 100]))


def swap(data: bytearray, rng: random.Random) -> None:
    a, b = rng.randrange(len(data)), rng.randrange(len(data))
    data[a], data[b] = data[b], data[a]


def repeat(data: bytearray, rng: random.Random) -> None:
    a = rng.randrange(len(data))
    data[a:a] = data[a : a + rng.randrange(1, 64)]


def zeros(data: bytearray, rng: random.Random) -> None:
    a = rng.randrange(len(data))
    data[a : a + 16] = bytes(len(data[a : a + 16]))


BLIND: list[Callable[[bytearray, random.Random], None]] = [
    flip,
    flip,
    write,
    cut,
    cut_out,
    insert,
    swap,
    repeat,
    zeros,
]


def blindly_mutated(seed: int) -> tuple[bytes, bytes]:
    """A file, and the same file damaged in one to three places."""
    rng = random.Random(seed)
    original = MODELS[rng.choice(NAMES)]
    data = bytearray(original)
    for _ in range(rng.choice([1, 1, 2, 3])):
        if data:
            rng.choice(BLIND)(data, rng)
    return original, bytes(data)


def refuse_blindly_mutated(seeds: range) -> None:
    for seed in seeds:
        original, data = blindly_mutated(seed)
        if data == original:
            continue
        try:
            loads(data)
        except ModelFileError:
            continue
        except BaseException as error:
            pytest.fail(f"seed {seed}: {error!r}")
        pytest.fail(f"seed {seed}: a damaged file was accepted")


def test_damage_is_noticed() -> None:
    refuse_blindly_mutated(range(100_000))


# -- with the right checksum: somebody means it ---------------------------------------------------

ODD = [
    None,
    True,
    False,
    -1,
    0,
    1,
    2,
    3,
    31,
    2**31,
    2**62,
    2**63,
    10**40,
    -(10**40),
    0.5,
    -0.5,
    1e-320,
    1e300,
    1e308,
    "",
    "text",
    "PA",
    "inverse",
    [],
    [1],
    ["a", "b"],
    [[]],
    {},
    {"a": 1},
]
ODD_BYTES = [
    b"\xff" * 8,
    b"\0" * 8,
    b"\0" * 6 + b"\xf0\x7f",
    b"\0" * 6 + b"\xf8\x7f",
    b"\x01" + b"\0" * 7,
    b"\xff\xff\xff\xff\xff\xff\xef\x7f",
]


def spoil_header(parts: Parts, rng: random.Random) -> None:
    part = rng.choice(
        ["params", "params", "numbers", "numbers", "functions", "names", "cls", "format"]
    )
    value = parts.header[part]
    if isinstance(value, dict):
        key = rng.choice([*value, "more"])
        if rng.random() < 0.1:
            value.pop(key, None)
        else:
            value[key] = copy.deepcopy(rng.choice(ODD))
    elif isinstance(value, list) and rng.random() < 0.7:
        value.insert(
            rng.randrange(len(value) + 1), rng.choice([*value, *parts.tensors, "alpha", 5])
        )
    elif part == "cls" and rng.random() < 0.8:
        parts.header[part] = rng.choice(NAMES).split()[0]
    else:
        parts.header[rng.choice([part, "more"])] = copy.deepcopy(rng.choice(ODD))


def spoil_tensor(parts: Parts, rng: random.Random) -> None:
    name = rng.choice(list(parts.tensors))
    old = parts.tensors[name]
    what = rng.randrange(8)
    if what == 0:
        del parts.tensors[name]
    elif what == 1:
        parts.tensors[rng.choice([*parts.tensors, "more", "labels", "seen"])] = old
    elif what == 2:
        parts.tensors[name] = old._replace(
            dtype=rng.choice(["F64", "I64", "U8", "F32", "BOOL", "X"])
        )
    elif what == 3:
        shape = list(old.shape)
        shape.insert(rng.randrange(len(shape) + 1), rng.choice([0, 1, 2, -1, 2**62]))
        parts.tensors[name] = old._replace(shape=shape)
    elif what == 4:
        shape = [rng.choice([side, side + 1, max(0, side - 1)]) for side in old.shape]
        parts.tensors[name] = old._replace(shape=shape)
    elif what == 5:  # more or fewer numbers, and a shape that fits
        side = {"F64": 8, "I64": 8}.get(old.dtype, 1)
        data = old.data[:-side] if rng.random() < 0.5 else old.data + bytes(side)
        parts.tensors[name] = Tensor(old.dtype, [len(data) // side], data)
    elif old.data:
        at = 8 * rng.randrange(max(1, len(old.data) // 8))
        word = rng.choice([*ODD_BYTES, rng.randbytes(8)])
        data = (old.data[:at] + word + old.data[at + 8 :])[: len(old.data)]
        parts.tensors[name] = old._replace(data=data)


def knowingly_mutated(seed: int) -> bytes:
    """A file with another content and the right checksum."""
    rng = random.Random(seed)
    data = MODELS[rng.choice(NAMES)]
    parts = copy.deepcopy(take_apart(data))
    for _ in range(rng.choice([1, 1, 2])):
        rng.choice([spoil_header, spoil_tensor])(parts, rng) if parts.tensors else None
    data = put_together(parts)
    if rng.random() < 0.2:  # damage to the outer JSON, sealed again
        broken = bytearray(data)
        size = int.from_bytes(data[:8], "little")
        broken[rng.randrange(8 + size)] = rng.choice(b'{}[]",:0129eE.-+ntf\\ \xff')
        data = seal(bytes(broken))
    return data


def accept_only_sound(seeds: range) -> dict[str, int]:
    counts = {"refused": 0, "accepted": 0}
    for seed in seeds:
        data = knowingly_mutated(seed)
        try:
            model = loads(data)
        except ModelFileError as error:
            counts["refused"] += 1
            told: Any = str(error)
        except BaseException as error:
            pytest.fail(f"seed {seed}: {error!r}")
        else:
            counts["accepted"] += 1
            try:
                usable(model)
            except BaseException as error:
                pytest.fail(f"seed {seed}: {model!r} was accepted, but {error!r}")
            continue
        assert len(told) < 600, f"seed {seed}: {told}"
    return counts


def test_hostile_files() -> None:
    counts = accept_only_sound(range(10_000))
    assert counts["refused"] > 5_000
    assert counts["accepted"] > 200  # other numbers and other names are other models


@pytest.mark.slow
def test_hostile_files_100_000_times() -> None:
    accept_only_sound(range(10_000, 110_000))


def test_every_byte_of_a_small_file() -> None:
    data = MODELS["LinearRegression new"]
    for at in range(len(data)):
        for value in (data[at] ^ 1, data[at] ^ 0x80, 0):
            if value != data[at]:
                with pytest.raises(ModelFileError):
                    loads(data[:at] + bytes([value]) + data[at + 1 :])
        with pytest.raises(ModelFileError):
            loads(data[:at])


def test_the_metadata_of_the_outer_header() -> None:
    """Entries may be missing, repeated or of another kind."""
    data = MODELS["PAClassifier named"]
    size = int.from_bytes(data[:8], "little")
    head = json.loads(data[8 : 8 + size])
    inner = head["__metadata__"]["onstream"]
    for metadata in (
        None,
        {},
        [],
        "text",
        {"onstream": inner},
        {"sha256": "0" * 64},
        {"onstream": json.loads(inner), "sha256": "0" * 64},
        {"onstream": None, "sha256": "0" * 64},
        {"onstream": inner, "sha256": "0" * 63},
        {"onstream": inner, "sha256": None},
    ):
        written = json.dumps({**head, "__metadata__": metadata}, separators=(",", ":")).encode()
        forged = seal(len(written).to_bytes(8, "little") + written + data[8 + size :])
        with pytest.raises(ModelFileError):
            loads(forged)
