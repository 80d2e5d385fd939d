"""Reports as one self-contained page: curves to hover over, learners to switch on and off."""

import html
import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from .report import RANGES, Report, checked_path, colours, dashes, scale


def write(reports: Sequence[Report], path: str | Path, title: str | None = None) -> Path:
    """Write reports into one HTML file that needs no other, and no network.

    Raises
    ------
    ImportError
        If plotly, whose script goes into the page, is not installed.
    """
    try:
        from plotly.offline import get_plotlyjs
    except ImportError:
        raise ImportError('Report: a page needs plotly, pip install "onstream[plot]".') from None
    out = checked_path(path)
    title = title or (reports[0].question if len(reports) == 1 else "Which learner is best?")
    colour, dash = colours(reports), dashes(reports)
    data: dict[str, Any] = {"title": title, "reports": []}
    for report in reports:
        fields = report.to_dict()
        # A window that holds all rows says what "all so far" says.
        names = [name for name in RANGES if name != "window" or report.rows > report.window]
        fields["ranges"] = {name: report.about(name) for name in names}
        fields["opening"] = report.opening
        fields["scales"] = {
            metric["name"]: {name: scale(report, metric, name) for name in fields["ranges"]}
            for metric in report.metrics
        }
        for learner, run in zip(fields["learners"], report.runs, strict=True):
            learner["picture"] = run.picture
            learner["colour"] = colour[learner["name"]]
            learner["dash"] = dash[learner["name"]]
            learner["code"] = written_out(learner["learner"], learner["params"])
        data["reports"].append(fields)
    text = (files(__package__) / "report.html").read_text(encoding="utf-8")
    # No text of the user may end the script that it stands in.
    data_json = msgspec.json.encode(data).decode().replace("<", "\\u003c")
    parts = {"__TITLE__": html.escape(title), "__DATA__": data_json, "__PLOTLY__": get_plotlyjs()}
    # In one go: what is put in is not looked through again, whatever it says.
    text = re.sub("__(TITLE|DATA|PLOTLY)__", lambda found: parts[found[0]], text)
    out.write_text(text, encoding="utf-8")
    return out


def written_out(learner: str, params: dict[str, Any]) -> str:
    """A learner in code, with every parameter; a pipeline by its steps."""
    if "steps" in params:
        return learner
    written = ", ".join(f"{name}={value!r}" for name, value in params.items())
    return f"{learner.split('(')[0]}({written})" if params else learner
