"""Learn into a store, stop, go on; then take out a source that lied.

python examples/durable.py
"""

import random
import tempfile

from onstream import PAClassifier
from onstream.serve.store import DurableModel

rng = random.Random(1)


def row() -> tuple[dict[str, float], bool]:
    x = {f"sensor {i}": rng.gauss(0, 1) for i in range(10)}
    return x, sum(x.values()) > 0


def examples(n: int) -> list[dict[str, object]]:
    made = []
    for _ in range(n):
        x, y = row()
        lies = rng.random() < 0.05
        x = {name: 20 * value for name, value in x.items()} if lies else x
        made.append({"x": x, "y": y != lies, "source": "liar" if lies else "honest"})
    return made


test = [row() for _ in range(2000)]


def accuracy(model: DurableModel) -> float:
    answers = model.predict_many([x for x, _ in test])
    return sum(a == y for a, (_, y) in zip(answers, test, strict=True)) / len(test)


folder = tempfile.mkdtemp()
with DurableModel(folder, PAClassifier()) as model:
    model.learn(examples(2000))
with DurableModel(folder) as model:  # another day, another process
    model.learn(examples(2000))
    print(f"{model.seen:,} examples learned, accuracy {accuracy(model):.1%}")
    taken = model.replay(exclude_source="liar")
    print(f"{taken:,} examples of the liar taken out, accuracy {accuracy(model):.1%}")
