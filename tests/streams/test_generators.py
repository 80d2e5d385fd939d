"""The generators: what the specification says of their labels, seeds and blocks."""

import math
from itertools import islice

import numpy as np
import pytest

from onstream import RLS, LogisticRegression
from onstream.base.blocks import examples, join
from onstream.streams import (
    LED,
    SEA,
    STAGGER,
    Agrawal,
    Drift,
    Friedman,
    Hyperplane,
    RandomRBF,
    RandomTree,
    Sine,
    Stream,
    Waveform,
)

N = 40_000
EVERY = [
    lambda seed: SEA(2, noise=0.1, seed=seed),
    lambda seed: Agrawal(5, noise=0.05, seed=seed),
    lambda seed: LED(noise=0.1, seed=seed),
    lambda seed: RandomRBF(labels=3, speed=0.01, n_drift=30, seed=seed),
    lambda seed: RandomTree(seed=seed),
    lambda seed: Hyperplane(mag=0.01, noise=0.05, seed=seed),
    lambda seed: Sine(4, seed=seed),
    lambda seed: STAGGER(2, seed=seed),
    lambda seed: Waveform(irrelevant=True, seed=seed),
    lambda seed: Friedman(seed=seed),
    lambda seed: Drift(SEA(seed=seed), SEA(3, seed=seed + 1), at=60, width=40, seed=seed),
]


def rows(stream: Stream, n: int) -> list[tuple]:
    return list(islice(stream, n))


@pytest.mark.parametrize("make", EVERY)
class TestEvery:
    def test_iterating_again_restarts(self, make) -> None:
        stream = make(3)
        assert rows(stream, 50) == rows(stream, 50) == rows(make(3), 50)

    def test_seeds_differ(self, make) -> None:
        assert rows(make(1), 50) != rows(make(2), 50)

    @pytest.mark.parametrize("n", [1, 7, 64, 1000])
    def test_blocks_are_the_rows(self, make, n: int) -> None:
        blocks = list(islice(make(5).batches(n), math.ceil(130 / n)))
        assert all(len(block[1]) == n for block in blocks)
        assert list(islice(examples(join(blocks)), 130)) == rows(make(5), 130)

    def test_keys_are_shared(self, make) -> None:
        first, second = (list(x) for x, _ in rows(make(1), 2))
        assert all(a is b for a, b in zip(first, second, strict=True))

    def test_counts(self, make) -> None:
        stream = make(1)
        for _ in islice(stream.batches(10), 3):
            pass
        assert stream.rows == 30
        assert stream.rejected == 0
        assert stream.bytes_total is None

    def test_learnable(self, make) -> None:
        stream = make(1).limit(200)
        labels = not isinstance(rows(stream, 1)[0][1], float)
        model = LogisticRegression(scale="auto") if labels else RLS()
        model.fit(stream)
        assert model.seen == 200


def frequency(stream: Stream) -> float:
    return float(stream.block(N)[1].mean())


