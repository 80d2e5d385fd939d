"""Feature hashing: what a linear learner with `hash_bits` sees."""

import numpy as np
import pytest

from onstream import LinearRegression, LogisticRegression, PAClassifier, Perceptron

from ..oracles import passive_aggressive

X = {"red": 1.0, "green": 2.0, "blue": -1.0, "size": 0.5, "shape": 3.0}
Z = {"red": 2.0, "green": 1.0, "blue": 1.5, "size": -2.0, "other": 1.0}


def phi(x, bits, seed=0):
    """The hashed vector of x: a perceptron's weights after its first example."""
    model = Perceptron(hash_bits=bits, hash_seed=seed, intercept=False)
    model.learn_one(x, 1)
    vector = np.zeros(2**bits)
    for slot, value in model.weights.items():
        vector[slot] = value
    return vector


def product(x, z, bits, seed):
    """<phi(x), phi(z)>: the score of z when only x was learned."""
    model = Perceptron(hash_bits=bits, hash_seed=seed, intercept=False)
    model.learn_one(x, 1)
    return model.score_one(z)


def dot(x, z):
    return sum(x[name] * z.get(name, 0.0) for name in x)


def variance(x, z, slots):
    """(1/m) sum over i != j of x_i^2 z_j^2 + x_i z_i x_j z_j."""
    names = sorted(x | z)
    a, b = (np.array([v.get(name, 0.0) for name in names]) for v in (x, z))
    first = np.sum(a**2) * np.sum(b**2) - np.sum(a**2 * b**2)
    second = np.sum(a * b) ** 2 - np.sum((a * b) ** 2)
    return (first + second) / slots


@pytest.mark.parametrize("bits", [1, 2, 4, 8])
@pytest.mark.parametrize(
    ("x", "z"), [(X, Z), (X, X), ({"a": 1.0}, {"b": 1.0})], ids=["xz", "xx", "ab"]
)
def test_products_are_kept_on_average(x, z, bits):
    """Over the seeds, E <phi x, phi z> = <x, z>, and the variance is the one of theory."""
    n = 8_000
    found = np.array([product(x, z, bits, seed) for seed in range(n)])
    sigma2 = variance(x, z, 2**bits)
    assert abs(np.mean(found) - dot(x, z)) <= 4.5 * np.sqrt(sigma2 / n)
    squares = (found - dot(x, z)) ** 2
    assert abs(np.mean(squares) - sigma2) <= 4.5 * np.std(squares) / np.sqrt(n)
    assert np.std(squares) > 0.0


def test_slots_and_signs_are_even():
    """Chi-squared over the seeds: slot and sign of one name are uniform and independent."""
    n, bits = 8_000, 3
    counts = np.zeros((8, 2))
    for seed in range(n):
        vector = phi({"name": 1.0}, bits, seed)
        slot = int(np.argmax(np.abs(vector)))
        assert abs(vector[slot]) == np.sum(np.abs(vector)) == 1.0
        counts[slot, int(vector[slot] > 0.0)] += 1
    assert np.sum((counts - n / 16) ** 2 / (n / 16)) < 44.3  # 15 degrees of freedom, p = 1e-4


def test_names_spread_evenly():
    """The same over many names with one seed, as a stream would bring them."""
    n, bits = 8_000, 3
    counts = np.zeros((8, 2))
    for i in range(n):
        vector = phi({f"feature_{i}": 1.0}, bits)
        slot = int(np.argmax(np.abs(vector)))
        counts[slot, int(vector[slot] > 0.0)] += 1
    assert np.sum((counts - n / 16) ** 2 / (n / 16)) < 44.3


