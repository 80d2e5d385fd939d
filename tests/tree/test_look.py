"""Ways to look at a tree."""

from xml.etree import ElementTree

import numpy as np
import pytest

from onstream.tree import VFDT, HoeffdingTreeRegressor


def small() -> VFDT:
    rng = np.random.default_rng(0)
    rows = [
        {"n": float(n), "c<>": str(c)}
        for n, c in zip(rng.normal(size=3000), rng.choice(["x", "y & z"], 3000), strict=True)
    ]
    y = ["no" if x["c<>"] == "x" else "yes" if x["n"] > 0.0 else "no" for x in rows]
    model = VFDT(leaf_prediction="mc", nominal_split="branches")
    model.learn_many(rows, y)
    return model


MODEL = small()


def test_text() -> None:
    lines = MODEL.to_text().split("\n")
    assert lines[0] == "root"
    assert MODEL.n_leaves == 3
    assert MODEL.n_nodes == 5
    assert MODEL.depth == 2
    assert sum("%" in line for line in lines) == 3
    assert VFDT().to_text() == "root: empty"


def test_dot() -> None:
    dot = MODEL.to_dot()
    assert dot.startswith("digraph tree {")
    assert dot.endswith("}")
    assert dot.count("->") == 4
    assert '"c<>"' in dot


def test_svg_and_page() -> None:
    root = ElementTree.fromstring(MODEL.to_svg())
    assert root.tag.endswith("svg")
    boxes = [e for e in root.iter() if e.tag.endswith("rect") and e.get("rx")]
    assert len(boxes) == 5
    page = MODEL.to_html()
    assert "<svg" in page
    assert "y &amp; z" in page
    assert ElementTree.fromstring(VFDT().to_svg()) is not None
    numbers = HoeffdingTreeRegressor()
    numbers.learn_one({"a": 1.0}, 2.0)
    assert "2 ±" in numbers.to_svg()


def test_only_the_top() -> None:
    """What is left out is counted, and nothing is hidden twice."""
    for told in (MODEL.to_text(max_depth=1), MODEL.to_svg(max_depth=1), MODEL.to_dot(max_depth=1)):
        assert "… 2 nodes below" in told
    assert MODEL.to_dot(max_depth=1).count("->") == 2
    assert MODEL.to_svg(max_depth=0).count('class="box') == 1
    assert MODEL.to_text(max_depth=2) == MODEL.to_text()
    with pytest.raises(ValueError, match="max_depth"):
        MODEL.to_svg(max_depth=-1)


def test_long_names_and_many_labels_stay_inside() -> None:
    rng = np.random.default_rng(3)
    rows = [
        {"a very long name of a feature, longer than any box": f"value number {v} of a long list"}
        for v in rng.integers(0, 40, 4000)
    ]
    y = [f"label {next(iter(x.values())).split()[2]} with a long name" for x in rows]
    model = VFDT(leaf_prediction="mc", nominal_split="branches")
    model.learn_many(rows, y)
    assert model.n_leaves == 40
    root = ElementTree.fromstring(model.to_svg())
    width = float(root.get("width") or 0)
    texts = [e for e in root.iter() if e.tag.endswith("text")]
    assert max(len(t.text or "") for t in texts) < 32
    assert all(float(t.get("x") or 0) < width for t in texts)
    assert "… and 16 more" in model.to_svg()
    colours = {e.get("fill") for e in root.iter() if e.tag.endswith("rect") and not e.get("rx")}
    assert len(colours) == 40
    assert "longer than any box" in model.to_text()  # the whole name where there is room


@pytest.mark.parametrize("learner", [VFDT, HoeffdingTreeRegressor])
def test_of_many_branches_the_widest_are_shown(learner: type) -> None:
    """A hundred values of which a few are common: the others are one leaf, with all they hold."""
    rng = np.random.default_rng(5)
    common = rng.random(20_000) < 0.7
    values = np.where(common, rng.integers(0, 8, 20_000), rng.integers(8, 200, 20_000))
    rows = [{"c": f"v{v}"} for v in values]
    y = [f"label {v % 2}" for v in values] if learner is VFDT else [float(v % 7) for v in values]
    model = learner(nominal_split="branches")
    model.learn_many(rows, y)
    assert model.n_leaves > 150
    root = ElementTree.fromstring(model.to_svg())
    texts = [e.text or "" for e in root.iter() if e.tag.endswith("text")]
    assert sum(e.get("class") == "box leaf" for e in root.iter()) == 13
    assert {f"v{v}" for v in range(8)} <= set(texts)
    assert f"… {model.n_leaves - 12} more" in texts
    lines = model.to_text().split("\n")
    assert lines[-1].startswith(f"└─ c = … {model.n_leaves - 40} more: ")
    assert len(lines) == 1 + 41
    leaves = [node for node in model._root().walk() if not node.children]
    top = model._root().narrow(2)
    *_, (_, rest) = top.children
    shown = [child for _, child in top.children[:-1]]
    assert sum(n.weight for n in [*shown, rest]) == pytest.approx(sum(n.weight for n in leaves))
    others = [n for n in leaves if n.number not in {child.number for child in shown}]
    for label, count in rest.counts.items():
        assert count == sum(n.counts[label] for n in others)
    if learner is HoeffdingTreeRegressor:
        weights = [n.weight for n in others]
        assert rest.mean == pytest.approx(np.average([n.mean for n in others], weights=weights))
        assert 1.5 < rest.deviation < 2.5  # numbers from 0 to 6
    assert model.to_dot().count("->") == model.n_nodes - 1  # whole