class TestFrequencies:
    @pytest.mark.parametrize(("function", "theta"), [(1, 8), (2, 9), (3, 7), (4, 9.5)])
    def test_sea(self, function: int, theta: float) -> None:
        assert frequency(SEA(function, seed=1)) == pytest.approx(1 - theta**2 / 200, abs=0.01)

    @pytest.mark.parametrize(
        ("function", "p"),
        list(enumerate([0.672, 0.385, 0.535, 0.385, 0.4, 0.401, 0.487, 0.98, 0.487, 0.998], 1)),
    )
    def test_agrawal(self, function: int, p: float) -> None:
        assert frequency(Agrawal(function, seed=1)) == pytest.approx(p, abs=0.01)

    @pytest.mark.parametrize(
        ("function", "p"), [(1, 0.459698), (2, 1 - 0.459698), (3, 0.563662), (4, 1 - 0.563662)]
    )
    def test_sine(self, function: int, p: float) -> None:
        assert frequency(Sine(function, seed=1)) == pytest.approx(p, abs=0.01)

    @pytest.mark.parametrize(("function", "p"), [(1, 1 / 9), (2, 5 / 9), (3, 2 / 3)])
    def test_stagger(self, function: int, p: float) -> None:
        assert frequency(STAGGER(function, seed=1)) == pytest.approx(p, abs=0.01)

    def test_led_bayes_error(self) -> None:
        from onstream.streams.generators.led import SEGMENTS

        X, y = LED(noise=0.1, seed=1).block(N)
        distance = (X[:, None, :7] != SEGMENTS[None]).sum(axis=2)
        # Equal distances are equally likely: the first of them is as good as any.
        assert np.mean(distance.argmin(axis=1) != y) == pytest.approx(0.259978, abs=0.01)
        assert X[:, 7:].mean() == pytest.approx(0.5, abs=0.01)
        assert np.bincount(y) / N == pytest.approx(np.full(10, 0.1), abs=0.01)

    def test_led_without_noise(self) -> None:
        for x, digit in rows(LED(seed=2), 50):
            shown = "".join(str(int(x[i])) for i in range(7))
            words = (
                "1110111 0010010 1011101 1011011 0111010 1101011 1101111 1010010 1111111 1111011"
            )
            assert words.split().index(shown) == digit

    def test_waveform_bayes_accuracy(self) -> None:
        X, y = Waveform(seed=1).block(N)
        i = np.arange(21)
        h = np.maximum(0, 6 - np.abs(i - np.array([[6], [14], [10]])))
        u = np.linspace(0.0, 1.0, 101)[:, None]
        likely = []
        for a, b in ((0, 1), (0, 2), (1, 2)):
            means = u * h[a] + (1 - u) * h[b]
            squares = (X**2).sum(1)[:, None] - 2 * X @ means.T + (means**2).sum(1)
            likely.append(np.exp(-0.5 * (squares - 21)).mean(axis=1))
        assert np.mean(np.argmax(likely, axis=0) == y) == pytest.approx(0.87, abs=0.01)

    def test_friedman(self) -> None:
        y = Friedman(seed=1).block(N)[1]
        signal = Friedman(noise=0.0, seed=1).block(N)[1]
        assert y.mean() == pytest.approx(14.41, abs=0.1)
        assert signal.var() == pytest.approx(23.8, abs=0.4)
        assert (y - signal).std() == pytest.approx(1.0, abs=0.01)

    def test_noise_flips_and_nothing_else(self) -> None:
        X, y = SEA(seed=4).block(N)
        noisy_X, noisy = SEA(noise=0.1, seed=4).block(N)
        assert np.array_equal(X, noisy_X)
        assert np.mean(y != noisy) == pytest.approx(0.1, abs=0.01)
        X, y = Hyperplane(seed=4).block(N)
        noisy_X, noisy = Hyperplane(noise=0.05, seed=4).block(N)
        assert np.array_equal(X, noisy_X)
        assert np.mean(y != noisy) == pytest.approx(0.05, abs=0.01)


