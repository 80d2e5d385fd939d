"""The lecture's spam filter: hashed words, several learners, mail in the order in which it came.

python examples/spam.py          the first 2,000 messages
python examples/spam.py --all    all of them, with a page of curves for each set

Reads ../shared/data/{enron_spam,sms_spam}.parquet beside the project if they are there, else it
makes up some messages.
"""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
from rich.console import Console

from onstream.evaluate import F1, ErrorRate, MajorityClass, prequential
from onstream.features import BagOfWords, FeatureHasher
from onstream.linear import LogisticRegression, PAClassifier, Perceptron

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
ALL = "--all" in sys.argv
WIDTHS = (8, 10, 12, 14, 16, 18, 20)


def messages():
    """Name, texts and labels of each set, in order of arrival."""
    found = []
    for name in ("enron_spam", "sms_spam"):
        if (DATA / f"{name}.parquet").exists():
            import pyarrow.parquet as pq

            table = pq.read_table(DATA / f"{name}.parquet")
            texts = [text or "" for text in table.column("text").to_pylist()]
            found.append((name, texts, np.asarray(table.column("y").to_numpy(), dtype=int)))
    return found or [("made up", *made_up())]


def made_up(n=2000, seed=0):
    """Messages whose words depend on what they are; every tenth word was never seen before."""
    random = np.random.default_rng(seed)
    spam, ham, both = (random.permutation(3000) + 3000 * i for i in range(3))
    y = random.integers(0, 2, n)
    texts = []
    for i, label in enumerate(y):
        own = spam if label else ham
        words = [f"w{own[int(k)]}" for k in random.geometric(0.01, 8) % 3000]
        words += [f"w{both[int(k)]}" for k in random.geometric(0.01, 12) % 3000] + [f"new{i}"]
        texts.append(" ".join(words))
    return texts, y


def words_of(texts):
    """All distinct words."""
    bag = BagOfWords(fold=True)
    bag.learn_many(texts)
    return sorted({word for text in texts for word in bag.transform_one(text)})


def collisions(words, bits):
    """Share of the distinct words that share their slot with another one."""
    hasher = FeatureHasher(hash_bits=bits)
    slots = [next(iter(hasher.transform_one({word: 1.0}))) for word in words]
    full = Counter(slots)
    return sum(full[slot] > 1 for slot in slots) / len(words)


def main():
    console = Console(width=100)
    for name, texts, y in messages():
        if not ALL:
            texts, y = texts[:2000], y[:2000]
        models = {
            type(last).__name__: BagOfWords(fold=True, binary=True, hash_bits=18) | last
            for last in (LogisticRegression(eta=0.5), PAClassifier(C=0.1), Perceptron())
        }
        report = prequential(
            {**models, "commonest so far": MajorityClass()},
            (texts, y),
            [ErrorRate(), F1()],
            window=500,
            question=f"Spam or not? {name}, words hashed into 2^18 slots",
            step="message",
        )
        console.print(report)
        if ALL:
            console.print(f"Curves: {report.to_html(f'{name}.html')}")
        console.print(f"{name}: hash width against error")
        words = words_of(texts)
        for bits in WIDTHS:
            model = BagOfWords(fold=True, binary=True, hash_bits=bits) | LogisticRegression(eta=0.5)
            error = (model.predict_learn_many(texts, y) != y).mean()
            shared = collisions(words, bits)
            console.print(
                f"  2^{bits:<2}  error {100 * error:5.2f} %   {100 * shared:5.1f} % of "
                f"{len(words):,} words share a slot   {model.memory_bytes / 1024:,.0f} KiB"
            )


main()
