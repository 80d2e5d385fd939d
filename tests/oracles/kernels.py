"""Structured kernels by brute force: count what the definition counts."""

from collections import Counter
from itertools import combinations, product
from typing import Any


def spectrum(s: Any, t: Any, p: int) -> int:
    """Pairs of equal pieces of length p."""
    pieces = [[tuple(x[i : i + p]) for i in range(len(x) - p + 1)] for x in (s, t)]
    return sum(a == b for a in pieces[0] for b in pieces[1])


def subsequence(s: Any, t: Any, n: int, lam: float) -> float:
    """Every pair of places that spell the same."""
    total = 0.0
    for i in combinations(range(len(s)), n):
        for j in combinations(range(len(t)), n):
            if [s[k] for k in i] == [t[k] for k in j]:
                total += lam ** (i[-1] - i[0] + 1 + j[-1] - j[0] + 1)
    return total


def fragments(tree: Any, complete: bool) -> Counter[Any]:
    """All fragments rooted at any inner node: (fragment, number of productions in it)."""
    found: Counter[Any] = Counter()

    def rooted(node: Any) -> list[tuple[Any, int]]:
        """Fragments rooted here; none for a leaf."""
        if isinstance(node, str):
            return []
        choices = []
        for child in node[1:]:
            name = child if isinstance(child, str) else child[0]
            if isinstance(child, str):
                choices.append([(("leaf", name) if complete else name, 0)])
            else:
                choices.append(rooted(child) if complete else [(name, 0), *rooted(child)])
        return [
            ((node[0], *(part for part, _ in picked)), 1 + sum(size for _, size in picked))
            for picked in product(*choices)
        ]

    def walk(node: Any) -> None:
        if not isinstance(node, str):
            found.update(rooted(node))
            for child in node[1:]:
                walk(child)

    walk(tree)
    return found


def tree_kernel(s: Any, t: Any, lam: float, complete: bool) -> float:
    """Common fragments, each lam ** its number of productions."""
    one, two = fragments(s, complete), fragments(t, complete)
    return float(sum(n * two[part] * lam ** part[1] for part, n in one.items() if part in two))


def weisfeiler_lehman(g: Any, k: Any, h: int) -> int:
    """Labels as nested tuples, without any hash."""
    total = 0
    labels = [list(x["nodes"]) for x in (g, k)]
    for i in range(h + 1):
        if i:
            for x, graph in enumerate((g, k)):
                near: list[list[Any]] = [[] for _ in graph["nodes"]]
                for a, b in graph["edges"]:
                    near[a].append(labels[x][b])
                    near[b].append(labels[x][a])
                labels[x] = [
                    (label, tuple(sorted(around, key=repr)))
                    for label, around in zip(labels[x], near, strict=True)
                ]
        one, two = Counter(labels[0]), Counter(labels[1])
        total += sum(count * two[label] for label, count in one.items())
    return total
