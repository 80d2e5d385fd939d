"""Trees as text, as Graphviz source, as SVG with bars, and as a page."""

from collections.abc import Iterator
from html import escape
from typing import Any

from .outline import Node

COLOURS = ("#4878a8", "#d8803c", "#6aa84f", "#b04a5a", "#8a6fb0", "#8c6d52", "#c78fb8", "#7f7f7f")
BOX_WIDTH, BOX_HEIGHT, GAP_X, GAP_Y = 190, 46, 84, 14
LETTER = 6.6  # width of a letter of the smaller text, on average
LEAVES_IN_PICTURE, LEAVES_IN_TEXT = 24, 80  # of splits by many values, about
MOST_NAMES = 24  # labels that the legend of a picture names

# A page around the picture may set these colours; by default it is drawn on white.
STYLE = """\
.onstream-tree{background:var(--ground,#fff);font-family:system-ui,sans-serif}
.onstream-tree text{fill:var(--ink,#1c2024)}
.onstream-tree .soft{fill:var(--soft,#5a626b)}
.onstream-tree .branch{paint-order:stroke;stroke:var(--ground,#fff);stroke-width:3px}
.onstream-tree .way{stroke:var(--soft,#8a929b)}
.onstream-tree .box{stroke:var(--soft,#8a929b);fill:var(--ground,#fff)}
.onstream-tree .leaf{fill:var(--panel,#f4f6f8)}"""

PAGE = """\
:root{--ground:#fff;--ink:#1c2024;--soft:#5a626b;--panel:#f4f6f8}
@media (prefers-color-scheme:dark){
:root{--ground:#14171a;--ink:#eceff2;--soft:#a7b0ba;--panel:#1f2429}}
body{margin:1.2rem;background:var(--ground);color:var(--ink);font-family:system-ui,sans-serif}
h1{font-size:1.1rem;overflow-wrap:anywhere}"""


def summary(node: Node) -> str:
    """What a node has counted, in a few words."""
    if node.counts:
        best = max(node.counts, key=lambda label: node.counts[label])
        share = node.counts[best] / node.weight if node.weight > 0 else 0.0
        return f"{best} ({share:.0%} of {node.weight:g})" if node.weight > 0 else "empty"
    return f"{node.mean:.4g} ± {node.deviation:.3g}, n={node.weight:g}" if node.weight else "empty"


def cut(node: Node) -> str:
    """What follows the name of its feature in the text of a split."""
    if node.value is not None:
        return f" = {node.value} ?"
    return " ?" if node.threshold is None else f" ≤ {node.threshold:.6g} ?"


def more(node: Node) -> str:
    """How much a picture leaves out below a node."""
    return f"… {node.below:,} nodes below"


def to_text(root: Node) -> str:
    """One line per branch, indented; of splits by many values, the widest branches."""
    root.narrow(LEAVES_IN_TEXT)
    lines = [f"root: {summary(root)}" if not root.children else "root"]
    waiting: list[tuple[Node, Any, Node, str, bool]] = []

    def push_branches(node: Node, indent: str) -> None:
        """Let the branches of a node come next, the first of them first."""
        for i, (branch, child) in reversed(list(enumerate(node.children))):
            waiting.append((node, branch, child, indent, i == len(node.children) - 1))

    push_branches(root, "")
    while waiting:
        node, branch, child, indent, last = waiting.pop()
        leaf = "" if child.children else f": {more(child) if child.below else summary(child)}"
        lines.append(f"{indent}{'└─ ' if last else '├─ '}{node.test(branch)}{leaf}")
        push_branches(child, indent + ("   " if last else "│  "))
    return "\n".join(lines)


