import html
import json
import re
import subprocess
import sys
from io import BytesIO, StringIO

import numpy as np
import pyarrow as pa
import pytest
import rich
from plotly.offline import get_plotlyjs
from rich.console import Console

from onstream import RLS, LogisticRegression, PAClassifier
from onstream.base.printable import printable
from onstream.evaluate import (
    F1,
    Accuracy,
    Kappa,
    KappaT,
    LastValue,
    MajorityClass,
    Prequential,
    prequential,
)
from onstream.evaluate.figures import compact
from onstream.evaluate.page import write
from onstream.evaluate.report import scale, shown
from onstream.tree import HoeffdingTreeClassifier

from ..tools import program


@pytest.fixture(scope="module")
def report():
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 3))
    y = (X[:, 0] > 0).astype(int)
    y[1500:] = X[1500:, 1] > 0
    models = {"<b>passive</b>": PAClassifier(C=0.1), "logistic": LogisticRegression()}
    models |= {"tree": HoeffdingTreeClassifier(), "guess": MajorityClass()}
    table = pa.table({"<u>a</u>": X[:, 0], "b": X[:, 1], "c": X[:, 2]})
    return prequential(
        models,
        (table, y),
        [Accuracy(), Kappa()],
        window=200,
        marks={1500: "</script>the <i>concept</i> changes"},
        question="Who notices that the concept changes?",
        detector=Hundreds(),
        baselines=False,
    )


class Hundreds:
    """Cries at the 100th value."""

    n = 0

    def update_many(self, values):
        before, self.n = self.n, self.n + len(values)
        return [99 - before] if before < 100 <= self.n else []


def test_table(report):
    text = str(report)
    assert "Who notices that the concept changes?" in text
    for word in (
        "logistic",
        "Accuracy, %",
        "last 200",
        "Kappa",
        "per s",
        "CPU",
        "memory",
        "alarms",
    ):
        assert word in text
    assert f"{100 * report.value('logistic', 'Accuracy'):.1f}" in text
    assert "\x1b" not in text


def test_unknown_names_are_told(report):
    for asked in (("x", "Accuracy"), ("logistic", "x"), ("logistic", "Accuracy", "x")):
        with pytest.raises(KeyError, match="Report: "):
            report.value(*asked)


def test_json(report, tmp_path):
    told = json.loads(report.to_json(tmp_path / "report.json"))
    assert json.loads((tmp_path / "report.json").read_text()) == told
    assert told["rows"] == 3000
    assert told["at"] == report.at.tolist()
    logistic = told["learners"][1]
    assert logistic["values"]["Accuracy"]["window"] == report.value(
        "logistic", "Accuracy", "window"
    )
    assert logistic["params"]["eta"] == 0.1
    assert logistic["alarms"] == [100]
    assert told["settings"]["window"] == "200 examples"


def test_frame(report):
    frame = report.to_frame()
    assert list(frame.columns) == ["learner", "metric", "rows", "window", "cumulative", "fading"]
    assert len(frame) == 4 * 2 * len(report.at)
    last = frame[(frame.learner == "logistic") & (frame.metric == "Kappa")].iloc[-1]
    assert last.rows == 3000
    assert last.cumulative == report.value("logistic", "Kappa")
    assert report.to_arrow().num_rows == len(frame)


def test_picture(report, tmp_path):
    figure = report.plot(tmp_path / "curves.png")
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert [axes.get_xlabel() for axes in figure.axes] == ["examples seen"] * 2
    assert [axes.get_title("left") for axes in figure.axes] == [report.question, ""]
    assert figure._repr_png_().startswith(b"\x89PNG")  # in a notebook
    first = figure.axes[0]
    assert first.get_ylabel() == "Accuracy, %\n(the last 200 examples)"
    figure.canvas.draw()
    key = first.get_legend().get_window_extent()
    assert key.x0 >= first.get_window_extent().x1  # beside the lines
    assert first.lines[0].get_xdata()[0] >= 200  # a window that is not full is not shown


