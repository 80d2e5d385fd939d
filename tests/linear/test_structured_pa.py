import copy
import pickle
from itertools import pairwise, product

import numpy as np
import pytest

import onstream
from onstream.linear import MulticlassPerceptron, PAClassifier, StructuredPA
from onstream.persist import dumps, loads

from ..oracles.side_by_side import labelled

TAGS = "NVD"
SENTENCES = [
    (["the", "dog", "barks"], ("D", "N", "V")),
    (["a", "cat", "sleeps"], ("D", "N", "V")),
    (["dogs", "chase", "the", "cat"], ("N", "V", "D", "N")),
    (["the", "cat", "barks"], ("D", "N", "V")),
]


def features(words, tags):
    found = {}
    for key in [f"{w}/{t}" for w, t in zip(words, tags, strict=True)]:
        found[key] = found.get(key, 0.0) + 1.0
    for key in [f"{a}>{b}" for a, b in pairwise(tags)]:
        found[key] = found.get(key, 0.0) + 1.0
    return found


def enumerate_tags(words, score):
    answers = list(product(TAGS, repeat=len(words)))
    return max(answers, key=lambda tags: score(features(words, tags)))


def viterbi(words, score):
    """The same answer, position by position: score adds up over parts."""
    paths = {tag: (score({f"{words[0]}/{tag}": 1.0}), (tag,)) for tag in TAGS}
    for word in words[1:]:
        paths = {
            tag: max(
                (value + score({f"{word}/{tag}": 1.0, f"{path[-1]}>{tag}": 1.0}), (*path, tag))
                for value, path in paths.values()
            )
            for tag in TAGS
        }
    return max(paths.values())[1]


def hamming(y, r):
    return float(sum(a != b for a, b in zip(y, r, strict=True)))


def made(**more):
    return StructuredPA(**{"features": features, "argmax": viterbi, "cost": hamming, **more})


def test_it_learns_sequences():
    model = made()
    for _ in range(5):
        for words, tags in SENTENCES:
            model.learn_one(words, tags)
    for words, tags in SENTENCES:
        assert model.predict_one(words) == tags
    assert model.predict_one(["a", "dog", "sleeps"]) == ("D", "N", "V")
    assert model.seen == 20


def test_viterbi_finds_the_best_of_all():
    model = made()
    for words, tags in SENTENCES * 2:
        model.learn_one(words, tags)
        found = model.predict_one(words)
        best = enumerate_tags(words, model._model.value)
        scores = [model._model.value(features(words, answer)) for answer in (found, best)]
        assert scores[0] == pytest.approx(scores[1])
        assert model.score_one(words) == pytest.approx(scores[1])


@pytest.mark.parametrize(("variant", "tau"), [("PA", None), ("PA-I", 0.05), ("PA-II", None)])
def test_one_step(variant, tau):
    model = made(variant=variant, C=0.05, argmax=lambda words, score: ("N", "N"))
    model.learn_one(["dogs", "bark"], ("N", "V"))
    # features that differ: bark/V and N>V up, bark/N and N>N down: q = 4, the loss is 1
    tau = {"PA": 0.25, "PA-I": 0.05, "PA-II": 1.0 / (4.0 + 10.0)}[variant]
    assert model.weights == pytest.approx({"bark/V": tau, "N>V": tau, "bark/N": -tau, "N>N": -tau})


def test_with_labels_as_structures_it_is_multiclass_pa():
    """Cost 1, max-loss over all labels, block features: the pair of spec 2.4 at every step."""

    def phi(x, y):
        return {f"{y}:{i}": float(v) for i, v in enumerate(x) if v}

    def worst(x, score, y):
        return max("abc", key=lambda r: score(phi(x, r)) + (y is not None and r != y))

    model = StructuredPA(features=phi, argmax=worst, mode="max-loss", C=0.2)
    plain = PAClassifier(C=0.2, labels=list("abc"), intercept=False)
    for x, y, _ in labelled(np.random.default_rng(1), 100, 4, list("abc"), noise=1.0):
        model.learn_one(x, y)
        plain.learn_one(x, y)
        for label in "abc":
            expected = plain.score_one(x)[label]
            assert model._model.value(phi(x, label)) == pytest.approx(expected, abs=1e-10)


