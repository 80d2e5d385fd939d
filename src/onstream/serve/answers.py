"""What a learner says to who asks: predictions, probabilities, and why."""

from typing import Any

EXPLAINED = 100  # features whose share is computed


def answers(learner: Any, rows: Any) -> tuple[list[Any], list[Any] | None]:
    """Predictions, and where the learner has them probabilities."""
    probable = hasattr(learner, "predict_proba_one")
    if len(rows) == 1:  # the same, without what a block costs
        one = [learner.predict_one(rows[0])]
        return one, [by_text(learner.predict_proba_one(rows[0]))] if probable else None
    predictions = learner.predict_many(rows)
    predicted = predictions.tolist() if hasattr(predictions, "tolist") else list(predictions)
    if not probable:
        return predicted, None
    names = [str(label) for label in learner.labels]
    table = learner.predict_proba_many(rows)
    return predicted, [dict(zip(names, row, strict=True)) for row in table.tolist()]


def by_text(probabilities: dict[Any, float]) -> dict[str, float]:
    """Labels as JSON has them."""
    return {str(label): p for label, p in probabilities.items()}


def explanation(learner: Any, x: Any) -> dict[str, Any]:
    """What a tree says, or by how much the score falls without each feature."""
    facts: dict[str, Any] = {"prediction": learner.predict_many([x]).tolist()[0]}
    if hasattr(learner, "explain_one"):
        return {**facts, "explanation": str(learner.explain_one(x))}
    if not isinstance(x, dict) or not hasattr(learner, "score_one"):
        return {**facts, "explanation": None}
    whole = learner.score_one(x)
    parts = {}
    for name in list(x)[:EXPLAINED]:
        less = learner.score_one({k: v for k, v in x.items() if k != name})
        if isinstance(whole, dict):
            parts[name] = {str(k): v - less.get(k, 0.0) for k, v in whole.items()}
        else:
            parts[name] = whole - less
    if len(x) > EXPLAINED:
        facts["left_out"] = len(x) - EXPLAINED
    return {**facts, "contributions": parts}