@pytest.mark.parametrize("missing", ["matplotlib.figure", "plotly.offline"])
def test_missing_extras_are_named(report, tmp_path, monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    draw = report.plot if missing == "matplotlib.figure" else report.to_html
    with pytest.raises(ImportError, match=r'pip install "onstream\[plot\]"'):
        draw(tmp_path / "out")


def test_missing_pandas(report, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        report.to_frame()


def test_figures_are_rounded():
    percent, plain = {"unit": "%"}, {"unit": ""}
    assert [shown(plain, 5.43568467031628e25), shown(plain, -1.3e49), shown(plain, np.nan)] == [
        "5.44e+25",
        "-1.3e+49",
        "-",
    ]
    assert [shown(percent, 0.1234), shown(plain, 0.5), shown(plain, -1e-9)] == [
        "12.3",
        "0.500",
        "0.000",
    ]


def test_large_numbers_are_short():
    told = [compact(n) for n in (7, 713_400, 1_344_000, 118e6, 2.5e9)]
    assert told == ["7", "713k", "1.34M", "118M", "2.5G"]


def test_learners_that_can_be_drawn_are(report, tmp_path):
    assert [bool(run.picture) for run in report.runs] == [False, False, True, False]
    assert report.run("tree").picture.startswith("<svg")
    assert "picture" not in report.to_json()
    page = report.to_html(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "\\u003cu>a\\u003c/u>" not in page  # names of features are text
    assert "lt;u&gt;a&lt;/u&gt; ≤" in page


def test_page_needs_nothing_else(report, tmp_path):
    page = report.to_html(tmp_path / "report.html").read_text(encoding="utf-8")
    head = page[: page.index("<script>")]
    assert "http" not in head
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=", head)
    tail = page[page.index('id="data"') :]
    assert tail.count("</script>") == 2  # that of the data and of the page: none of a user's text
    assert "http" not in tail.replace("http://www.w3.org/2000/svg", "")  # the name of a format
    assert "concept" in tail
    for name, value in report.settings().items():
        assert json.dumps(value)[1:-1].replace("<", "\\u003c") in tail, name
    assert (
        "PAClassifier(variant='PA-I', C=0.1, scale=None, intercept=True" in tail
    )  # every parameter


SCRIPT = """
<script>
addEventListener("load", () => setTimeout(() => {
  const said = {}, chart = document.querySelector(".chart");
  const lines = () => chart.data.filter(t => t.visible !== false).map(t => t.name);
  said.before = lines();
  document.querySelectorAll(".learners button")[1].click();
  said.after = lines();
  said.pressed = document.querySelectorAll(".learners button")[1].getAttribute("aria-pressed");
  const trace = chart.data[0], at = trace.x.length - 1;
  Plotly.Fx.hover(chart, [{curveNumber: 0, pointNumber: at}]);
  said.hover = [...chart.querySelectorAll(".hoverlayer text")].map(t => t.textContent);
  said.last = trace.y[at];
  [...document.querySelectorAll(".choice button")].find(b => b.textContent === "Kappa").click();
  said.axis = chart.layout.yaxis.title.text;
  said.marks = [...chart.querySelectorAll(".annotation text")].map(t => t.textContent);
  const box = chart.querySelector(".nsewdrag").getBoundingClientRect();
  const key = document.querySelector(".learners").getBoundingClientRect();
  said.covered = key.bottom > box.top;
  said.wide = document.documentElement.scrollWidth > innerWidth;
  said.size = parseFloat(getComputedStyle(chart.querySelector(".xtick text")).fontSize);
  const trees = [...document.querySelectorAll(".portrait svg")];
  said.trees = trees.map(tree => tree.querySelectorAll(".box").length);
  said.drawn = getComputedStyle(document.querySelector(".portrait .leaf")).fill;
  said.bold = document.querySelectorAll("main i + b > *").length;
  tell(said);
}, 300));
const tell = said => {
  const out = document.createElement("output");
  out.id = "said"; out.textContent = JSON.stringify(said);
  document.body.append(out);
};
addEventListener("error", event => tell({error: event.message}));
</script>
"""


def in_a_browser(page, script, width):
    """What the script tells of the page."""
    text = page.read_text(encoding="utf-8")
    start, end, rest = text.rpartition("</body>")  # the script of plotly may have one, too
    page.write_text(start + script + end + rest, encoding="utf-8")
    command = [
        program("chromium", "chromium-browser", "google-chrome"),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--no-first-run",
        f"--window-size={width},900",
        f"--user-data-dir={page.parent / 'profile'}",
        "--virtual-time-budget=20000",
        "--dump-dom",
    ]
    done = subprocess.run(
        [*command, page.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    found = re.search(r'<output id="said">(.*?)</output>', done.stdout)
    assert found, done.stderr[-2000:]
    said = json.loads(html.unescape(found[1]))
    assert "error" not in said, said["error"]
    return said


PHONE = """
<script>
document.documentElement.style.width = "390px";
addEventListener("load", () => setTimeout(() => {
  const chart = document.querySelector(".chart"), out = document.createElement("output");
  const right = all => Math.max(...[...all].map(e => e.getBoundingClientRect().right));
  const box = e => e.getBoundingClientRect();
  out.id = "said";
  out.textContent = JSON.stringify({
    right: right(document.querySelectorAll("button, h1, p, dd, .chart")),
    title: box(chart.querySelector(".ytitle")).right,
    ticks: Math.min(...[...chart.querySelectorAll(".ytick text")].map(e => box(e).left)),
    top: chart.layout.yaxis.range[1],
    note: [...document.querySelectorAll("p")].map(e => e.textContent).join(" "),
    cells: [...document.querySelectorAll("td")].map(e => e.textContent),
  });
  document.body.append(out);
}, 300));
</script>
"""


def test_on_a_phone(tmp_path):
    """Long names, numbers and a learner that diverged: nothing sticks out or lies over anything."""
    X = np.random.default_rng(0).normal(size=(600, 2))
    y = 1e5 * (X @ [1.0, 2.0])
    name = "StandardScaler | LinearRegression(schedule='constant', normalized=False) of long name"
    report = prequential({name: Diverges(), "rls": RLS(), "last": LastValue()}, (X, y))
    said = in_a_browser(report.to_html(tmp_path / "report.html"), PHONE, 500)
    assert said["right"] <= 390.0
    assert said["title"] <= said["ticks"]
    assert said["top"] < 1e7
    assert f"Off the scale at times: {name}." in said["note"]
    assert max(len(cell) for cell in said["cells"] if cell[:1].isdigit()) < 12
    assert any("diverged at row" in cell for cell in said["cells"])


@pytest.mark.parametrize("width", [1280, 500])
def test_in_a_browser(report, tmp_path, width):
    """A learner is switched off, a point hovered over, another metric chosen."""
    said = in_a_browser(write([report], tmp_path / "report.html"), SCRIPT, width)
    names = ["&lt;b>passive&lt;/b>", "logistic", "tree", "guess"]  # plotly would read <b>
    alarms = [f"{name}: drift alarm" for name in names]
    assert said["before"] == [*names, *alarms]
    assert said["after"] == [names[0], *names[2:], alarms[0], *alarms[2:]]
    assert said["pressed"] == "false"
    value = 100 * report.value("<b>passive</b>", "Accuracy", "window")
    assert said["last"] == pytest.approx(value)
    assert any(f"{value:.1f} %" in text for text in said["hover"]), said["hover"]
    assert said["axis"].startswith("Kappa")
    assert len(said["marks"]) == 1
    assert "concept" in said["marks"][0]
    assert not said["covered"]
    assert not said["wide"]  # nothing sticks out sideways, on a phone either
    assert said["size"] >= 14
    assert len(said["trees"]) == 1
    assert said["trees"][0] >= 3
    assert said["drawn"] in ("rgb(244, 246, 248)", "rgb(31, 36, 41)")  # the page's own colours
    assert said["bold"] == 0  # names are text, not markup


SHORT = """
<script>
addEventListener("load", () => setTimeout(() => {
  const out = document.createElement("output"), chart = document.querySelector(".chart");
  const texts = all => [...document.querySelectorAll(all)].map(e => e.textContent);
  const lines = [...document.querySelectorAll("td:first-child")].map(cell => {
    const range = document.createRange(), found = [];
    const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      range.selectNodeContents(walk.currentNode);
      found.push(range.getClientRects().length);
    }
    return Math.max(...found);
  });
  const scroll = document.querySelector(".scroll");
  out.id = "said";
  out.textContent = JSON.stringify({
    ranges: texts(".choice:nth-of-type(2) button"),
    pressed: texts(".choice button[aria-pressed=true]"),
    points: chart.data.map(trace => trace.x.length),
    clipped: chart.data.map(trace => trace.cliponaxis),
    drawn: chart.data.map(trace => [trace.line.color, trace.line.dash].join()),
    key: [...document.querySelectorAll(".learners i")].map(e => e.className),
    heads: texts("th"),
    names: texts("td:first-child"),
    lines: lines,
    hidden: scroll.scrollWidth - scroll.clientWidth,
  });
  document.body.append(out);
}, 300));
</script>
"""
MANY = [f"AdaptiveRandomForestClassifierOfNumber{i:02}" for i in range(10)]


def short(rows, **options):
    """Ten learners with long names on a few rows."""
    X = np.random.default_rng(0).normal(size=(rows, 2))
    models = {name: PAClassifier() for name in MANY}
    return prequential(models, (X, X[:, 0] > 0), [Accuracy(), Kappa(), KappaT()], **options)


@pytest.mark.parametrize(
    ("rows", "ranges"), [(1000, 2), (1500, 3)], ids=["one window", "less than two"]
)
def test_a_short_stream_opens_on_all_examples(tmp_path, rows, ranges):
    """Of the last 1,000 examples there would be one point, or a line at the edge."""
    report = short(rows)
    said = in_a_browser(report.to_html(tmp_path / "report.html"), SHORT, 1000)
    assert said["pressed"] == ["Accuracy", "all examples so far"]
    assert len(said["ranges"]) == ranges
    assert min(said["points"]) > 100
    assert ("last 1,000, %" in said["heads"]) == (ranges == 3)
    assert said["hidden"] <= 0  # the table fits
    assert said["names"][:10] == MANY
    assert said["lines"][:10] == [1] * 10  # names are broken at capitals, not within words
    assert len(set(said["drawn"])) == 12  # also beyond the colours
    assert said["key"] == ["solid"] * 8 + ["dot"] * 2 + ["dash"] * 2
    assert report.opening == "cumulative"
    panel = report.plot().axes[0]
    assert panel.get_ylabel().endswith("(all examples so far)")
    lines = [line for line in panel.lines if len(line.get_xdata()) > 100]
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 12


def test_a_single_point_is_seen_whole(tmp_path):
    report = short(20)
    report.at = report.at[-1:]  # as if its length had not been known
    for run in report.runs:
        run.curves = {m: {r: c[-1:] for r, c in of.items()} for m, of in run.curves.items()}
    said = in_a_browser(report.to_html(tmp_path / "report.html"), SHORT, 1000)
    assert set(said["points"]) == {1}
    assert set(said["clipped"]) == {False}
    assert report.about("window") == "the last 20 examples"
    assert all(line.get_marker() == "o" for line in report.plot(range="window").axes[0].lines)


def test_a_long_stream_opens_on_the_window():
    assert short(400, window=200).opening == "window"
    assert short(399, window=200).opening == "cumulative"


def test_the_table_cuts_nothing_where_there_is_no_terminal(tmp_path):
    """Long names stay whole in text and in a pipe; in a narrow terminal they are folded."""
    name = "a learner whose name is quite long, " * 5
    X = np.random.default_rng(0).normal(size=(50, 2))
    report = prequential({name: PAClassifier()}, (X, X[:, 0] > 0))
    assert name.strip() in str(report)
    page = StringIO()
    Console(file=page, width=70, color_system=None).print(report.table())
    assert "…" not in page.getvalue()
    assert all(len(line) <= 70 for line in page.getvalue().splitlines())


HOSTILE = [
    "[/x]",
    "[bold]",
    "[link=http://x]a[/link]",
    "__PLOTLY__",
    "__DATA__ and __TITLE__",
    "</script><b>",
    "$\\frac$",
    "_hidden",
    "%{x} & <br>",
    "\x1b[31mred\r\n\ud800",
]


def test_names_are_only_names(tmp_path):
    """No name of a learner, no question, mark, step or label is read as anything else."""
    X = [{"a": float(i % 3)} for i in range(50)]
    y = [["[/x]", "__DATA__", "$x"][i % 3] for i in range(50)]
    told = " ".join(HOSTILE)
    report = prequential(
        {name: PAClassifier() for name in HOSTILE},
        (X, y),
        [F1(positive="[/x]")],
        question=f"What is {told}?",
        marks={10: told},
        step=r"$\frac$ [/x] <b>",
        baselines=False,
    )
    names = [name.encode(errors="backslashreplace").decode() for name in HOSTILE]
    rich.print(report)
    _, _, table = str(report).partition("learner ")
    lines = table.splitlines()
    assert "F1 of '[/x]', %" in lines[0]
    assert "\x1b" not in str(report)
    for name, line in zip(names, lines[2:], strict=True):
        assert line.startswith(f"{printable(name)} ")
    page = report.to_html(tmp_path / "page.html").read_text(encoding="utf-8")
    head = page.index('<script type="application/json" id="data">') + 42
    data = json.loads(page[head : page.index("</script>", head)])
    assert [learner["name"] for learner in data["reports"][0]["learners"]] == names
    assert page.count(get_plotlyjs()[:2000]) == 1
    key = report.plot(tmp_path / "page.png").axes[0].get_legend().get_texts()
    assert len(key) == len(names)
    for name, text in zip(names, key, strict=True):
        shown = text.get_text().lstrip("\u2060").replace(r"\$", "$")
        assert shown.startswith(printable(name))


class Diverges:
    """Its answers grow until nobody can see the others."""

    task = "numbers"
    answer = 1.0

    def predict_one(self, x):
        return self.answer

    def learn_one(self, x, y):
        self.answer = min(2.0 * self.answer, 1e30)


def test_one_that_diverged_does_not_flatten_the_others(tmp_path):
    X = np.random.default_rng(0).normal(size=(600, 2))
    y = X @ [1.0, 2.0]
    report = prequential({"wild": Diverges(), "rls": RLS(), "last": LastValue()}, (X, y))
    for metric in report.metrics:
        part = scale(report, metric, "window")
        assert part.off == ["wild"]
        assert -3.2 < part.low < part.high < 100.0
    figure = report.plot(tmp_path / "curves.png")
    assert figure.axes[0].get_ylim()[1] < 100.0
    assert "off the scale" in figure.axes[0].get_legend().get_texts()[0].get_text()
    words = str(report).replace("─", "").split()
    assert max(map(len, words)) < 20  # no number of 30 digits
    page = report.to_html(tmp_path / "page.html").read_text(encoding="utf-8")
    assert '"off":["wild"]' in page
    tame = prequential({"rls": RLS(), "last": LastValue()}, (X, y))
    assert scale(tame, tame.metrics[2], "window") is None
    alone = prequential(Diverges(), (X, y))
    assert alone.plot()


def test_weighted_metrics_say_so(tmp_path):
    X, y = np.array([[1.0], [2.0]] * 20), np.array([0, 1] * 20)
    w = np.where(y == 1, 3.0, 1.0)
    told = "metrics are weighted by w"
    weighted = prequential(MajorityClass(), (X, y, w), [Accuracy()])
    assert weighted.value("Accuracy") > 0.6  # of the weight, not of the rows
    assert told in str(weighted)
    assert told in weighted.to_json()
    page = weighted.to_html(tmp_path / "w.html").read_text(encoding="utf-8")
    assert told in page
    assert "report.settings.weights" in page  # at the top, too
    for stream in ((X, y), zip(X.tolist(), y.tolist(), strict=True)):
        plain = prequential(MajorityClass(), stream, [Accuracy()])
        assert told not in str(plain)
        assert told not in plain.to_json()
    assert "weighted" in prequential.__doc__
    assert "weighted" in Prequential.add.__doc__


def test_unweighted_figures_of_a_weighted_run():
    X, y = np.array([[1.0], [2.0]] * 20), np.array([0, 1] * 20)
    w = np.where(y == 1, 3.0, 1.0)
    answers = PAClassifier().predict_learn_many(X, y, w)
    metric = Accuracy()
    metric.update_many(y[1:], answers[1:])
    assert metric.value == np.mean(answers[1:] == y[1:])


def test_a_learner_is_found_by_the_name_it_was_given():
    X = np.random.default_rng(0).normal(size=(100, 2))
    models = {1: LogisticRegression(), 2.5: LogisticRegression(eta=0.2)}
    report = prequential(models, (X, X[:, 0] > 0))
    for name in models:
        assert report.value(name, "Accuracy") == report.value(str(name), "Accuracy")
    with pytest.raises(KeyError, match=r"there is no learner 3; there are: 1, 2\.5"):
        report.run(3)


def test_what_is_far_or_long_can_be_drawn(tmp_path):
    X = np.random.default_rng(0).normal(size=(100, 2))
    models = {f"{i}" + "é" * 3000: LogisticRegression(eta=i) for i in (1, 2)}
    report = prequential(models, (X, X[:, 0] > 0), marks={10**12: "far", 50: "half"})
    figure = report.plot(tmp_path / "x.png")
    assert [note.get_text() for note in figure.axes[0].texts] == ["half"]
    assert report.to_html(tmp_path / "x.html").exists()


@pytest.mark.parametrize("write", ["to_html", "plot", "to_json"])
def test_where_nothing_can_be_written_is_told(report, tmp_path, write):
    write = getattr(report, write)
    with pytest.raises(IsADirectoryError, match=r"Report: this is a folder; name a file in it"):
        write(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"Report: there is no folder .*nodir'; make it"):
        write(tmp_path / "nodir" / "x.html")
    with pytest.raises(TypeError, match=r"^Report: path must be a str or a Path, got 5"):
        write(5)
    with pytest.raises(ValueError, match=r"^Report: path is empty; name a file"):
        write("")
    assert not list(tmp_path.iterdir())


def test_pages_and_pictures_name_what_they_need(report, tmp_path):
    with pytest.raises(TypeError, match=r"^Report: path must be a str or a Path, got None"):
        report.to_html(None)
    with pytest.raises(ValueError, match=r"^Report: a picture cannot be written as \.foo; use"):
        report.plot(tmp_path / "x.foo")
    with pytest.raises(KeyError, match=r"Report: range must be one of window"):
        report.plot(range="all")
    assert not list(tmp_path.iterdir())
    page = BytesIO()
    report.plot(page)
    assert page.getvalue().startswith(b"\x89PNG")