def to_dot(root: Node) -> str:
    """Source for Graphviz' `dot`."""

    def quoted(text: str) -> str:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    lines = ["digraph tree {", '  node [shape=box, fontname="sans-serif"];']
    for node in root.walk():
        title = summary(node) if node.feature is None else str(node.feature)
        if node.below:
            title = f"{title} ({more(node)})"
        shape = "" if node.feature is not None else ', style="rounded,filled", fillcolor="#eeeeee"'
        lines.append(f"  n{node.number} [label={quoted(title)}{shape}];")
        for branch, child in node.children:
            label = str(branch)
            if node.threshold is not None:
                label += f" {node.threshold:.6g}"
            elif node.value is not None:
                label += f" {node.value}"
            lines.append(f"  n{node.number} -> n{child.number} [label={quoted(label)}];")
    return "\n".join([*lines, "}"])


# -- SVG ------------------------------------------------------------------------------------


def places(root: Node) -> tuple[dict[int, tuple[float, float]], float, float]:
    """Where each box stands: the root left, leaves one below the other."""
    found: dict[int, tuple[float, float]] = {}
    rows, right = 0, 0.0
    for node in reversed(list(root.walk())):  # children before their parents
        x = node.depth * (BOX_WIDTH + GAP_X)
        right = max(right, x + BOX_WIDTH)
        if node.children:
            y = sum(found[child.number][1] for _, child in node.children) / len(node.children)
        else:
            y = float(rows * (BOX_HEIGHT + GAP_Y))
            rows += 1
        found[node.number] = (x, y)
    bottom = max(y for _, y in found.values()) + BOX_HEIGHT
    return {i: (x, bottom - BOX_HEIGHT - y) for i, (x, y) in found.items()}, right, bottom


def colour(r: int) -> str:
    """A colour for label number r; beyond the first few, hues far from their neighbours'."""
    return (
        COLOURS[r] if r < len(COLOURS) else f"hsl({137.508 * r % 360:.0f},50%,{45 + r % 3 * 12}%)"
    )


def shortened(text: str, width: float, letter: float = LETTER, end: str = "") -> str:
    """As much of a text as fits, and all of its end."""
    room = max(2, int(width / letter) - len(end))
    return (text if len(text) <= room else text[: room - 1] + "…") + end


def bar(node: Node, x: float, y: float, width: float) -> Iterator[str]:
    """The labels of a node as a bar of coloured parts."""
    total = sum(node.counts.values())
    for r, (label, count) in enumerate(node.counts.items()):
        if count > 0:
            part = width * count / total
            yield (
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{part:.2f}" height="8" fill="{colour(r)}">'
                f"<title>{escape(str(label))}: {count:g}</title></rect>"
            )
            x += part


def legend(labels: list[Any], width: float) -> tuple[list[str], float]:
    """What the colours mean, in rows of this width; and how high that is."""
    parts, x, y = [], 0.0, 0.0
    names = [shortened(str(label), 24 * LETTER) for label in labels[:MOST_NAMES]]
    if len(labels) > MOST_NAMES:
        names.append(f"… and {len(labels) - MOST_NAMES:,} more")
    for r, name in enumerate(names):
        wide = 36 + len(name) * LETTER * 1.1
        if x > 0 and x + wide > width:
            x, y = 0.0, y + 20
        if r < min(len(labels), MOST_NAMES):
            parts.append(
                f'<rect x="{x:.1f}" y="{y + 1:.1f}" width="11" height="11" fill="{colour(r)}"/>'
            )
        parts.append(
            f'<text x="{x + 16:.1f}" y="{y + 11:.1f}" font-size="12">{escape(name)}</text>'
        )
        x += wide
    return parts, y + 30 if labels else 0.0