class TestAgrawal:
    def test_people(self) -> None:
        people = Agrawal(seed=3).block(N)[0].to_pydict()
        assert set(people["age"]) == set(range(20, 81))
        assert set(people["elevel"]) == set(range(5))
        assert set(people["car"]) == set(range(1, 21))
        assert set(people["zipcode"]) == set(range(9))
        assert set(people["hyears"]) == set(range(1, 31))
        salary, commission = np.array(people["salary"]), np.array(people["commission"])
        assert salary.min() >= 20_000
        assert salary.max() < 150_000
        assert np.array_equal(commission == 0, salary >= 75_000)
        ratio = np.array(people["hvalue"]) / (9 - np.array(people["zipcode"])) / 1e5
        assert 0.5 <= ratio.min() < 0.51
        assert 1.49 < ratio.max() < 1.5

    def test_noise_comes_after_labelling_and_stays_in_range(self) -> None:
        clean, y = Agrawal(7, seed=3).block(N)
        noisy, same = Agrawal(7, noise=0.05, seed=3).block(N)
        assert np.array_equal(y, same)
        for name in ("elevel", "car", "zipcode"):
            assert clean[name] == noisy[name]
        loan = noisy["loan"].to_numpy() - clean["loan"].to_numpy()
        assert 0.9 * 25_000 < np.abs(loan).max() <= 25_000
        ratio = noisy["hvalue"].to_numpy() / (9 - noisy["zipcode"].to_numpy()) / 1e5
        assert ratio.min() >= 0.5
        assert ratio.max() <= 1.5 + 1e-12
        none = clean["commission"].to_numpy() == 0
        assert np.array_equal(none, noisy["commission"].to_numpy() == 0)

    def test_function_4_by_hand(self) -> None:
        """Plain Python, from the table."""
        for x, y in rows(Agrawal(4, seed=9), 2000):
            bracket = 0 if x["age"] < 40 else 1 if x["age"] < 60 else 2
            level = [{0, 1}, {1, 2, 3}, {2, 3, 4}][bracket]
            bands = {1: (50, 100), 2: (75, 125), 3: (25, 75)}
            low, high = bands[([3, 1, 1] if x["elevel"] in level else [1, 2, 3])[bracket]]
            assert y == (low * 1000 <= x["salary"] <= high * 1000)


class TestRandomRBF:
    def test_moves_and_turns_back(self) -> None:
        still = RandomRBF(centroids=1, features=2, speed=0.0, seed=3)
        X = still.block(20_000)[0]
        assert np.abs(X.mean(axis=0)).max() < 1.1
        moving = RandomRBF(centroids=1, features=2, speed=0.001, seed=3)
        M = moving.block(20_000)[0]
        shift = M - X  # the same noise around another centre
        step = np.sqrt((np.diff(shift, axis=0) ** 2).sum(axis=1))
        assert np.median(step) == pytest.approx(0.001, rel=1e-6)
        assert shift[:, 0].max() - shift[:, 0].min() <= 1.0 + 1e-9  # it goes to and fro in [0, 1]

    def test_only_some_move(self) -> None:
        a = RandomRBF(centroids=4, speed=0.01, n_drift=0, seed=1).block(500)[0]
        b = RandomRBF(centroids=4, seed=1).block(500)[0]
        assert np.allclose(a, b, atol=1e-12)


class TestRandomTree:
    def test_the_tree_is_the_seeds(self) -> None:
        stream = RandomTree(seed=4)
        tree = stream._grow()
        assert tree.feature == stream._grow().feature
        assert tree.feature != RandomTree(seed=5)._grow().feature

    def test_shape(self) -> None:
        for seed in range(5):
            tree = RandomTree(seed=seed)._grow()

            def walk(node: int, level: int, used: tuple, tree=tree) -> None:
                j = tree.feature[node]
                if j < 0:
                    assert 3 <= level <= 5
                    assert tree.label[node] in (0, 1)
                    return
                assert j < 5 or j not in used
                assert len(tree.children[node]) == (2 if j < 5 else 5)
                for child in tree.children[node]:
                    walk(child, level + 1, (*used, j))

            walk(0, 0, ())

    def test_labels_follow_the_tree(self) -> None:
        stream = RandomTree(seed=2)
        tree = stream._grow()
        for x, y in rows(stream, 300):
            values, node = list(x.values()), 0
            while tree.feature[node] >= 0:
                j = tree.feature[node]
                branch = int(values[j] >= tree.cut[node]) if j < 5 else int(values[j][1:])
                node = tree.children[node][branch]
            assert tree.label[node] == y

    def test_nominal_only_runs_out(self) -> None:
        X, _ = RandomTree(0, nominal=2, values=2, seed=1).block(10)
        assert X.column_names == ["c0", "c1"]


