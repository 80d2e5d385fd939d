"""Trees as text, as Graphviz source, as SVG with bars, and as a page."""

from collections.abc import Iterator
from html import escape
from typing import Any

from .outline import Node

COLOURS = ("#4878a8", "#d8803c", "#6aa84f", "#b04a5a", "#8a6fb0", "#8c6d52", "#c78fb8", "#7f7f7f")
BOX_WIDTH, BOX_HEIGHT, GAP_X, GAP_Y = 190, 44, 60, 14


def saying(node: Node) -> str:
    """What a node holds, in a few words."""
    if node.counts:
        best = max(node.counts, key=lambda label: node.counts[label])
        share = node.counts[best] / node.weight if node.weight > 0 else 0.0
        return f"{best} {share:.0%} of {node.weight:g}" if node.weight > 0 else "empty"
    return f"{node.mean:.4g} ± {node.deviation:.3g}, n={node.weight:g}" if node.weight else "empty"


def to_text(root: Node) -> str:
    """One line per branch, indented."""

    def lines(node: Node, indent: str) -> Iterator[str]:
        for i, (branch, child) in enumerate(node.children):
            last = i == len(node.children) - 1
            leaf = "" if child.children else f": {saying(child)}"
            yield f"{indent}{'└─ ' if last else '├─ '}{node.test(branch)}{leaf}"
            yield from lines(child, indent + ("   " if last else "│  "))

    return "\n".join([f"root: {saying(root)}" if not root.children else "root", *lines(root, "")])


def to_dot(root: Node) -> str:
    """Source for Graphviz' `dot`."""

    def quoted(text: str) -> str:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    lines = ["digraph tree {", '  node [shape=box, fontname="sans-serif"];']
    for node in root.walk():
        title = saying(node) if node.feature is None else str(node.feature)
        shape = "" if node.feature is not None else ', style="rounded,filled", fillcolor="#eeeeee"'
        lines.append(f"  n{node.number} [label={quoted(title)}{shape}];")
        for branch, child in node.children:
            cut = node.threshold
            told = str(branch) if cut is None else f"{branch} {cut:.6g}"
            lines.append(f"  n{node.number} -> n{child.number} [label={quoted(told)}];")
    return "\n".join([*lines, "}"])


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


def bar(node: Node, x: float, y: float, width: float) -> Iterator[str]:
    """The labels of a node as a bar of coloured parts."""
    total = sum(node.counts.values())
    for r, (label, count) in enumerate(node.counts.items()):
        if count > 0:
            part = width * count / total
            yield (
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{part:.1f}" height="7" '
                f'fill="{COLOURS[r % len(COLOURS)]}"><title>{escape(str(label))}: {count:g}</title>'
                f"</rect>"
            )
            x += part


def to_svg(root: Node) -> str:
    """The whole tree as a picture: questions, branches, and the labels of each node as a bar."""
    at, width, height = places(root)
    parts: list[str] = []
    for node in root.walk():
        x, y = at[node.number]
        for branch, child in node.children:
            cx, cy = at[child.number]
            x0, y0, y1 = x + BOX_WIDTH, y + BOX_HEIGHT / 2, cy + BOX_HEIGHT / 2
            mid = (x0 + cx) / 2
            parts.append(
                f'<path d="M{x0:.1f},{y0:.1f} C{mid:.1f},{y0:.1f} {mid:.1f},{y1:.1f} '
                f'{cx:.1f},{y1:.1f}" fill="none" stroke="#999"/>'
                f'<text x="{cx - 4:.1f}" y="{y1 - 4:.1f}" text-anchor="end" font-size="11" '
                f'fill="#555">{escape(str(branch))}</text>'
            )
        title = saying(node)
        if node.feature is not None:
            cut = "" if node.threshold is None else f" ≤ {node.threshold:.6g}"
            title = f"{node.feature}{cut} ?"
        shown = title if len(title) < 30 else title[:28] + "…"
        fill = "#ffffff" if node.children else "#f2f2f2"
        parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="5" '
            f'fill="{fill}" stroke="#777"/><text x="{x + 8:.1f}" y="{y + 18:.1f}" font-size="12">'
            f"{escape(shown)}<title>{escape(title)}; {node.mass:g} examples passed</title></text>"
        )
        if node.counts:
            parts.extend(bar(node, x + 8, y + 28, BOX_WIDTH - 16))
        else:
            told = escape(saying(node))
            parts.append(f'<text x="{x + 8:.1f}" y="{y + 36:.1f}" font-size="10">{told}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 20:.0f}" '
        f'height="{height + 20:.0f}" viewBox="-10 -10 {width + 20:.0f} {height + 20:.0f}" '
        f'font-family="sans-serif">{"".join(parts)}</svg>'
    )


def to_html(root: Node, title: str) -> str:
    """A page with the picture and what the colours mean."""
    legend = "".join(
        f'<span style="margin-right:1em"><b style="color:{COLOURS[r % len(COLOURS)]}">■</b> '
        f"{escape(str(label))}</span>"
        for r, label in enumerate(root.counts)
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'</head><body style="font-family:sans-serif"><h1>{escape(title)}</h1><p>{legend}</p>'
        f'<div style="overflow:auto">{to_svg(root)}</div></body></html>'
    )


def importances(root: Node) -> dict[Any, float]:
    """How much each feature's splits have sorted: gain times examples passed, summing to 1."""
    found: dict[Any, float] = {}
    for node in root.walk():
        if node.feature is not None:
            found[node.feature] = found.get(node.feature, 0.0) + node.gain * max(
                node.mass, node.weight
            )
    total = sum(found.values())
    ranked = sorted(found, key=lambda name: -found[name])
    return {name: found[name] / total for name in ranked} if total > 0 else {}
