"""Softmax regression: a row of weights for every label, from two labels on."""

from .logistic_regression import LogisticRegression


class SoftmaxRegression(LogisticRegression):
    """Softmax regression by stochastic gradient ascent of the log-likelihood (Cox, 1966).

    After each example the weights of every label r move by
    eta * (([r = y] - p_r) * x - l2 * W_r), where p_r is the probability it was given; intercepts
    are not regularised. With two labels the rows are each other's negative, so one of them is
    enough: `weights` shows their difference, which moves twice as far as the weights of
    `LogisticRegression` do.
    The same in plain NumPy: tests/oracles/logistic_regression.py.

    Examples
    --------
    >>> model = SoftmaxRegression()
    >>> for _ in range(100):
    ...     model.learn_one({"fur": 1, "barks": 1}, "dog")
    ...     model.learn_one({"fur": 1, "purrs": 1}, "cat")
    ...     model.learn_one({"wings": 1}, "bird")
    >>> model.predict_one({"purrs": 1})
    'cat'
    >>> round(sum(model.predict_proba_one({"fur": 1}).values()), 9)
    1.0
    """

    _step_factor = 2.0