def test_few_branches_are_shown_whole() -> None:
    rng = np.random.default_rng(6)
    rows = [{"a": f"a{i}", "b": f"b{j}"} for i, j in rng.integers(0, 4, (40_000, 2))]
    y = [x["a"] + str(x["b"] > "b1") for x in rows]
    model = VFDT(nominal_split="branches")
    model.learn_many(rows, y)
    assert model.n_leaves == 16
    for told in (model.to_text(), model.to_svg()):
        assert "more" not in told


def test_explain() -> None:
    why = MODEL.explain_one({"n": 2.0, "c<>": "y & z"})
    assert why.prediction == "yes"
    assert len(why.path) == 2
    assert why.counts["yes"] > 0
    assert "=> 'yes'" in str(why)
    assert MODEL.explain_one({"n": 2.0, "c<>": "x"}).prediction == "no"
    assert "missing" in MODEL.explain_one({}).path[0]
    unseen = MODEL.explain_one({"c<>": "new", "n": 0.5})
    assert any("never seen" in step for step in unseen.path)
    model = VFDT()
    X = np.random.default_rng(1).normal(size=(400, 3))
    model.learn_many(X, X[:, 1] > 0)
    assert model.explain_one(X[0]).path[0].startswith("1 ")


def test_explanations_say_when_a_leaf_has_a_model_of_its_own() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 2))
    y = np.where(X[:, 0] > 0.8, "rare", "usual")
    told = {"mc": set(), "nb": set()}  # type: dict[str, set[tuple[str, str]]]
    for rule, found in told.items():
        model = VFDT(leaf_prediction=rule, max_depth=1, grace_period=10_000)
        model.learn_many(X, y)
        found |= {(why.prediction, why.model) for why in map(model.explain_one, X)}
    assert told["mc"] == {("usual", "")}
    assert told["nb"] == {("usual", ""), ("rare", "naive Bayes")}
    assert "=> 'rare' by naive Bayes (" in str(model.explain_one(X[np.argmax(X[:, 0])]))
    line = HoeffdingTreeRegressor(leaf_prediction="linear", grace_period=10_000)
    line.learn_many(X, X[:, 0])
    assert line.explain_one(X[0]).model == "its linear model"
    mean = HoeffdingTreeRegressor(leaf_prediction="mean", grace_period=10_000)
    mean.learn_many(X, X[:, 0])
    assert mean.explain_one(X[0]).model == ""


def test_a_box_shows_the_threshold_and_a_branch_is_one_line() -> None:
    rng = np.random.default_rng(4)
    name = "a name that is much longer than any box, in two\nlines"
    model = VFDT(delta=0.01, grace_period=50)
    for value in rng.normal(size=500).tolist():
        model.learn_one({name: value}, value > 0.25)
    cut = f"{model._root().threshold:.6g} ?"
    root = ElementTree.fromstring(model.to_svg())
    assert any((e.text or "").endswith(f"… ≤ {cut}") for e in root.iter() if e.tag.endswith("text"))
    assert len(model.to_text().split("\n")) == model.n_nodes


def test_explanations_end_where_predictions_come_from() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(5000, 4))
    X[rng.random(X.shape) < 0.05] = np.nan
    model = VFDT(delta=0.01, grace_period=50, leaf_prediction="mc")
    model.learn_many(X, np.nansum(X[:, :2], axis=1) > 0)
    for x in X[:200]:
        why = model.explain_one(x)
        if why.weight:
            shares = {y: n / why.weight for y, n in why.counts.items()}
            assert model.predict_proba_one(x) == pytest.approx(shares)


def test_importances() -> None:
    told = MODEL.feature_importances
    assert sum(told.values()) == pytest.approx(1.0)
    assert set(told) == {"n", "c<>"}
    assert VFDT().feature_importances == {}
