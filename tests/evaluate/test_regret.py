import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog

from onstream import RLS, LinearRegression, LogisticRegression, PAClassifier
from onstream.evaluate import regret
from onstream.evaluate.regret import LOSSES, best_fixed, best_within


def data(n=300, d=3, seed=0):
    random = np.random.default_rng(seed)
    A = np.column_stack([random.normal(size=(n, d)), np.ones(n)])
    y = A @ random.normal(size=d + 1) + random.standard_t(1.5, size=n)
    return A, y, np.where(y + 0.3 * random.normal(size=n) > 0, 1.0, -1.0)


def test_squared_is_ridge():
    A, y, _ = data()
    u = best_fixed("squared", A, y, 0.5)
    assert u == pytest.approx(np.linalg.solve(A.T @ A + 0.5 * np.eye(4), A.T @ y), rel=1e-10)


def test_absolute_is_the_linear_programme():
    A, y, _ = data()
    n, d = A.shape
    found = linprog(
        np.r_[np.zeros(2 * d), np.ones(2 * n)],
        A_eq=np.hstack([A, -A, np.eye(n), -np.eye(n)]),
        b_eq=y,
    )
    u = best_fixed("absolute", A, y, 0.0)
    assert np.abs(y - A @ u).sum() == pytest.approx(found.fun, rel=1e-8)


def test_hinge_is_the_linear_programme():
    A, _, y = data()
    n, d = A.shape
    found = linprog(
        np.r_[np.zeros(2 * d), np.ones(n)],
        A_ub=np.hstack([-y[:, None] * A, y[:, None] * A, -np.eye(n)]),
        b_ub=-np.ones(n),
    )
    u = best_fixed("hinge", A, y, 0.0)
    assert np.maximum(0.0, 1.0 - y * (A @ u)).sum() == pytest.approx(found.fun, rel=1e-8)


def test_logistic_has_no_slope_left():
    A, _, y = data()
    u = best_fixed("logistic", A, y, 0.1)
    slope = A.T @ (-y / (1 + np.exp(y * (A @ u)))) + 0.1 * u
    assert np.abs(slope).max() < 1e-6


@pytest.mark.parametrize("loss", LOSSES)
def test_within_a_radius(loss):
    A, number, label = data(n=120)
    y = number if loss in ("squared", "absolute") else label
    u = best_within(loss, A, y, 0.4)
    assert np.linalg.norm(u) == pytest.approx(0.4, rel=1e-6)
    least = LOSSES[loss](y, A @ u).sum()
    random = np.random.default_rng(0)
    for _ in range(300):  # nobody in the ball is better
        v = u + 0.05 * random.normal(size=4)
        v *= min(1.0, 0.4 / np.linalg.norm(v))
        assert LOSSES[loss](y, A @ v).sum() >= least - 1e-6
    wide = best_within(loss, A, y, 1e6)
    assert LOSSES[loss](y, A @ wide).sum() <= least


def test_rls_regret_from_its_identity():
    """Σ e²/(1+x'Px) = min λ‖u‖² + Σ(y-u·x)²: so the regret against u is known exactly."""
    random = np.random.default_rng(3)
    X = random.normal(size=(200, 3))
    y = X @ [1.0, -1.0, 2.0] + random.normal(size=200)
    lam = 0.7
    outcome = regret(RLS(lam=lam, intercept=False), X, y, lam=lam, intercept=False)
    P, expected = np.eye(3) / lam, 0.0
    w = np.zeros(3)
    for x, target in zip(X, y, strict=True):
        e = target - w @ x
        spread = x @ P @ x
        expected += 0.5 * e * e * spread / (1 + spread)  # e² - e²/(1+spread)
        g = P @ x / (1 + spread)
        w, P = w + g * e, P - np.outer(g, P @ x)
    u = outcome.comparator
    assert w == pytest.approx(u, rel=1e-8)
    expected += 0.5 * lam * (u @ u)
    assert outcome.total == pytest.approx(expected, rel=1e-9)
    assert outcome.curve[-1] == pytest.approx(outcome.total)


