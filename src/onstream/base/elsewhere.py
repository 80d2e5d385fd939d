"""Hints for users of scikit-learn: its method names raise an error that names ours."""

from typing import Any, NoReturn


class Hint:
    """A missing attribute, whose AttributeError says what to use instead."""

    def __init__(self, advice: str) -> None:
        self.advice = advice

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, learner: Any, owner: type) -> NoReturn:
        raise AttributeError(
            f"{owner.__name__} has no {self.name!r}; use {self.advice}.",
            name=self.name,
            obj=learner,
        )


class Elsewhere:
    """Methods and attributes of scikit-learn that learners lack. `hasattr` is False for all."""

    predict = Hint("predict_many(X), or predict_one(x) for one example")
    predict_proba = Hint("predict_proba_many(X), where the learner has probabilities")
    predict_log_proba = Hint("numpy.log(predict_proba_many(X))")
    decision_function = Hint("score_many(X)")
    partial_fit = Hint("learn_many(X, y), or learn_one(x, y) for one example")
    score = Hint("onstream.evaluate: Accuracy() or R2(), update_many(y, predict_many(X))")
    transform = Hint("transform_many(X), or transform_one(x) for one example")
    fit_transform = Hint("fit(X).transform_many(X)")
    get_params = Hint("params")
    set_params = Hint("clone(name=value), which gives a new learner")
    classes_ = Hint("labels")
    coef_ = Hint("weights, where the learner has them")
    intercept_ = Hint("bias, where the learner has it")

    def __dir__(self) -> list[str]:
        names: Any = object.__dir__(self)
        return [name for name in names if not isinstance(vars(Elsewhere).get(name), Hint)]