def way(
    node: Node, branch: Any, start: tuple[float, float], end: tuple[float, float]
) -> tuple[str, str]:
    """The line to a child; and when it is taken, to be written over the lines to others."""
    x0, y0 = start[0] + BOX_WIDTH, start[1] + BOX_HEIGHT / 2
    x1, y1 = end[0], end[1] + BOX_HEIGHT / 2
    mid = (x0 + x1) / 2
    beside = y1 + 13 if y1 > y0 else y1 - 5  # not on the line
    binary = node.threshold is not None or node.value is not None
    label = ("yes" if branch in ("<=", "=") else "no") if binary else str(branch)
    shown = escape(shortened(label, GAP_X - 12))
    return (
        f'<path class="way" d="M{x0:.1f},{y0:.1f} C{mid:.1f},{y0:.1f} {mid:.1f},{y1:.1f} '
        f'{x1:.1f},{y1:.1f}" fill="none" stroke="#8a929b"/>',
        f'<text class="soft branch" x="{x1 - 5:.1f}" y="{beside:.1f}" text-anchor="end" '
        f'font-size="11">{shown}<title>{escape(node.test(branch))}</title></text>',
    )


def box(node: Node, x: float, y: float) -> Iterator[str]:
    """The split of a node or its answer, and its bar."""
    kind, fill = ("box leaf", "#f4f6f8") if node.feature is None else ("box", "#ffffff")
    name, end = (summary(node), "") if node.feature is None else (str(node.feature), cut(node))
    title = name + end
    shown = shortened(name, BOX_WIDTH - 14, LETTER * 1.08, end)
    tip = f"{title}; {node.mass:,.0f} examples passed" + (f"; {more(node)}" if node.below else "")
    yield (
        f'<g><title>{escape(tip)}</title><rect class="{kind}" x="{x:.1f}" y="{y:.1f}" '
        f'width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="5" fill="{fill}" stroke="#8a929b"/>'
        f'<text x="{x + 8:.1f}" y="{y + 19:.1f}" font-size="12.5">{escape(shown)}</text></g>'
    )
    if node.counts:
        yield from bar(node, x + 8, y + 29, BOX_WIDTH - 16)
    elif node.feature is not None:
        held = escape(summary(node))
        yield f'<text class="soft" x="{x + 8:.1f}" y="{y + 37:.1f}" font-size="11">{held}</text>'
    if node.below:
        yield (
            f'<text class="soft" x="{x + BOX_WIDTH + 6:.1f}" y="{y + BOX_HEIGHT / 2 + 4:.1f}" '
            f'font-size="11">+ {node.below:,}</text>'
        )


def to_svg(root: Node) -> str:
    """The tree as a picture: splits, branches, and the labels of each node as a bar.

    Of splits by many values it shows the widest branches: nobody reads hundreds.
    """
    root.narrow(LEAVES_IN_PICTURE)
    at, right, bottom = places(root)
    if any(node.below for node in root.walk()):
        right += 50  # for how much is left out
    width = max(right, 320.0)
    names, top = legend(list(root.counts), width)
    parts: list[str] = []
    for node in root.walk():
        x, y = at[node.number]
        ways = [way(node, branch, (x, y), at[child.number]) for branch, child in node.children]
        parts.extend(line for line, _ in ways)
        parts.extend(label for _, label in ways)
        parts.extend(box(node, x, y))
    size = f"{width + 20:.0f}", f"{top + bottom + 20:.0f}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="onstream-tree" role="img" '
        f'aria-label="decision tree" width="{size[0]}" height="{size[1]}" '
        f'viewBox="-10 -10 {size[0]} {size[1]}" font-family="sans-serif"><style>{STYLE}</style>'
        f'{"".join(names)}<g transform="translate(0 {top:.0f})">{"".join(parts)}</g></svg>'
    )


def to_html(root: Node, title: str) -> str:
    """A page with the picture."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{PAGE}</style></head><body><h1>{escape(title)}</h1>"
        f'<div style="overflow:auto">{to_svg(root)}</div></body></html>'
    )


def importances(root: Node) -> dict[Any, float]:
    """How much each feature's splits separate: gain times examples passed, summing to 1."""
    found: dict[Any, float] = {}
    for node in root.walk():
        if node.feature is not None:
            found[node.feature] = found.get(node.feature, 0.0) + node.gain * max(
                node.mass, node.weight
            )
    total = sum(found.values())
    ranked = sorted(found, key=lambda name: -found[name])
    return {name: found[name] / total for name in ranked} if total > 0 else {}
