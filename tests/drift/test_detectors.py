"""What every detector does, and the vectors and the reference table of the specification."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onstream
from onstream.base import parts
from onstream.drift import ADWIN, DDM, EDDM, HDDM, KSWIN, PageHinkley
from onstream.drift.base import Detector
from onstream.persist import dumps, loads
from onstream.persist.format import ModelFileError

from ..docstrings import check_defaults, check_examples

CLASSES = [cls for cls in parts().values() if issubclass(cls, Detector)]
DETECTORS = [
    *(cls() for cls in CLASSES),
    ADWIN(delta=0.1, rigorous=True),
    DDM(min_errors=30),
    HDDM(test="W"),
    HDDM(two_sided=True),
    HDDM(test="W", two_sided=True),
    PageHinkley(mode="both", lam=10.0),
    KSWIN(alpha=1e-4, window=80, stat_size=20, seed=3),
]
each = pytest.mark.parametrize("detector", DETECTORS, ids=repr)
each_class = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)


def bernoulli(seed: int, *parts: tuple[int, float]) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.concatenate([(rng.random(n) < p).astype(float) for n, p in parts])


def followed(detector: Any, values: Any) -> tuple[list[int], list[int]]:
    """Where there were alarms, and where warnings."""
    alarms, warnings = [], []
    for i, v in enumerate(values):
        if detector.update(v):
            alarms.append(i)
        if detector.warning:
            warnings.append(i)
        assert detector.drift == (alarms[-1:] == [i])
        assert not (detector.drift and detector.warning)
    return alarms, warnings


# -- the vectors ---------------------------------------------------------------------------------

ONES = [0] * 100 + [1] * 100
FASTER = [0, 0, 0, 0, 1] * 40 + [0, 1] * 100


@pytest.mark.parametrize(
    ("detector", "ones", "faster"),
    [
        (DDM(), (102, None), (243, 217)),
        (EDDM(), (130, None), (317, 279)),
        (HDDM(), (103, None), (247, 233)),
        (HDDM(test="W"), (114, 111), (None, None)),
        (PageHinkley(), (166, None), (None, None)),
    ],
    ids=repr,
)
def test_vectors(detector, ones, faster):
    """First alarm and first warning; a None for a warning is not told by the specification."""
    alarms, warnings = followed(detector.clone(), ONES)
    assert alarms[0] == ones[0]
    assert ones[1] is None or warnings[0] == ones[1]
    alarms, warnings = followed(detector.clone(), FASTER)
    assert alarms[:1] == ([] if faster[0] is None else [faster[0]])
    assert faster[1] is None or warnings[0] == faster[1]


def test_ks_critical_values():
    from onstream.drift.kswin import critical

    assert critical(30, 0.005) == 14
    assert critical(30, 1e-4) == 17


@pytest.mark.parametrize(("r", "k"), [(5, 4), (12, 7), (30, 13), (30, 14)])
def test_exact_ks_chance_is_that_of_scipy(r, k):
    stats = pytest.importorskip("scipy.stats")
    from onstream.drift.kswin import critical

    a = np.arange(r, dtype=float)
    b = np.concatenate([a[k:] - 0.5, 1000.0 + np.arange(k)])
    told = stats.ks_2samp(a, b, method="exact")
    assert told.statistic == pytest.approx(k / r)
    assert critical(r, told.pvalue * (1 + 1e-9)) == k
    assert critical(r, told.pvalue * (1 - 1e-9)) == k + 1


# -- the reference table ---------------------------------------------------------------------------

TABLE = {  # .2 -> .8: largest delay, missed; .2 -> .4: missed in 2000; false alarms in 500,000
    "DDM": (DDM(), 251, 0, 1, 24),
    "EDDM": (EDDM(), 74, 0, 0, 1281),
    "HDDM-A": (HDDM(), 55, 0, 0, 13),
    "HDDM-W": (HDDM(test="W"), 28, 0, 0, 164),
    "PageHinkley": (PageHinkley(), 110, 0, 0, 7),
    "KSWIN": (KSWIN(), 35, 0, 52, 31),
    "KSWIN 1e-4": (KSWIN(alpha=1e-4), 43, 1, 99, 2),
}


@pytest.mark.parametrize("name", TABLE)
def test_changes_are_found_in_time(name):
    detector, slowest, missed, _, _ = TABLE[name]
    delays = []
    for seed in range(100):
        alarms = detector.clone().update_many(bernoulli(seed, (1000, 0.2), (1000, 0.8)))
        delays.append(next((i - 1000 for i in alarms if i >= 1000), 1000))
    assert sum(delay > 1.5 * slowest for delay in delays) <= 2 * missed


@pytest.mark.parametrize("name", TABLE)
def test_small_changes_are_found(name):
    detector, _, _, missed, _ = TABLE[name]
    found = 0
    for seed in range(100):
        alarms = detector.clone().update_many(bernoulli(seed, (1000, 0.2), (2000, 0.4)))
        found += bool((alarms >= 1000).any())
    assert 100 - found <= min(99, 1.5 * missed + 2)


@pytest.mark.parametrize("name", TABLE)
def test_false_alarms(name):
    detector, _, _, _, false = TABLE[name]
    alarms = sum(
        len(detector.clone().update_many(bernoulli(1000 + seed, (5000, 0.3))))
        for seed in range(100)
    )
    assert alarms <= 2 * false


def test_kswin_on_normal_values():
    """One false alarm in about 730 values."""
    rng = np.random.default_rng(0)
    alarms = len(KSWIN().update_many(rng.normal(size=200_000)))
    assert 500 < 200_000 / alarms < 1000


def test_kswin_sees_a_change_of_spread():
    rng = np.random.default_rng(1)
    values = np.concatenate([rng.normal(size=500), 5.0 * rng.normal(size=500)])
    alarms = KSWIN(alpha=1e-4, window=400, stat_size=100).update_many(values)
    assert 500 <= alarms[0] < 600


# -- what is special to some -------------------------------------------------------------------


def test_two_sided_detectors_see_falling_values():
    falling = bernoulli(0, (1000, 0.8), (1000, 0.2))
    for one, both in (
        (HDDM(), HDDM(two_sided=True)),
        (HDDM(test="W"), HDDM(test="W", two_sided=True)),
        (PageHinkley(), PageHinkley(mode="down")),
        (PageHinkley(), PageHinkley(mode="both")),
    ):
        assert not (one.clone().update_many(falling) >= 1000).any(), one
        assert (both.clone().update_many(falling) >= 1000).any(), both


@given(st.lists(st.integers(0, 8).map(lambda i: i / 8), max_size=400))
def test_a_fall_mirrored_is_a_rise(values):
    """Eighths, so that 1 - v is exact."""
    mirrored = [1.0 - v for v in values]
    up = PageHinkley(lam=3.0).update_many(values)
    assert up.tolist() == PageHinkley(lam=3.0, mode="down").update_many(mirrored).tolist()
    for test in "AW":
        both = HDDM(test=test, two_sided=True)
        assert both.clone().update_many(values).tolist() == both.update_many(mirrored).tolist()


def test_after_a_drift_the_statistics_restart():
    """As a new detector, from the next value on."""
    values = bernoulli(2, (500, 0.1), (500, 0.9), (500, 0.1), (500, 0.9))
    for detector in (DDM(), EDDM(), HDDM(), HDDM(test="W"), PageHinkley(lam=20.0)):
        alarms = detector.clone().update_many(values).tolist()
        assert alarms
        rest = detector.clone().update_many(values[alarms[0] + 1 :])
        assert [alarms[0] + 1 + i for i in rest.tolist()] == alarms[1:]


def test_min_errors_of_ddm():
    assert DDM(min_errors=30).update_many(ONES).tolist()[0] >= 129
    assert DDM().update_many(ONES).tolist()[0] == 102


def test_a_warning_of_eddm_lasts_until_the_next_error():
    alarms, warnings = followed(EDDM(), FASTER)
    assert warnings == list(range(279, alarms[0]))


def test_kswin_draws_by_its_seed():
    rng = np.random.default_rng(4)
    values = rng.normal(size=20_000)
    alarms = [KSWIN(seed=seed).update_many(values).tolist() for seed in (0, 0, 1)]
    assert alarms[0] == alarms[1] != alarms[2]


# -- the common interface ------------------------------------------------------------------------


@each
@given(st.integers(0, 99), st.integers(0, 600))
def test_many_is_the_loop_and_copies_go_on(detector, seed, at):
    values = bernoulli(seed, (300, 0.1), (300, 0.6))
    one, many = detector.clone(), detector.clone()
    alarms, _ = followed(one, values.tolist())
    first = many.update_many(values[:at])
    copies = [pickle.loads(pickle.dumps(many)), loads(dumps(many))]
    second = many.update_many(values[at:])
    assert [*first, *(second + at)] == alarms
    assert dumps(one) == dumps(many)
    for copy in copies:
        assert copy == detector
        assert copy.update_many(values[at:]).tolist() == second.tolist()
        assert dumps(copy) == dumps(many)
    assert one.seen == 600


@each
def test_bad_values_change_nothing(detector):
    detector = detector.clone()
    detector.update_many(bernoulli(0, (250, 0.3)))
    before = dumps(detector)
    bad: list[Any] = [float("nan"), float("inf"), -float("inf"), 10**400, 1e200, "1", None, b"1"]
    bad += [np.ones(3), [1.0], 1j]
    if not isinstance(detector, (ADWIN, KSWIN, PageHinkley)) or getattr(detector, "rigorous", 0):
        bad += [1.5, -0.1]
    if isinstance(detector, (DDM, EDDM)):
        bad += [0.5]
    for v in bad:
        with pytest.raises((TypeError, ValueError), match=f"^{type(detector).__name__}: "):
            detector.update(v)
        with pytest.raises((TypeError, ValueError), match=f"^{type(detector).__name__}: "):
            detector.update_many([0.0, 1.0, v, 1.0])
        assert dumps(detector) == before
    with pytest.raises(ValueError, match="item 2: "):
        detector.update_many([0.0, 1.0, np.nan])
    with pytest.raises(ValueError, match="1-D"):
        detector.update_many(np.zeros((2, 2)))


@each
def test_values_of_all_kinds(detector):
    values = [0, 1, True, False, 1.0, np.float32(0), np.int8(1), np.bool_(True)] * 20
    one, many = detector.clone(), detector.clone()
    followed(one, values)
    many.update_many(values)
    assert dumps(one) == dumps(many)
    for dtype in ("f4", ">f8", "i8", "u1", "?", "O"):
        other = detector.clone()
        other.update_many(np.array([float(v) for v in values]).astype(dtype))
        assert dumps(other) == dumps(many)
    strided = detector.clone()
    strided.update_many(np.repeat([float(v) for v in values], 3)[::3])
    assert dumps(strided) == dumps(many)


@each
def test_face(detector):
    clone = detector.clone()
    assert clone == detector
    assert clone.params == detector.params
    assert eval(repr(detector), {cls.__name__: cls for cls in CLASSES}) == detector
    assert (clone.seen, clone.drift, clone.warning) == (0, False, False)
    assert clone.update_many([]).tolist() == []
    assert 0 < clone.memory_bytes < 20_000
    for name in detector.params:
        with pytest.raises(AttributeError, match="clone"):
            setattr(detector, name, 1)


@each_class
def test_bad_parameters(cls):
    for name, default in cls().params.items():
        for bad in (None, "x", [], float("nan"), -1, 10**400):
            if name == "seed" and bad == 0:
                continue
            with pytest.raises((TypeError, ValueError), match=f"^{cls.__name__}: {name} must be"):
                cls(**{name: bad})
        assert cls(**{name: default}) == cls()


@each_class
def test_docstrings(cls):
    check_defaults(cls)
    check_examples(cls)


@each
def test_broken_states_are_refused(detector):
    detector = detector.clone()
    detector.update_many(bernoulli(0, (250, 0.3)))
    fields = detector._state.export()
    for name, value in fields.items():
        others = {n: v for n, v in fields.items() if n != name}
        broken: list[dict[str, Any]] = [others, {**others, name: "x"}, {**fields, "more": 1}]
        if isinstance(value, np.ndarray):
            broken += [{**others, name: value[1:]}, {**others, name: np.full_like(value, np.nan)}]
        elif isinstance(value, float):
            broken += [{**others, name: float("nan")}]
        for bad in broken:
            with pytest.raises(ValueError):
                detector.clone()._restore(bad)


def test_files(tmp_path):
    detector = ADWIN()
    detector.update_many(bernoulli(0, (300, 0.3)))
    onstream.save(detector, tmp_path / "adwin.onstream")
    back = onstream.load(tmp_path / "adwin.onstream")
    assert (back.width, back.mean, back.variance) == (
        detector.width,
        detector.mean,
        detector.variance,
    )
    with pytest.raises(ModelFileError):
        loads(dumps(detector)[:-8])


def test_a_subclass_may_have_parameters_of_its_own():
    class Named(ADWIN):
        def __init__(self, *, delta=0.1, label="a"):
            self.label = label
            super().__init__(delta=delta)

    detector = Named(label="b")
    detector.update(1.0)
    assert repr(detector.clone(delta=0.2)) == "Named(delta=0.2, label='b')"