def test_right_answers_teach_nothing_but_count():
    model = made(argmax=lambda words, score: ("N", "V"))
    model.learn_one(["dogs", "bark"], ("N", "V"))
    assert model.weights == {}
    assert model.seen == 1
    model.learn_one(["dogs", "bark"], ("N", "N"), 0.0)
    assert model.seen == 1
    assert model.weights == {}


def test_the_price_is_bounded_by_the_losses():
    model, price, squares = made(argmax=enumerate_tags), 0.0, 0.0
    for words, tags in SENTENCES * 3:
        said = model.predict_one(words)
        value = model._model.value
        loss = value(features(words, said)) - value(features(words, tags))
        price += hamming(tags, said)
        squares += max(0.0, loss + np.sqrt(hamming(tags, said))) ** 2 if said != tags else 0.0
        model.learn_one(words, tags)
    assert price <= squares + 1e-9


def test_blocks_equal_loops():
    X, y = [words for words, _ in SENTENCES], [tags for _, tags in SENTENCES]
    loop, block, tested = made(), made(), made()
    told = []
    for words, tags in SENTENCES:
        told.append(loop.predict_one(words))
        loop.learn_one(words, tags)
    block.learn_many(X, y)
    assert tested.predict_learn_many(X, y).tolist() == told
    assert dumps(block) == dumps(loop) == dumps(tested)
    assert block.predict_many(X).tolist() == [block.predict_one(words) for words in X]
    assert block.score_many(X).tolist() == [block.score_one(words) for words in X]
    fitted = made().fit(X, y, shuffle=False)
    assert dumps(fitted) == dumps(loop)


def test_a_bad_row_takes_all_back():
    model = made()
    model.learn_one(*SENTENCES[0])
    before = dumps(model)
    with pytest.raises(ValueError, match=r"^StructuredPA: .*row 1\b"):
        model.learn_many([SENTENCES[1][0], SENTENCES[2][0]], [SENTENCES[1][1], ("N",)])
    with pytest.raises(ValueError, match="X has 1 rows, y has 2"):
        model.learn_many([["a"]], [("D",), ("D",)])
    with pytest.raises(ValueError, match="weight"):
        model.learn_one(*SENTENCES[1], -1.0)
    with pytest.raises(ValueError, match="StructuredPA: cost"):
        made(cost=lambda y, r: -1.0).learn_one(*SENTENCES[0])
    assert dumps(model) == before


def test_copies_and_files(tmp_path):
    model = made(C=0.3)
    for words, tags in SENTENCES:
        model.learn_one(words, tags)
    functions = {"features": features, "argmax": viterbi, "cost": hamming}
    onstream.save(model, tmp_path / "model")
    with pytest.raises(ValueError, match=r"features|argmax|cost"):
        onstream.load(tmp_path / "model")
    twins = [
        onstream.load(tmp_path / "model", **functions),
        loads(dumps(model), **functions),
        copy.deepcopy(model),
        pickle.loads(pickle.dumps(model)),
    ]
    model.learn_one(["cats", "chase", "dogs"], ("N", "V", "N"))
    for twin in twins:
        twin.learn_one(["cats", "chase", "dogs"], ("N", "V", "N"))
        assert dumps(twin) == dumps(model)
    assert model.clone().seen == 0
    assert model.clone().params == model.params


def test_merging_and_warm_starts():
    one, two = made(), made()
    one.learn_one(*SENTENCES[0])
    two.learn_one(*SENTENCES[2])
    a, b = one.weights, two.weights
    one.merge(two)
    for name in {*a, *b}:
        expected = 0.5 * a.get(name, 0.0) + 0.5 * b.get(name, 0.0)
        assert one.weights[name] == pytest.approx(expected)
    warm = made(init=one)
    assert warm.weights == one.weights
    assert warm.seen == 2


def test_functions_are_needed():
    for missing in ("features", "argmax"):
        with pytest.raises(TypeError, match=f"StructuredPA: {missing} must be a function"):
            made(**{missing: 3})


def test_other_learners_are_not_confused():
    with pytest.raises(onstream.NotMergeable):
        made().merge(MulticlassPerceptron())