class TestHyperplane:
    def test_half_without_drift(self) -> None:
        assert frequency(Hyperplane(seed=1)) == pytest.approx(0.5, abs=0.02)

    def test_weights_move_by_mag_and_turn(self) -> None:
        """Plain Python beside it."""
        stream = Hyperplane(4, n_drift=2, mag=0.05, flip=0.3, seed=8)
        w = stream._concept().random(4)
        turns = stream._instances(3)[1]
        sigma = np.ones(2)
        for x, y in rows(stream, 300):
            values = np.array(list(x.values()))
            margin = w @ (values - 0.5)
            if abs(margin) > 1e-12:
                assert y == (margin > 0)
            w[:2] += sigma * 0.05
            sigma = np.where(turns.random(2) < 0.3, -sigma, sigma)


class TestDrift:
    def test_abrupt(self) -> None:
        before, after = SEA(1, seed=1), SEA(3, seed=2)
        X, y = Drift(before, after, at=100).block(300)
        assert np.array_equal(X, np.vstack([before.block(100)[0], after.block(200)[0]]))
        assert np.array_equal(y, np.concatenate([before.block(100)[1], after.block(200)[1]]))

    def test_probabilities(self) -> None:
        class Constant(SEA):
            def __init__(self, value: int) -> None:
                super().__init__()
                self.value = value

            def _start(self):
                return lambda n: (np.zeros((n, 1)), np.full(n, self.value))

        runs = [
            Drift(Constant(0), Constant(1), at=100, width=50, seed=s).block(126)[1]
            for s in range(4000)
        ]
        share = np.mean(runs, axis=0)
        for t, p in ((75, 0.119), (100, 0.5), (125, 0.881)):
            assert share[t] == pytest.approx(p, abs=0.025)

    def test_only_the_chosen_stream_goes_on(self) -> None:
        before, after = SEA(1, seed=1), SEA(1, seed=2)
        X = Drift(before, after, at=50, width=30, seed=3).block(120)[0].tolist()
        ours, theirs = before.block(120)[0].tolist(), after.block(120)[0].tolist()
        from_before = [row for row in X if row in ours]
        from_after = [row for row in X if row in theirs]
        assert len(from_before) + len(from_after) == 120
        assert min(len(from_before), len(from_after)) > 20
        assert from_before == ours[: len(from_before)]
        assert from_after == theirs[: len(from_after)]

    def test_nests(self) -> None:
        inner = Drift(SEA(1), SEA(2), at=10)
        X, _ = Drift(inner, SEA(4, seed=9), at=30).block(50)
        assert np.array_equal(X[:30], inner.block(30)[0])
        assert np.array_equal(X[30:], SEA(4, seed=9).block(20)[0])

    def test_ends_with_the_stream_whose_turn_it_is(self) -> None:
        short = SEA(1).limit(20)
        assert len(Drift(short, SEA(2), at=50).block(100)[1]) == 20
        assert len(Drift(SEA(2), short, at=50).block(100)[1]) == 70
        assert len(Drift(SEA(2), short, at=50).block(60)[1]) == 60

    def test_far_from_the_middle(self) -> None:
        assert len(Drift(SEA(1), SEA(2), at=10**7, width=1e-3).block(10)[1]) == 10

    def test_different_features(self) -> None:
        with pytest.raises(ValueError, match="same features"):
            Drift(SEA(1), Sine(1), at=5).block(10)

    def test_not_a_stream(self) -> None:
        with pytest.raises(TypeError, match="before must be a stream"):
            Drift([({}, 1)], SEA(1), at=5)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SEA(5), "SEA: function must be from 1 to 4, got 5"),
        (lambda: SEA(noise=2), "SEA: noise must be at least 0 and at most 1"),
        (lambda: SEA(seed=-1), "SEA: seed must be at least 0"),
        (lambda: SEA().batches(0), "SEA: n must be at least 1"),
        (lambda: Agrawal(0), "Agrawal: function must be from 1 to 10"),
        (lambda: Hyperplane(2, n_drift=3), "Hyperplane: n_drift must be from 0 to 2"),
        (lambda: RandomTree(0, nominal=0), "both 0"),
        (lambda: SEA().limit(-1), "limit must be at least 0"),
    ],
)
def test_bad_parameters(make, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
