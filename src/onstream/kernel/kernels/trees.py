"""Kernels of labelled, ordered trees."""

import re
from typing import Any

from ...base.checks import number
from ._structures import Tree, tree_row
from .base import Kernel, stable_hash

DEEPEST = 300  # levels of a tree; more cannot be read and written safely


def parse(text: str) -> Any:
    """A tree from brackets: `(S (NP (N dogs)) (VP (V bark)))`."""
    stack: list[list[Any]] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            stack.append([])
        elif token == ")":
            if len(stack) == 1 or not stack[-1]:
                raise ValueError(f"the brackets of the tree {text!r:.80} do not fit.")
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
        if len(stack) > DEEPEST:
            raise ValueError(f"a tree may have at most {DEEPEST} levels.")
    if len(stack) != 1 or len(stack[0]) != 1:
        raise ValueError(f"the brackets of the tree {text!r:.80} do not fit.")
    return stack[0][0]


def plain_tree(x: Any, depth: int = 0) -> Any:
    """[label, child, ...], a leaf being just its label."""
    if depth > DEEPEST:
        raise ValueError(f"a tree may have at most {DEEPEST} levels.")
    if isinstance(x, (str, int)) and not isinstance(x, bool):
        return str(x)
    if isinstance(x, (list, tuple)) and x and isinstance(x[0], (str, int)):
        children = [plain_tree(child, depth + 1) for child in x[1:]]
        return [str(x[0]), *children] if children else str(x[0])
    raise TypeError(f"a tree must be a bracketed string or nested tuples, got {x!r:.80}.")


def label(tree: Any) -> str:
    """The label of a canonical tree."""
    return str(tree if isinstance(tree, str) else tree[0])


class TreeKernel(Kernel):
    """The sum over pairs of inner nodes of C(n1, n2) (Collins & Duffy)."""

    kind = "tree"
    sigma: float  # what a pair of children adds besides what they have in common

    def __init__(self, lam: float = 0.4) -> None:
        self.lam = number(self, "lam", lam, above=0.0, most=1.0)

    def canonical(self, x: Any) -> Any:
        """The example in its one plain form."""
        return plain_tree(parse(x) if isinstance(x, str) else x)

    def prepare(self, form: Any) -> Tree:
        """A canonical form with all that can be computed once."""
        productions: list[int] = []
        children: list[list[int]] = []

        def number_of(node: Any) -> int:
            """Number of a node once its children have theirs; -1 for a leaf."""
            if isinstance(node, str):
                return -1
            own = [number_of(child) for child in node[1:]]
            productions.append(stable_hash("\0".join([node[0], *map(label, node[1:])])))
            children.append(own)
            return len(productions) - 1

        number_of(form)
        return Tree(productions, children)

    def value(self, a: Tree, b: Tree) -> float:
        """The kernel of two prepared examples."""
        return tree_row([a], b, self.lam, self.sigma)[0]

    def row(self, supports: list[Tree], x: Tree) -> list[float]:
        """The kernel of many prepared examples with one."""
        return tree_row(supports, x, self.lam, self.sigma)


class SubsetTree(TreeKernel):
    """Common fragments of trees, cut off anywhere between levels (Collins & Duffy, 2002).

    Examples are bracketed strings, "(S (NP (N dogs)) (VP (V bark)))", or nested tuples,
    ("S", ("NP", ("N", "dogs")), ...).

    Parameters
    ----------
    lam : float, default 0.4
        Above 0, at most 1. Lower it to give large fragments less weight.
    """

    sigma = 1.0


class Subtree(TreeKernel):
    """Common complete subtrees, down to the leaves (Vishwanathan & Smola, 2002).

    Parameters
    ----------
    lam : float, default 0.4
        Above 0, at most 1. Lower it to give large subtrees less weight.
    """

    sigma = 0.0
