"""Hashing features: Davis's answer to a vocabulary that changes, and what collisions cost."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bayes import MultinomialNB
from ...linear import LogisticRegression
from ..lab.drawing import COLOURS, figure, finish, key
from ..lab.lab import Lab
from ..lab.outcome import Finding, Outcome, Table

QUESTION = "Does hashing keep up with a vocabulary that changes, in fixed memory?"
Row = dict[str, float]
LENGTH, COMMON, TOPIC = 30, 3000, 150  # words of a message, in common use, and of each side


def generated(lab: Lab, rows: int) -> tuple[list[Row], NDArray[np.int64]]:
    """Messages whose spam words are spelt anew every 500 messages.

    A message has 30 words: most from a common vocabulary (Zipf), some from a topic of its side.
    Spam's topic words are renamed one by one: viagra, viagra1, viagra2, ...
    """
    rng = lab.rng(3)
    share = 1.0 / np.arange(1, COMMON + 1)
    share /= share.sum()
    y = (rng.random(rows) < 0.4).astype(np.int64)
    spelling = np.zeros(TOPIC, dtype=int)
    messages = []
    for i in range(rows):
        if i and i % 500 == 0:
            spelling[rng.random(TOPIC) < 0.3] += 1
        n = rng.binomial(LENGTH, 0.25)
        words = [f"w{k}" for k in rng.choice(COMMON, LENGTH - n, p=share)]
        topic = rng.integers(0, TOPIC, n)
        for k in topic:  # a quarter of the topic words are of the other side
            side = y[i] if rng.random() < 0.75 else 1 - y[i]
            words.append(f"s{k}v{spelling[k]}" if side else f"h{k}")
        row: Row = {}
        for word in words:
            row[word] = row.get(word, 0.0) + 1.0
        messages.append(row)
    return messages, y


def bag(text: str) -> Row:
    """How often each word occurs."""
    row: Row = {}
    for word in re.findall(r"[a-z0-9$!']+", text.lower()):
        row[word] = row.get(word, 0.0) + 1.0
    return row


def sources(lab: Lab) -> Iterator[tuple[str, list[Row], NDArray[np.int64]]]:
    """Generated messages, then mail."""
    yield "generated", *generated(lab, lab.pick(10_000, 50_000, 1500))
    for loaded in lab.sets(("sms_spam", "enron_spam")):
        data = loaded.first(lab.pick(8000, 30_000, 500))
        yield loaded.name, [bag(text) for text in data.X], data.binary()


def known_only(rows: list[Row], first: int) -> list[Row]:
    """The rows with the words of the first ones alone: a vocabulary that is fixed in advance."""
    known = {word for row in rows[:first] for word in row}
    return [{word: n for word, n in row.items() if word in known} for row in rows]


def run(lab: Lab) -> Outcome:
    """Error and memory of a fixed vocabulary, a growing one, and hashed ones."""
    bits = lab.pick((6, 8, 10, 12, 14, 16, 18), (4, 6, 8, 10, 12, 14, 16, 18, 20, 22), (6, 10, 16))
    table = Table(
        "Online error in % of all rows and of the last third; memory of the model",
        ["data", "features", "learner", "error %", "last third %", "slots", "kB"],
        formats={"error %": ".2f", "last third %": ".2f", "kB": ".0f"},
    )
    curves: dict[str, Any] = {}
    for name, rows, y in lab.each(list(sources(lab)), lambda s: s[0]):
        words = len({word for row in rows for word in row})
        first = min(1000, len(rows) // 3)
        fixed = known_only(rows, first)
        settings: list[tuple[str, Any, int | None]] = [
            (f"words of the first {first:,}", fixed, None),
            ("all words", rows, None),
        ]
        settings += [(f"2^{b} slots", rows, b) for b in bits]
        for features, X, b in settings:
            for learner, cls in (
                ("logistic regression", LogisticRegression),
                ("naive Bayes", MultinomialNB),
            ):
                if learner == "naive Bayes" and b is not None:
                    continue  # counts cannot have a sign
                model: Any = cls(eta=0.05, hash_bits=b) if cls is LogisticRegression else cls()
                wrong = np.asarray(model.predict_learn_many(X, y) != y, dtype=float)
                size = (
                    2**b
                    if b is not None
                    else words
                    if "all" in features
                    else len({w for row in fixed for w in row})
                )
                table.add(
                    name,
                    features,
                    learner,
                    100 * float(wrong.mean()),
                    100 * float(wrong[len(wrong) * 2 // 3 :].mean()),
                    size,
                    model.memory_bytes / 1e3,
                )
                if name == "generated" and learner == "logistic regression":
                    curves[features] = wrong
    return Outcome(
        [table],
        drawn(table, curves),
        {
            "generated": f"messages of {LENGTH} words, {COMMON:,} common ones (Zipf), {TOPIC} "
            "topic words of each "
            "side; every 500 messages 30 % of spam's topic words are spelt anew; 40 % spam",
            "learners": "LogisticRegression(eta=0.05, hash_bits=b): signed slots; MultinomialNB()",
            "fixed vocabulary": "the words of the first 1,000 messages",
            "seed": lab.seed,
        },
        findings(table, bits),
        lab.gaps(),
    )


def findings(table: Table, bits: tuple[int, ...]) -> list[Finding]:
    """What the lecture said, and what the table says."""
    fixed = next(f for f in table.column("features") if f.startswith("words of"))

    def of(column: str, features: str) -> float:
        return float(
            table.value(column, data="generated", features=features, learner="logistic regression")
        )

    large, small = f"2^{bits[-1]} slots", f"2^{bits[0]} slots"
    enough = next(
        (b for b in bits if of("error %", f"2^{b} slots") < of("error %", "all words") + 0.5), None
    )
    return [
        Finding(
            "The feature space is not fixed: a vocabulary fixed in advance falls behind",
            f"last third: {of('last third %', fixed):.1f} % with the first words, "
            f"{of('last third %', 'all words'):.1f} % with all",
            of("last third %", fixed) > of("last third %", "all words") + 1.0,
        ),
        Finding(
            "Hashing solves it: as good as all words",
            f"{large}: {of('error %', large):.1f} %, all words {of('error %', 'all words'):.1f} %"
            + (f"; within half a point from 2^{enough} slots on" if enough else ""),
            of("error %", large) < of("error %", "all words") + 0.5,
        ),
        Finding(
            "Memory is fixed, whatever the stream sends",
            f"2^{enough or bits[-1]} slots {of('kB', f'2^{enough or bits[-1]} slots'):.0f} kB, "
            f"all words {of('kB', 'all words'):.0f} kB and growing",
            None,
        ),
        Finding(
            "Too few slots: collisions cost accuracy",
            f"{small}: {of('error %', small):.1f} %",
            of("error %", small) > of("error %", large) + 2.0,
        ),
    ]


def drawn(table: Table, curves: dict[str, Any]) -> Any:
    """Error by slots; error over time."""
    page, panels = figure(2, width=6.0)
    left, right = panels[0]
    for i, name in enumerate(dict.fromkeys(table.column("data"))):
        rows = [r for r in table.rows if r[0] == name and r[2] == "logistic regression"]
        hashed = [r for r in rows if r[1].startswith("2^")]
        left.plot(
            [r[5] for r in hashed],
            [r[3] for r in hashed],
            marker="o",
            color=COLOURS[i],
            label=f"{name}, hashed",
        )
        left.axhline(rows[1][3], linestyle="--", color=COLOURS[i], label=f"{name}, all words")
        left.axhline(rows[0][3], linestyle=":", color=COLOURS[i], label=f"{name}, first words only")
    finish(left, "Error by size", "slots", "online error, %", logx=True)
    left.set_xscale("log", base=2)
    left.set_ylim(bottom=0)
    left.legend(frameon=False, fontsize=9)
    shown = [f for f in curves if not f.startswith("2^")] + [
        f for f in curves if f in ("2^8 slots", "2^10 slots", "2^12 slots", "2^16 slots")
    ]
    for i, features in enumerate(shown):
        wrong = curves[features]
        window = max(1, len(wrong) // 15)
        sums = np.concatenate([[0.0], np.cumsum(wrong)])
        path = 100 * (sums[window:] - sums[:-window]) / window
        step = max(1, len(path) // 200)
        right.plot(
            np.arange(window, len(wrong) + 1)[::step],
            path[::step],
            color=COLOURS[i],
            label=features,
            linestyle=":" if "first" in features else "-",
        )
    finish(right, "Generated messages over time", "messages", f"error, % of the latest {window:,}")
    right.set_ylim(bottom=0)
    key(page, right, columns=6)
    return page