def test_the_hash_never_changes():
    """Saved models depend on it: these slots and signs are part of the file format."""
    found = {}
    for name in ("a", "feature", "ünïcode", "", 3, "x" * 1000):
        vector = phi({name: 1.0}, 16, 7)
        slot = int(np.argmax(np.abs(vector)))
        found[str(name)[:8]] = slot * int(vector[slot])
    assert found == {
        "a": 8653,
        "feature": -43825,
        "ünïcode": -35681,
        "": 59515,
        "3": 37386,
        "xxxxxxxx": -1209,
    }


@pytest.mark.parametrize("seed", range(5))
def test_phi_is_linear_and_adds_up_what_collides(seed):
    np.testing.assert_allclose(
        phi(X, 1, seed),
        sum(v * phi({name: 1.0}, 1, seed) for name, v in X.items()),
        rtol=1e-15,
        atol=1e-15,
    )


def test_seeds_differ_and_repeat():
    assert any(np.any(phi(X, 6, 1) != phi(X, 6, seed)) for seed in (2, 3))
    np.testing.assert_array_equal(phi(X, 6, 1), phi(X, 6, 1))


def test_three_hashes_as_its_text():
    for seed in range(5):
        np.testing.assert_array_equal(phi({3: 2.0}, 10, seed), phi({"3": 2.0}, 10, seed))
        np.testing.assert_array_equal(
            phi({3: 2.0}, 10, seed), phi(np.array([0.0, 0.0, 0.0, 2.0]), 10, seed)
        )


def test_a_nominal_value_is_the_feature_name_equals_value():
    for seed in range(5):
        np.testing.assert_array_equal(
            phi({"colour": "red"}, 10, seed), phi({"colour=red": 1.0}, 10, seed)
        )


def test_an_unseen_name_needs_nothing():
    model = LogisticRegression(hash_bits=4)
    rng = np.random.default_rng(0)
    model.learn_one({"first": 1.0}, "a")
    model.learn_one({"second": 1.0}, "b")
    bytes_before = model.memory_bytes
    for i in range(3_000):
        model.learn_one({f"new{i}": float(rng.normal())}, "ab"[i % 2])
    assert model.memory_bytes == bytes_before
    assert len(model.weights) <= 16
    assert set(model.weights) <= set(range(16))


@pytest.mark.parametrize("bits", [2, 5])
@pytest.mark.parametrize("labels", ["ab", "abcd"])
def test_a_hashed_learner_is_the_learner_on_phi(labels, bits):
    """Also where names collide within one example: its length is that of phi(x)."""
    rng = np.random.default_rng(1)
    names = [f"word{i}" for i in range(20)]
    model = PAClassifier(variant="PA-II", C=0.3, hash_bits=bits, hash_seed=5)
    reference = passive_aggressive.PAClassifier(2**bits, variant="PA-II", C=0.3)
    for _ in range(200):
        x = {str(name): float(rng.normal()) for name in rng.choice(names, 6, replace=False)}
        y = labels[rng.integers(len(labels))]
        model.learn_one(x, y)
        reference.learn(phi(x, bits, 5), y)
    weights, bias = model.weights, model.bias
    if labels == "ab":
        weights, bias = {None: weights}, {None: bias}
    for row, y in zip(reference.W, weights, strict=True):
        found = [weights[y].get(slot, 0.0) for slot in range(2**bits)]
        np.testing.assert_allclose(
            [*found, bias[y]], row, rtol=0.0, atol=1e-12 * np.max(np.abs(reference.W))
        )


def test_many_slots_hardly_differ_from_names():
    rng = np.random.default_rng(2)
    named, hashed = LinearRegression(eta=0.05), LinearRegression(eta=0.05, hash_bits=18)
    truth = rng.normal(size=30)
    for _ in range(500):
        ids = rng.choice(30, 5, replace=False)
        x = {f"f{i}": float(rng.normal()) for i in ids}
        y = sum(truth[i] * x[f"f{i}"] for i in ids)
        assert hashed.predict_one(x) == pytest.approx(named.predict_one(x), rel=1e-11, abs=1e-11)
        named.learn_one(x, y)
        hashed.learn_one(x, y)
