"""Text models of Vowpal Wabbit, read and written. The files in data/ are those of VW 9.11.9."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from onstream import GaussianNB, StandardScaler, save
from onstream.base import DataWarning
from onstream.compat import from_vw, to_vw
from onstream.compat.vw import murmur, slot_of
from onstream.linear import (
    AROW,
    LMS,
    FTRLProximal,
    LinearRegression,
    LogisticRegression,
    PAClassifier,
    PARegressor,
    SGDClassifier,
    SGDRegressor,
)
from onstream.streams import read_vw

from ..cli.calling import call

DATA = Path(__file__).parent / "data"
# What VW was trained on three times over (with classes 1 and 2 for --oaa, and one line of class 3).
LINES = """1 |words free prize:2 |n age:0.5 7:1.5
-1 |words lunch | plain 12:2
1 |words free |n age:0.2
-1 |words lunch work |n age:0.9 7:1
"""
RAW = [1.214835, -1.412008, 0.743656, -0.990740]  # vw -t -r: its scores for these lines
CLASSES = [1, 2, 1, 2]  # vw -t -p with --oaa 3
FEATURES = ["words^free", "words^prize", "n^age", "n^7", "words^lunch", "plain", "12", "words^work"]


def examples(folder: Path) -> list[Any]:
    (folder / "d.vw").write_text(LINES)
    return [x for x, _ in read_vw(folder / "d.vw")]


def test_a_model_with_names_scores_as_vw_does(tmp_path: Path) -> None:
    model = from_vw(DATA / "logistic.invert_hash.txt", LogisticRegression())
    scores = [model.score_one(x) for x in examples(tmp_path)]
    np.testing.assert_allclose(scores, RAW, atol=2e-6)
    assert model.labels == [-1, 1]
    assert model.seen == 12
    assert model.bias == 0.0414809
    model.learn_one({"words^free": 1.0, "new": 1.0}, 1)  # and it goes on
    assert model.weights["words^free"] > 0.699692


@pytest.mark.parametrize("end", ["\x85", "\u2028", "\x0c", "\x1c"])
def test_names_may_hold_what_ends_a_line_elsewhere(end: str, tmp_path: Path) -> None:
    text = (DATA / "logistic.invert_hash.txt").read_text(encoding="utf-8")
    (tmp_path / "m.txt").write_text(text.replace("words^free", f"a{end}b"), encoding="utf-8")
    model = from_vw(tmp_path / "m.txt", LogisticRegression())
    assert model.weights[f"a{end}b"] == 0.699692


def test_slots_are_found_by_the_names_of_features(tmp_path: Path) -> None:
    named = from_vw(DATA / "logistic.invert_hash.txt", PAClassifier())
    model = from_vw(DATA / "logistic.readable.txt", PAClassifier(), features=FEATURES)
    assert model.weights == named.weights | {f: model.weights[f] for f in FEATURES}
    assert model.bias == named.bias


def test_classes_of_oaa(tmp_path: Path) -> None:
    features = [*FEATURES, "words^other"]
    model = from_vw(DATA / "oaa.readable.txt", LogisticRegression(), features=features)
    assert [model.predict_one(x) for x in examples(tmp_path)] == CLASSES
    assert model.labels == [1, 2, 3]
    assert model.weights[3]["words^other"] == 0.232252
    named = from_vw(
        DATA / "oaa.readable.txt", PAClassifier(labels=["a", "b", "c"]), features=features
    )
    assert named.predict_one({"words^lunch": 1.0}) == "b"


def test_our_text_has_vws_slots_and_weights() -> None:
    model = from_vw(DATA / "logistic.invert_hash.txt", LogisticRegression())
    theirs = (DATA / "logistic.readable.txt").read_text().splitlines()
    ours = to_vw(model).splitlines()
    assert ours[ours.index(":0") + 1 :] == [
        line.split()[0] for line in theirs[theirs.index("l2_state 1") + 1 :]
    ]
    assert [line.partition(":")[0].split()[0] for line in ours[:10]] == [
        line.partition(":")[0].split()[0] for line in theirs[:10]
    ]
    many = from_vw(
        DATA / "oaa.readable.txt", LogisticRegression(), features=[*FEATURES, "words^other"]
    )
    theirs = (DATA / "oaa.readable.txt").read_text().splitlines()
    ours = to_vw(many).splitlines()
    assert "options: --oaa 3" in ours
    assert ours[ours.index(":0") + 1 :] == [
        line.split()[0] for line in theirs[theirs.index("l2_state 1") + 1 :]
    ]


@pytest.mark.parametrize("labels", [[True, False], ["ham", "spam"], [0, 1], ["a", "b", "c"]])
def test_out_and_in_again(labels: list[Any], tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    y = np.array(labels, dtype=object)[np.digitize(X[:, 0], [0.0, 1.0][: len(labels) - 1])]
    model = PAClassifier(labels=labels)
    model.learn_many(X, y)
    (tmp_path / "m.txt").write_text(to_vw(model, bits=20))
    features = list(range(5))
    again = from_vw(tmp_path / "m.txt", PAClassifier(labels=labels), features=features)
    np.testing.assert_allclose(again.score_many(X), model.score_many(X), rtol=1e-6, atol=1e-6)
    assert again.labels == labels


def test_numbers(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(200, 3))
    model = LinearRegression(intercept=False)
    model.learn_many(X, X @ [1.0, -2.0, 3.0])
    text = to_vw(model)
    assert "options: --noconstant" in text
    (tmp_path / "m.txt").write_text(text)
    for learner in (SGDRegressor(), PARegressor(intercept=False)):
        again = from_vw(tmp_path / "m.txt", learner, features=[0, 1, 2])
        np.testing.assert_allclose(again.predict_many(X), model.predict_many(X), rtol=1e-6)


@pytest.mark.parametrize("kind", [LinearRegression, PARegressor, SGDRegressor])
def test_answers_keep_the_range_of_targets(kind: Any, tmp_path: Path) -> None:
    X = np.arange(40.0).reshape(-1, 1) % 5
    model = kind()
    model.learn_many(X, X[:, 0])
    far = np.array([[100.0], [-100.0], [2.0]])
    np.testing.assert_allclose(model.predict_many(far)[:2], [4.4, -0.4])
    text = to_vw(model)
    assert "Min label:-0.4\nMax label:4.4\n" in text
    (tmp_path / "m.txt").write_text(text)
    for learner in (kind(), SGDRegressor(), PARegressor(scale="auto")):
        again = from_vw(tmp_path / "m.txt", learner, features=[0])
        np.testing.assert_allclose(again.predict_many(far), model.predict_many(far), rtol=1e-6)
        before = np.abs(again.predict_many(X) - X[:, 0]).mean()
        for _ in range(20):
            again.learn_many(X, X[:, 0])  # it goes on from there
        assert np.abs(again.predict_many(X) - X[:, 0]).mean() <= max(before, 0.15)
    with pytest.warns(DataWarning, match="never below -0.4 or above 4.4, but SGDRegressor"):
        wide = from_vw(tmp_path / "m.txt", SGDRegressor(scale=None), features=[0])
    assert abs(wide.predict_one({0: 100.0})) > 4.4


def test_without_a_range_there_is_no_limit(tmp_path: Path, recwarn: Any) -> None:
    model = LMS()
    model.learn_many([[1.0], [0.5]], [1.0, 0.5])
    (tmp_path / "m.txt").write_text(to_vw(model))
    old = to_vw(model).replace("Min label:-3e+38", "Min label:-1").replace("3e+38", "1")
    (tmp_path / "old.txt").write_text(old)  # once all regressors were written with this range
    for name in ("m.txt", "old.txt"):
        again = from_vw(tmp_path / name, SGDRegressor(), features=[0])
        assert again.predict_one({0: 1e9}) == pytest.approx(model.predict_one({0: 1e9}))
    assert not recwarn.list


def test_the_hash() -> None:
    # Published test values of MurmurHash3 for 32 bits; the constants of VW's own files above.
    assert murmur(b"", 0) == 0
    assert murmur(b"", 1) == 0x514E28B7
    assert murmur(b"\xff\xff\xff\xff", 0) == 0x76293B50
    assert murmur(b"!Ce\x87", 0x5082EDEE) == 0x2362F9DE
    assert murmur(b"!Ce", 0) == 0x7E4A8634
    assert slot_of("12") == 12
    assert slot_of("Constant") & (2**18 - 1) == 116060
    assert slot_of("words^prize") & (2**18 - 1) == 120675


def test_the_command(tmp_path: Path) -> None:
    model = LogisticRegression()
    model.learn_one({"a": 1.0}, True)
    save(model, tmp_path / "m.onstream")
    call("export", tmp_path / "m.onstream", tmp_path / "m.vw", "--bits", 20)
    assert (tmp_path / "m.vw").read_text() == to_vw(model, bits=20)


def learned(model: Any, x: dict[str, Any] | None = None) -> Any:
    model.learn_one({"a": 1.0} if x is None else x, 1)
    return model


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: to_vw(learned(GaussianNB())), TypeError, "no linear learner"),
        (lambda: to_vw(learned(StandardScaler() | PAClassifier())), TypeError, "pipeline"),
        (lambda: to_vw(learned(PAClassifier(hash_bits=3))), ValueError, "without hash_bits"),
        (lambda: to_vw(PAClassifier(), bits=0), ValueError, "bits"),
        (
            lambda: to_vw(learned(PAClassifier(), {str(i): 1.0 for i in range(9)}), bits=3),
            ValueError,
            "share slot 0 of .* give bits=7",
        ),
        (lambda: from_vw(DATA / "oaa.readable.txt", GaussianNB()), TypeError, "linear learner"),
        (lambda: from_vw(DATA / "oaa.readable.txt", PAClassifier()), ValueError, "features="),
        (
            lambda: from_vw(DATA / "logistic.readable.txt", PAClassifier(), features=["x"]),
            ValueError,
            "8 weights, such as that of slot 12,",
        ),
        (
            lambda: from_vw(DATA / "logistic.invert_hash.txt", PAClassifier(labels=["a"])),
            ValueError,
            "declares 1 labels",
        ),
        (
            lambda: from_vw(
                DATA / "oaa.readable.txt", SGDRegressor(), features=[*FEATURES, "words^other"]
            ),
            ValueError,
            "3 classes",
        ),
        (
            lambda: from_vw(DATA / "logistic.invert_hash.txt", PAClassifier(intercept=False)),
            ValueError,
            "has a constant",
        ),
        *(
            (lambda made=made: from_vw(DATA / "logistic.invert_hash.txt", made), ValueError, "use")
            for made in (
                FTRLProximal(),
                SGDClassifier(average=True),
                PAClassifier(scale="auto"),
            )
        ),
        (lambda: from_vw(Path(__file__), AROW()), ValueError, "no text model"),
    ],
)
def test_what_cannot_be_is_refused(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("bits:18\noptions: --quadratic wn\n:0\n", "trained with --quadratic"),
        ("bits:18\nlda:4\n:0\n", "no linear model"),
        ("bits:x\n:0\n", "line 1"),
        ("bits:18\n:0\n4:0.5\nwhat\n", "line 4: 'what'"),
        ("bits:18\n:0\n4:inf\n", "line 3"),
    ],
)
def test_strange_files_are_refused(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "m.txt").write_text(text)
    with pytest.raises(ValueError, match=words):
        from_vw(tmp_path / "m.txt", PAClassifier(), features=["4"])


def test_a_binary_model_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(b"\x07\x00\x00\x009.11.9\x00\xff\xfe\x80\x00" * 9)
    with pytest.raises(ValueError, match=r"no text model .* one with --readable_model"):
        from_vw(tmp_path / "m", PAClassifier(), features=["4"])


@pytest.mark.slow
def test_against_vowpal_wabbit_itself(tmp_path: Path) -> None:
    pytest.importorskip("vowpalwabbit", reason="pip install vowpalwabbit")
    rng = np.random.default_rng(0)
    lines = []
    for _ in range(500):
        words = rng.choice(["free", "prize", "lunch", "work", "tea", "7"], 3)
        y = 1 if "free" in words else -1
        lines.append(f"{y} |w {' '.join(words)} |n age:{rng.random():.3f}\n")
    (tmp_path / "d.vw").write_text("".join(lines))

    def vw(*arguments: str) -> None:
        command = [sys.executable, "-m", "vowpalwabbit", "--quiet", "-d", "d.vw", *arguments]
        subprocess.run(command, cwd=tmp_path, check=True)

    vw("--loss_function", "logistic", "--invert_hash", "i.txt", "-f", "m")
    vw("-t", "-i", "m", "-r", "raw.txt")
    model = from_vw(tmp_path / "i.txt", LogisticRegression())
    raw = [float(line.split()[0]) for line in (tmp_path / "raw.txt").read_text().splitlines()]
    scores = [model.score_one(x) for x, _ in read_vw(tmp_path / "d.vw")]
    np.testing.assert_allclose(scores, raw, atol=1e-4)
    vw("--loss_function", "logistic", "--readable_model", "r.txt")
    theirs = {line.split()[0] for line in (tmp_path / "r.txt").read_text().splitlines()}
    ours = to_vw(model).splitlines()
    assert set(ours[ours.index(":0") + 1 :]) <= theirs
