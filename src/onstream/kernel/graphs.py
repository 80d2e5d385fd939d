"""The Weisfeiler-Lehman kernel of graphs with labelled nodes."""

from collections.abc import Mapping
from typing import Any

from ..base.checks import whole
from .base import HistogramKernel, stable_hash

Labels = list[tuple[Any, Any]]


class WeisfeilerLehman(HistogramKernel):
    """Weisfeiler-Lehman subtree kernel (Shervashidze et al., JMLR 12, 2011).

    In each of h rounds the label of a node becomes a name for itself and the sorted labels of its
    neighbours; the kernel is the inner product of the counts of all labels of all rounds. Names
    are 64-bit hashes, so that no dictionary grows with the stream.

    Examples are `{"nodes": ..., "edges": ...}`: nodes a mapping from node to label, a list of
    labels (then edges name places in it), a list of nodes without labels, or a number of nodes;
    edges pairs of nodes. Or a graph of networkx, whose node attribute "label" is used. Edges have
    no direction; what follows the second node of an edge is ignored.

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
            edges = [tuple(edge)[:2] for edge in x["edges"]]
            nodes = node_labels(x["nodes"], edges)
        elif hasattr(x, "nodes") and hasattr(x, "edges") and hasattr(x, "adj"):
            nodes = [(node, x.nodes[node].get("label")) for node in x.nodes]
            edges = [tuple(edge)[:2] for edge in x.edges]
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
        labels = [None if label is None else plain_label(label) for _, label in nodes]
        return {"nodes": labels, "edges": [list(pair) for pair in sorted(pairs)]}

    def counts(self, form: Any) -> dict[int, float]:
        """The features of a canonical form."""
        neighbours: list[list[int]] = [[] for _ in form["nodes"]]
        for a, b in form["edges"]:
            neighbours[a].append(b)
            if a != b:
                neighbours[b].append(a)
        labels = [0 if label is None else stable_hash(repr(label)) for label in form["nodes"]]
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


def node_labels(nodes: Any, edges: list[tuple[Any, ...]]) -> Labels:
    """Every node with its label, None where there is none."""
    if isinstance(nodes, Mapping):
        return list(nodes.items())
    if isinstance(nodes, int) and not isinstance(nodes, bool):
        return [(node, None) for node in range(nodes)]
    found = list(nodes)
    if found and all(isinstance(node, (tuple, list)) and len(node) == 2 for node in found):
        return [(node, label) for node, label in found]
    ends = {end for edge in edges for end in edge}
    numbers = all(isinstance(end, int) and 0 <= end < len(found) for end in ends)
    distinct = len(set(found)) == len(found) and ends <= set(found)
    if found == list(range(len(found))) or (distinct and ends and not numbers):
        return [(node, None) for node in found]  # names of nodes, not labels
    return list(enumerate(found))


def plain_label(label: Any) -> str | int:
    """A label that JSON can hold."""
    if isinstance(label, bool) or not isinstance(label, (str, int)):
        return str(label)
    return label
