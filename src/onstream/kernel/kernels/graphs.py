"""The Weisfeiler-Lehman kernel of graphs with labelled nodes."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...base.checks import whole
from .base import HistogramKernel, stable_hash

Labels = list[tuple[Any, Any]]
MOST_NODES = 10_000_000  # of a graph whose nodes are only counted


class WeisfeilerLehman(HistogramKernel):
    """Weisfeiler-Lehman subtree kernel (Shervashidze et al., JMLR 12, 2011).

    In each of h rounds the label of a node becomes a name for itself and the sorted labels of its
    neighbours; the kernel is the inner product of the counts of all labels of all rounds. Names
    are 64-bit hashes, so that no dictionary grows with the stream.

    Examples are `{"nodes": ..., "edges": ...}`: nodes a mapping from node to label, a list of
    labels (then edges name places in it), a list of nodes without labels, or a number of nodes;
    edges pairs of nodes. Or a graph of networkx, whose node attribute "label" is used. Edges have
    no direction; what follows the second node of an edge is ignored. A label is a string, a number,
    a bool or None (none); 6, 6.0 and NumPy's 6 are the same label, "6" is another.

    Parameters
    ----------
    h : int >= 0, default 3
        Rounds: how far around a node one looks.
    """

    kind = "graph"

    def __init__(self, h: int = 3) -> None:
        self.h = whole(self, "h", h, least=0, most=1000)

    def canonical(self, x: Any) -> Any:
        """The example in its one plain form."""
        if isinstance(x, Mapping):
            if not {"nodes", "edges"} <= set(x):
                raise ValueError(f"a graph must have nodes and edges, got {x!r:.80}.")
            edges = node_pairs(x["edges"])
            nodes = node_labels(x["nodes"], edges)
        elif hasattr(x, "nodes") and hasattr(x, "edges") and hasattr(x, "adj"):
            edges = node_pairs(x.edges)
            nodes = [(node, x.nodes[node].get("label")) for node in x.nodes]
        else:
            raise TypeError(f"a graph must be a mapping or a networkx graph, got {x!r:.80}.")
        places = {node: i for i, (node, _) in enumerate(nodes)}
        if len(places) != len(nodes):
            raise ValueError("a node of the graph stands there twice.")
        pairs = set()
        for edge in edges:
            if len(edge) != 2 or not all(end in places for end in edge):
                raise ValueError(f"the edge {edge!r:.60} does not join two nodes of the graph.")
            pairs.add(tuple(sorted(places[end] for end in edge)))
        labels: list[Any] = [coerce_label(label) for _, label in nodes]
        if labels == list(range(len(labels))):  # which would mean nodes without labels
            labels = [list(pair) for pair in enumerate(labels)]
        return {"nodes": labels, "edges": [list(pair) for pair in sorted(pairs)]}

    def counts(self, form: Any) -> dict[int, float]:
        """The features of a canonical form."""
        neighbours: list[list[int]] = [[] for _ in form["nodes"]]
        for a, b in form["edges"]:
            neighbours[a].append(b)
            if a != b:
                neighbours[b].append(a)
        given = [node[1] if isinstance(node, list) else node for node in form["nodes"]]
        labels = [0 if label is None else stable_hash(repr(label)) for label in given]
        found: dict[int, float] = {}
        for i in range(self.h + 1):
            if i:
                labels = [
                    hash((label, *sorted([labels[other] for other in around])))
                    for label, around in zip(labels, neighbours, strict=True)
                ]
            for label in labels:
                name = hash((i, label))
                found[name] = found.get(name, 0.0) + 1.0
        return found


def node_pairs(edges: Any) -> list[tuple[Any, ...]]:
    """The two ends of every edge."""
    if isinstance(edges, str) or not hasattr(edges, "__iter__"):
        raise TypeError(f"the edges of a graph must be pairs of nodes, got {edges!r:.80}.")
    pairs = []
    for edge in edges:
        if not hasattr(edge, "__iter__"):
            raise TypeError(f"an edge of a graph must be a pair of nodes, got {edge!r:.60}.")
        pairs.append(tuple(plain_node(end) for end in tuple(edge)[:2]))
    return pairs


def node_labels(nodes: Any, edges: list[tuple[Any, ...]]) -> Labels:
    """Every node with its label, None where there is none."""
    if isinstance(nodes, Mapping):
        return list(nodes.items())
    if isinstance(nodes, (int, np.integer)) and not isinstance(nodes, bool):
        if not 0 <= nodes <= MOST_NODES:
            raise ValueError(f"a graph has from 0 to {MOST_NODES:,} nodes, got {nodes!r:.40}.")
        return [(node, None) for node in range(nodes)]
    if not hasattr(nodes, "__iter__") or getattr(nodes, "ndim", 1) == 0:
        raise TypeError(
            f"the nodes of a graph must be a mapping to labels, a list or how many there are, "
            f"got {nodes!r:.80}."
        )
    found = list(nodes)
    if found and all(isinstance(node, (tuple, list)) and len(node) == 2 for node in found):
        return [(plain_node(node), label) for node, label in found]
    found = [plain_node(node) for node in found]
    ends = {end for edge in edges for end in edge}
    numbers = all(isinstance(end, int) and 0 <= end < len(found) for end in ends)
    distinct = len(set(found)) == len(found) and ends <= set(found)
    if found == list(range(len(found))) or (distinct and ends and not numbers):
        return [(node, None) for node in found]  # names of nodes, not labels
    if ends and isinstance(nodes, (set, frozenset)):
        raise TypeError("a set has no order, so edges cannot name places in it; pass a list.")
    return list(enumerate(found))


def plain_node(node: Any) -> Any:
    """A node as Python's own object: what NumPy holds must be found under the same name."""
    if isinstance(node, np.generic):
        node = node.item()
    try:
        hash(node)
    except TypeError:
        raise TypeError(
            f"a node or a label of a graph must be a string or a number, got {node!r:.60}."
        ) from None
    return node


def coerce_label(label: Any) -> str | int | None:
    """A label that JSON can hold, so that a saved graph has the labels it was learned with."""
    if hasattr(label, "as_py"):  # a value of Arrow
        label = label.as_py()
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, float) and label.is_integer():
        label = int(label)
    if label is None:
        return None
    if isinstance(label, str):
        return str.__str__(label)
    if isinstance(label, int) and not isinstance(label, bool) and label.bit_length() <= 1024:
        return int(label)
    if isinstance(label, bool) or (isinstance(label, float) and math.isfinite(label)):
        return str(label)
    raise TypeError(
        f"the label of a node must be a string, a number (finite) or None, got "
        f"{label!r:.60}. Make a string of what is something else; where there is none, give None."
    )