def test_gradient_descent_keeps_its_bound():
    """Σ ℓ(w_t) - Σ ℓ(u) ≤ ‖u‖²/(2γ) + γ/2 Σ‖g‖² for every u, so for the best."""
    X, number, label = data(n=500)
    for model, loss, y in (
        (LinearRegression(eta=0.001, intercept=False), "squared", np.clip(number, -5, 5)),
        (LogisticRegression(eta=0.05, intercept=False), "logistic", label.astype(int)),
    ):
        gamma = model.eta
        outcome = regret(model, X, y, loss, lam=0.0, intercept=False)
        twin, squares = model.clone(), 0.0
        first = 1.0 if y[0] == 1 else -1.0
        for x, target in zip(X, y.tolist(), strict=True):
            p = twin.score_one(x) if twin.seen else 0.0
            if loss == "squared":
                g = p - target
            else:
                code = first if target == y[0] else -first
                g = -code / (1 + np.exp(code * p))
            squares += g * g * (x @ x)
            twin.learn_one(x, target)
        u = outcome.comparator
        assert 0.0 < outcome.total <= (u @ u) / (2 * gamma) + gamma / 2 * squares


def test_hinge_of_a_classifier_with_any_labels():
    X, _, label = data()
    names = np.where(label > 0, "yes", "no")
    outcome = regret(PAClassifier(), X[:, :3], names, "hinge")
    assert outcome.losses[0] == 1.0  # nothing was known
    assert outcome.best.sum() < outcome.losses.sum()
    assert len(outcome.comparator) == 4  # with its intercept


@pytest.mark.parametrize(
    ("model", "X", "y", "more", "message"),
    [
        (PAClassifier(), [[1.0]], [1], {}, "for a regressor"),
        (RLS(), [[1.0]], [1], {"loss": "hinge"}, "for a classifier"),
        (RLS(), [[1.0]], [1], {"loss": "cubic"}, "loss must be one of"),
        (RLS(), [1.0], [1], {}, "rows of numbers"),
        (RLS(), [[1.0]], [1], {"radius": 0.0}, "radius must be"),
        (RLS(), [[1.0]], [1], {"lam": -1.0}, "lam must be"),
        (PAClassifier(), np.eye(3), [1, 2, 3], {"loss": "hinge"}, "two labels, got 3: 1, 2, 3"),
        (RLS(), [[1.0]], [1], {"intercept": "no"}, "intercept must be True or False"),
        (RLS(), [[1.0]], [1], {"lam": 0.1, "radius": 1.0}, "lam and radius exclude each other"),
        (RLS(), [[1.0]], [1], {"lam": 1e-6, "radius": 1.0}, "lam and radius exclude each other"),
        (RLS(), [{"a": 1.0}] * 3, [1, 2, 3], {}, "X must be an array .* got a list of dict"),
        (RLS(), ["a", "b"], [1, 2], {}, "X must be an array"),
        (RLS(), [[1.0], [1.0, 2.0]], [1, 2], {}, "X must be an array"),
        (RLS(), [["a"]], [1], {}, "X must be an array"),
        (RLS(), None, [1], {}, "X must be an array"),
        (RLS(), [["1.0"]], [1], {}, "X must be an array .* got text"),
        (RLS(), sp.csr_array(np.eye(3)), [1, 2, 3], {}, r"X must be an array .*toarray\(\)"),
        (PAClassifier(), sp.csr_array(np.eye(3)), [0, 1, 0], {"loss": "hinge"}, "toarray"),
        (RLS(), np.ma.array([[1.0]], mask=[[True]]), [1], {}, "row 0: feature 0 is masked"),
        (RLS(), [[np.nan], [1.0]], [1, 2], {}, "row 0: X must be finite, got nan"),
        (RLS(), [[1.0], [1.0]], [1], {}, "X has 2 rows, y has 1"),
        (RLS(), [[1.0]], None, {}, "y must have one dimension"),
        (RLS(), [[1.0], [1.0]], [1.0, np.nan], {}, "row 1: y must be finite"),
        (RLS(), [[1.0], [1.0]], [1.0, "a"], {}, "y must be numbers"),
        (PAClassifier(), np.eye(2), [1, None], {"loss": "hinge"}, "row 1: y"),
        (PAClassifier(), np.eye(2), [1, "a"], {"loss": "hinge"}, "row 1: .*one kind"),
    ],
)
def test_misuse(model, X, y, more, message):
    with pytest.raises((TypeError, ValueError), match=rf"^regret: .*{message}"):
        regret(model, X, y, **more)
    assert model.seen == 0


def test_labels_that_the_model_knows_already_count():
    model = PAClassifier()
    model.learn_many(np.eye(2), [0, 1])
    with pytest.raises(ValueError, match=r"^regret: the hinge loss is for two labels, got 3: "):
        regret(model, np.eye(2), [1, 2], "hinge")
    assert model.seen == 2
    assert len(regret(model, np.eye(2), [1, 1], "hinge").losses) == 2
    named = LogisticRegression(labels=["a", "b"])
    assert len(regret(named, np.eye(2), ["a", "a"], "logistic").losses) == 2
