"""The hash of feature names is part of the file format: it must never change."""

import math
import random

import numpy as np
import pytest

from .probe import probe, read

MASK = 2**64 - 1


def mix(h: int) -> int:
    """The finaliser of splitmix64."""
    h = ((h ^ (h >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    h = ((h ^ (h >> 27)) * 0x94D049BB133111EB) & MASK
    return h ^ (h >> 31)


def slot_and_sign(name: str, bits: int, seed: int = 0) -> tuple[int, float]:
    """The same in Python: a multiplication per eight bytes, then splitmix64 with the seed."""
    text = name.encode()
    h = (0xCBF29CE484222325 + len(text) * 0x9E3779B97F4A7C15) & MASK
    for at in range(0, len(text), 8):
        word = int.from_bytes(text[at : at + 8], "little")
        h = ((h ^ word) * 0x9FB21C651E98DF25) & MASK
        h ^= h >> 32
    h = mix(h ^ mix((seed + 0x9E3779B97F4A7C15) & MASK))
    return h & ((1 << bits) - 1), -1.0 if h >> 63 else 1.0


PINNED = [  # name, seed, slot of 2**16, sign
    ("", 0, 15436, -1.0),
    ("a", 0, 47129, 1.0),
    ("a", 1, 9791, 1.0),
    ("a", 2**64 - 1, 32835, 1.0),
    ("b", 0, 44390, -1.0),
    ("free", 0, 49555, -1.0),
    ("free", 1, 47593, 1.0),
    ("free", 2**64 - 1, 56423, 1.0),
    ("0", 0, 14428, -1.0),
    ("3", 0, 39593, 1.0),
    ("-7", 0, 19495, -1.0),
    ("colour=red", 0, 29656, -1.0),
    ("colour=red", 1, 21702, 1.0),
    ("colour=red", 2**64 - 1, 58710, -1.0),
    ("naïve 名", 0, 14764, 1.0),
    ("x" * 100, 0, 57721, 1.0),
]


@pytest.mark.parametrize(("name", "seed", "slot", "sign"), PINNED)
def test_pinned_values(name: str, seed: int, slot: int, sign: float) -> None:
    """Written down once; models on disk depend on them."""
    assert read({name: 1.0}, hash_bits=16, hash_seed=seed) == {slot: sign}
    assert slot_and_sign(name, 16, seed) == (slot, sign)


def test_against_the_definition() -> None:
    rng = random.Random(0)
    for _ in range(300):
        name = "".join(
            chr(rng.choice([rng.randrange(1, 128), rng.randrange(128, 0xD800)]))
            for _ in range(rng.randrange(12))
        )
        bits, seed = rng.choice([1, 2, 5, 8, 11]), rng.choice([0, 1, rng.getrandbits(64), MASK])
        slot, sign = slot_and_sign(name, bits, seed)
        assert read({name: 2.5}, hash_bits=bits, hash_seed=seed) == {slot: sign * 2.5}


def test_whole_numbers_hash_like_their_names() -> None:
    for number in (0, 3, -3, 10**6, 2**63, -(10**30)):
        assert read({number: 1.0}, hash_bits=16) == read({str(number): 1.0}, hash_bits=16)
    array = read(np.array([1.0, 0.0, 3.0]), hash_bits=16)
    slots = {
        slot_and_sign(str(i), 16)[0]: slot_and_sign(str(i), 16)[1] * v
        for i, v in ((0, 1.0), (2, 3.0))
    }
    assert array == slots


def test_text_values_hash_as_name_and_value() -> None:
    for name, value in (("colour", "red"), ("", ""), ("a=b", "c"), ("ü", "名"), (3, "x")):
        slot, sign = slot_and_sign(f"{name}={value}", 16)
        assert read({name: value}, hash_bits=16) == {slot: sign}


def test_signs_are_balanced_and_slots_are_spread() -> None:
    """4,000 similar names over 256 slots: chi-square with 255 degrees, and a fair coin."""
    for seed, pattern in ((0, "feature {}"), (1, "{}"), (2, "word={}"), (3, "x{}y")):
        names = [pattern.format(i) for i in range(4000)]
        told = [slot_and_sign(name, 8, seed) for name in names]
        counts = np.bincount([slot for slot, _ in told], minlength=256)
        expected = len(names) / 256
        chi_square = float(((counts - expected) ** 2 / expected).sum())
        assert abs(chi_square - 255) < 5 * math.sqrt(2 * 255)
        assert abs(sum(sign for _, sign in told)) < 5 * math.sqrt(len(names))
        even = [sign for slot, sign in told if slot % 2 == 0]  # slot and sign are independent
        assert abs(sum(even)) < 5 * math.sqrt(len(even))


def test_one_letter_changes_half_of_the_bits() -> None:
    rng = random.Random(1)
    changed = []
    for _ in range(500):
        name = "".join(rng.choice("abcdefgh") for _ in range(8))
        at = rng.randrange(8)
        other = name[:at] + rng.choice("ijklmnop") + name[at + 1 :]
        a, b = (slot_and_sign(text, 31)[0] for text in (name, other))
        changed.append((a ^ b).bit_count())
    assert 14.5 < np.mean(changed) < 16.5


def test_colliding_features_add_up_with_their_signs() -> None:
    names = [f"f{i}" for i in range(30)]
    for n in (2, 5, 16, 17, 30):  # around the size where the method changes
        expected: dict[int, float] = {}
        for i, name in enumerate(names[:n]):
            slot, sign = slot_and_sign(name, 3)
            expected[slot] = expected.get(slot, 0.0) + sign * (i + 1.0)
        told = read({name: i + 1.0 for i, name in enumerate(names[:n])}, hash_bits=3)
        assert told == pytest.approx({slot: v for slot, v in expected.items() if v})


def test_collisions_are_merged_whatever_was_read_before() -> None:
    """The length of the example shows it: two times 1 in one slot is 2, with square 4."""
    by_slot: dict[tuple[int, float], list[str]] = {}
    for i in range(20):
        by_slot.setdefault(slot_and_sign(f"k{i}", 1), []).append(f"k{i}")
    one, two = by_slot[0, 1.0][:2]
    others = [by_slot[0, 1.0][0], by_slot[1, 1.0][0]]
    rows = [
        {},
        {one: 1.0},
        {two: 1.0, one: 1.0},
        dict.fromkeys(others, 1.0),
        {"gap": None, "and": None, "another": None, **dict.fromkeys(others, 1.0)},
        {"text": "value", "more": "text"},
    ]
    for first in rows:
        for second in rows:
            model, fresh = probe(hash_bits=1, normalized=True), probe(hash_bits=1, normalized=True)
            for _ in range(3):
                model.predict_one(first)
                model.predict_one(second)
                model.learn_one({one: 1.0, two: 1.0}, 1.0)
                fresh.learn_many([{one: 1.0, two: 1.0}], [1.0])
            assert model.weights == pytest.approx(fresh.weights, rel=1e-15)
