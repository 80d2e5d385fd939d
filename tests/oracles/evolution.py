"""Online selection by evolution in plain Python: learners of the library, all else by hand."""

from math import exp, log
from typing import Any

import numpy as np

from onstream.select.keeping import can_keep
from onstream.select.space import Genes, learner_of, mutate, usual_genes

FADING, RECENT, RATE = 0.999, 0.95, 0.001


class Member:
    """A learner and what its answers were worth."""

    def __init__(self, genes: Genes, learner: Any, weight: float):
        self.genes, self.learner = genes, learner
        self.right = self.asked = self.use = 0.0
        self.lately, self.asked_lately = 0.5, 1.0
        self.of_answer = self.of_odds = weight

    @property
    def fitness(self) -> float:
        return self.right / self.asked

    def trust(self, k: int) -> float:
        """Log odds that it is right."""
        share = min(max(self.lately / self.asked_lately, 0.02), 0.98)
        return max(0.0, log(share * max(1, k - 1) / (1.0 - share)))

    def votes(self, x: Any, labels: list[Any]) -> dict[Any, float]:
        """Its probabilities; margins count as log odds."""
        if not self.learner.seen:
            return {}
        if hasattr(self.learner, "predict_proba_one"):
            known = self.learner.predict_proba_one(x)
            named = self.learner.predict_one(x)  # among equals the one that it names
            return {label: known[label] + 1e-13 * (label == named) for label in labels}
        score, named = self.learner.score_one(x), self.learner.predict_one(x)
        if isinstance(score, dict):
            odds = {label: exp(max(score[label] - score[named], -18.0)) for label in labels}
        else:
            width = min(abs(score), 18.0)
            odds = {label: exp(-width if label != named else 0.0) for label in labels}
        return {label: value / sum(odds.values()) for label, value in odds.items()}


class Evolution:
    """The loop of EvoAutoML with a vote: majority, weighted, mixed or best."""

    def __init__(self, space: Any, labels: list[Any], size: int, interval: int, vote: str):
        self.space, self.labels, self.interval, self.vote = space, labels, interval, vote
        found = [usual_genes(space, i) for i in range(size)]
        self.members = [Member(g, self.made(learner_of(space, g)), 1.0 / size) for g in found]
        self.births, self.t = size, 0
        self.known: set[Any] = set()  # labels that have come

    def made(self, learner: Any) -> Any:
        """A learner that knows all labels, as a member does."""
        steps = getattr(learner, "steps", [learner])
        *before, last = [step.clone() for step in steps]
        chain = last.clone(labels=self.labels)
        for step in reversed(before):
            chain = step | chain
        return chain

    def best(self) -> Member:
        """Right most often, after ten answers more that were wrong."""
        return max(self.members, key=lambda m: m.right / (m.asked + 10.0))

    def weigh(
        self, votes: list[dict[Any, float]]
    ) -> tuple[dict[Any, float], list[dict[Any, float]]]:
        """What each label gets in all, and the part of each member."""
        k, parts = max(len(self.known), 1), []
        for member, vote in zip(self.members, votes, strict=True):
            part = dict.fromkeys(self.labels, 0.0)
            if vote:
                pick = max(self.labels, key=lambda label: vote[label])
                if self.vote == "majority":
                    part[pick] = 1.0
                elif self.vote == "weighted":
                    part[pick] = member.trust(k)
                elif self.vote == "mixed":
                    part[pick] = member.of_answer * member.trust(k)
                    odds = log_odds(vote, self.known)
                    part = {y: part[y] + member.of_odds * odds[y] for y in self.labels}
                part[pick] += 1e-13 * (2.0 if member is self.best() else 1.0)
            parts.append(part)
        z = {y: sum(part[y] for part in parts) for y in self.labels}
        if self.vote == "best":
            z = votes[self.members.index(self.best())] or z
        if self.vote == "mixed":
            z = softmax({y: v if y in self.known else -np.inf for y, v in z.items()})
        return z, parts

    def predict_learn_one(self, x: Any, y: Any) -> dict[Any, float]:
        """What all say of x before they learn it."""
        votes = [member.votes(x, self.labels) for member in self.members]
        z, parts = self.weigh(votes)
        before = set(self.known)
        self.known.add(y)
        if len(self.known) > 1:
            self.odds = [log_odds(vote, before) if vote else {} for vote in votes]
            self.judge(y, z, votes, parts)
        for member in self.members:
            member.learner.learn_one(x, y)
        self.t += 1
        if self.t % self.interval == 0:
            self.evolve()
        return z

    def judge(self, y: Any, z: dict[Any, float], votes: list[Any], parts: list[Any]) -> None:
        """What each answer was worth."""
        for member, vote, part, odds in zip(self.members, votes, parts, self.odds, strict=True):
            pick = max(self.labels, key=lambda label: vote[label]) if vote else None
            if self.vote == "mixed":
                member.use *= FADING
                if vote:
                    logs = {r: log(z[r]) - part[r] if z[r] else -np.inf for r in self.labels}
                    without = softmax(logs)
                    member.use += log(max(z[y], 1e-9)) - log(max(without[y], 1e-9))
                    slope = member.trust(len(self.known)) * ((pick == y) - z[pick])
                    member.of_answer += RATE * slope
                    member.of_odds += RATE * sum(((r == y) - z[r]) * odds[r] for r in self.labels)
            member.right = FADING * member.right + (pick == y)
            member.asked = FADING * member.asked + 1.0
            member.lately = RECENT * member.lately + (pick == y)
            member.asked_lately = RECENT * member.asked_lately + 1.0

    def evolve(self) -> None:
        """A child of the best for the one that is needed least."""
        best = max(self.members, key=lambda m: m.fitness)
        needs = [m.use / m.asked if m.use else m.fitness for m in self.members]
        needs[self.members.index(best)] = np.inf
        worst = int(np.argmin(needs))
        genes, _ = mutate(self.space, best.genes, np.random.default_rng([0, self.births]))
        child = Member(genes, self.made(learner_of(self.space, genes)), 0.0)
        if can_keep(learner_of(self.space, best.genes), learner_of(self.space, genes)):
            child.learner._restore(best.learner._snapshot())
            child.lately, child.asked_lately = best.lately, best.asked_lately
        self.members[worst] = child
        self.births += 1


def log_odds(vote: dict[Any, float], come: set[Any]) -> dict[Any, float]:
    """Logarithms of the probabilities of labels that have come, less their mean; 0 of others."""
    total = sum(vote[y] for y in come)
    logs = {y: log(max(vote[y] / total, min(0.01, 0.5 / len(come)))) for y in come}
    mean = sum(logs.values()) / len(come)
    return {y: logs[y] - mean if y in come else 0.0 for y in vote}


def softmax(z: dict[Any, float]) -> dict[Any, float]:
    """Probabilities of log weights."""
    top = max(z.values())
    odds = {y: exp(value - top) for y, value in z.items()}
    return {y: value / sum(odds.values()) for y, value in odds.items()}
