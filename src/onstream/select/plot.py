"""The lives of a population as a picture."""

import re
from pathlib import Path
from typing import Any

# Okabe and Ito's colours, without the yellow that is lost on white, and two more.
COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#b07d00",
    "#56b4e9",
    "#8c564b",
    "#7b61c9",
    "#444444",
    "#a3c14a",
)


def plot_history(model: Any, path: str | Path) -> None:
    """Draw what lived and died: a bar for each life, in the colour of its learner, to a file.

    A line goes from a parent to a child that kept what the parent had learned.
    """
    try:
        from matplotlib.figure import Figure
        from matplotlib.patches import Patch
    except ImportError:
        raise ImportError(
            'onstream: plot_history needs matplotlib: pip install "onstream[plot]".'
        ) from None
    lives, now = model.history, model.seen
    kinds = {kind_of(life["learner"]): None for life in lives}
    colours = {kind: COLOURS[i % len(COLOURS)] for i, kind in enumerate(kinds)}
    figure = Figure(figsize=(9.0, min(12.0, 1.5 + 0.16 * len(lives))), dpi=90, layout="constrained")
    panel = figure.subplots()
    place = {life["member"]: i for i, life in enumerate(lives)}
    for i, life in enumerate(lives):
        end = now if life["died"] is None else life["died"]
        panel.barh(
            i, end - life["born"], left=life["born"], color=colours[kind_of(life["learner"])]
        )
        if life["kept"] and life["parent"] in place:
            panel.plot([life["born"]] * 2, [place[life["parent"]], i], color="black", linewidth=0.6)
    panel.invert_yaxis()
    panel.set_xlabel("examples")
    panel.set_ylabel("members, in order of birth")
    panel.spines[["top", "right"]].set_visible(False)
    figure.legend(
        handles=[Patch(color=colour, label=kind) for kind, colour in colours.items()],
        loc="outside lower center",
        ncols=3,
        frameon=False,
    )
    figure.savefig(path)


def kind_of(learner: str) -> str:
    """The class of a learner; of a pipeline that of its last step."""
    names = re.findall(r"\b([A-Z]\w*)\(", learner.removeprefix("Pipeline("))
    return names[-1] if learner.startswith("Pipeline(") else names[0]
