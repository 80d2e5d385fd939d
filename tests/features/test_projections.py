import numpy as np
import pytest

from onstream.features import FeatureHasher, RandomFourierFeatures, Select, StandardScaler
from onstream.linear import LogisticRegression, PAClassifier
from onstream.persist import dumps


class TestFeatureHasher:
    def test_is_the_hash_of_the_learners(self):
        """hash_bits of a learner and a hasher before it are the same thing."""
        texts = [{"free": 2, "offer": 1, "colour": "red"}, {"meeting": 1, "offer": 3}] * 5
        y = ["spam", "ham"] * 5
        inside = PAClassifier(hash_bits=10, hash_seed=3)
        before = FeatureHasher(hash_bits=10, hash_seed=3) | PAClassifier()
        late = StandardScaler() | FeatureHasher(hash_bits=10, hash_seed=3) | PAClassifier()
        for model in (inside, before, late):
            model.learn_many(texts, y)
        for x in [*texts, {"never": 1.0, "free": 1}]:
            assert before.score_one(x) == inside.score_one(x)
        hasher = FeatureHasher(hash_bits=10, hash_seed=3)
        slots = set(hasher.transform_one({"free": 1}))
        assert slots <= set(inside.weights)

    def test_memory_stays(self):
        model = FeatureHasher(hash_bits=8) | PAClassifier()
        model.learn_one({"first": 1.0}, "a")
        before = model.memory_bytes
        for i in range(3000):
            model.learn_one({f"word {i}": 1.0}, "ab"[i % 2])
        assert model.memory_bytes <= before + 200

    def test_merged_it_takes_the_arrays_of_both(self):
        narrow, wide = np.ones((3, 4)), np.ones((3, 6))
        mine, theirs, fresh = (FeatureHasher(hash_bits=6) for _ in range(3))
        mine.learn_many(narrow)
        theirs.learn_many(wide)
        mine.merge(theirs)
        assert mine.seen == 6
        for X in (narrow, wide):
            assert np.array_equal(mine.transform_many(X), fresh.transform_many(X))

    def test_inner_products_are_right_on_average(self):
        random = np.random.default_rng(0)
        x = {f"x{i}": float(v) for i, v in enumerate(random.normal(size=30))}
        z = {f"x{i}": float(v) for i, v in enumerate(random.normal(size=30))}
        exact = sum(x[name] * z[name] for name in x)
        m, found = 64, []
        for seed in range(2000):
            hasher = FeatureHasher(hash_bits=6, hash_seed=seed)
            a, b = hasher.transform_one(x), hasher.transform_one(z)
            found.append(sum(a[slot] * b.get(slot, 0.0) for slot in a))
        X, Z = np.array(list(x.values())), np.array(list(z.values()))
        pairs = np.outer(X**2, Z**2) + np.outer(X * Z, X * Z)
        variance = (pairs.sum() - np.trace(pairs)) / m
        assert np.mean(found) == pytest.approx(exact, abs=4 * np.sqrt(variance / 2000))
        assert np.var(found) == pytest.approx(variance, rel=0.15)

    def test_unsigned_and_binary(self):
        words = {f"w{i}": 2.0 for i in range(50)}
        plain = FeatureHasher(hash_bits=3, signed=False).transform_one(words)
        assert sum(plain.values()) == 100.0
        binary = FeatureHasher(hash_bits=3, signed=False, binary=True).transform_one(words)
        assert set(binary.values()) == {1.0}


class TestRandomFourierFeatures:
    def test_kernel(self):
        """Mean K, variance (1-K²)²/(2D)."""
        x, z = {"a": 0.3, "b": -0.2}, {"a": -0.1, "b": 0.4}
        K = np.exp(-0.7 * (0.4**2 + 0.6**2))
        D, found = 20, []
        for seed in range(1500):
            features = RandomFourierFeatures(n_components=D, gamma=0.7, seed=seed)
            features.learn_one(x)
            a, b = features.transform_one(x), features.transform_one(z)
            assert sum(v * v for v in a.values()) == pytest.approx(1.0)
            found.append(sum(a[i] * b[i] for i in a))
        variance = (1 - K**2) ** 2 / (2 * D)
        assert np.mean(found) == pytest.approx(K, abs=4 * np.sqrt(variance / 1500))
        assert np.var(found) == pytest.approx(variance, rel=0.15)

    def test_order_of_arrival_does_not_matter(self):
        one, other = (RandomFourierFeatures(n_components=7, seed=1) for _ in range(2))
        one.learn_many([{"a": 1.0}, {"b": 1.0}])
        other.learn_many([{"b": 1.0}, {"a": 1.0}])
        x = {"a": 0.5, "b": -2.0}
        assert one.transform_one(x) == pytest.approx(other.transform_one(x))

    def test_a_refused_feature_leaves_no_frequencies(self):
        model = RandomFourierFeatures(n_components=5) | PAClassifier()
        fresh = RandomFourierFeatures(n_components=5) | PAClassifier()
        with pytest.raises(ValueError, match="weight"):
            model.learn_one({"z": 1.0}, "a", -1.0)
        with pytest.raises(TypeError):
            model.learn_one({"z": 1.0}, ["a"])
        for m in (model, fresh):
            m.learn_many([{"q": 1.0}, {"q": -1.0}], ["a", "b"])
        assert model.score_one({"q": 0.3}) == fresh.score_one({"q": 0.3})

    def test_it_learns_a_circle(self):
        random = np.random.default_rng(0)
        X = random.normal(size=(4000, 2))
        y = (X**2).sum(axis=1) > 1.4
        straight = LogisticRegression().predict_learn_many(X, y)
        round_ = RandomFourierFeatures(n_components=100) | LogisticRegression(eta=5.0)
        curved = round_.predict_learn_many(X, y)
        assert (straight == y)[1000:].mean() < 0.6
        assert (curved == y)[1000:].mean() > 0.9


def test_select():
    select = Select("a", "colour", 3)
    select.learn_one({"a": 1, "b": 2, "colour": "red", "3": 5.0})
    assert select.transform_one({"a": 1, "b": 2, "colour": "red", 3: 5.0}) == {
        "a": 1.0,
        "colour=red": 1.0,
        "3": 5.0,
    }
    with pytest.raises(TypeError, match="names of features"):
        Select()


@pytest.mark.parametrize("n_components", [3, 12, 37])
def test_fourier_features_of_arrays_are_those_of_mappings(n_components):
    """The same bits, and a learner behind them gets the same numbers to answer and to learn."""
    X = np.random.default_rng(1).normal(size=(8, 50))
    y = np.arange(8) % 2
    fourier = RandomFourierFeatures(n_components=n_components, seed=2)
    fourier.learn_many(X)
    whole = fourier.transform_many(X)
    for row, x in zip(whole, X, strict=True):
        one = fourier.transform_one(dict(enumerate(x.tolist())))
        assert list(one.values()) == row.tolist()
    several, single = (fourier.clone() | LogisticRegression(eta=0.1) for _ in range(2))
    scores = several.predict_learn_many(X, y, output="score")
    for x, target, score in zip(X, y, scores, strict=True):
        assert np.isnan(score) or single.score_one(x) == score
        single.learn_one(x, target)
    assert dumps(single) == dumps(several)
