"""Kernels of strings and of lists of tokens."""

from collections import Counter
from typing import Any

from ...base.checks import number, whole
from ._structures import Sequence, subsequence_row
from .base import HistogramKernel, Kernel, stable_hash


def coerce_sequence(x: Any) -> Any:
    """A str, or a list of tokens; tokens of one character each are a str."""
    if isinstance(x, str):
        return str(x)
    if isinstance(x, (list, tuple)) and all(isinstance(token, (str, int)) for token in x):
        tokens = [str(token) for token in x]
        return "".join(tokens) if all(len(token) == 1 for token in tokens) else tokens
    raise TypeError(f"a sequence must be a string or a list of tokens, got {x!r:.80}.")


class Spectrum(HistogramKernel):
    """How many pieces of length p two sequences share (Leslie, Eskin & Noble, 2002).

    The inner product of the counts of all p-grams, each named by a 64-bit hash.

    Parameters
    ----------
    p : int >= 1, default 3
        Length of the pieces, in characters or tokens. Longer ones are rarer.
    """

    kind = "string"

    def __init__(self, p: int = 3) -> None:
        self.p = whole(self, "p", p, least=1, most=10_000)

    def canonical(self, x: Any) -> Any:
        """The example in its one plain form."""
        return coerce_sequence(x)

    def counts(self, form: Any) -> dict[int, float]:
        """The features of a canonical form."""
        p = self.p
        found = Counter(
            form[i : i + p] if isinstance(form, str) else together(form[i : i + p])
            for i in range(len(form) - p + 1)
        )
        return {stable_hash(piece): float(count) for piece, count in found.items()}


def together(tokens: Any) -> str:
    """Tokens as one text that no other tokens have."""
    joined = "\0".join(tokens)
    return joined if joined.count("\0") == len(tokens) - 1 else repr(tuple(tokens))


class Subsequence(Kernel):
    """Common subsequences of length n, gaps allowed (Lodhi et al., JMLR 2, 2002).

    Each counts lam ** (its span in one sequence + its span in the other).

    Parameters
    ----------
    n : int >= 1, default 2
        Length of the subsequences, in characters or tokens.
    lam : float, default 0.5
        Above 0, at most 1. Lower it to punish gaps.
    """

    kind = "string"

    def __init__(self, n: int = 2, lam: float = 0.5) -> None:
        self.n = whole(self, "n", n, least=1, most=10_000)
        self.lam = number(self, "lam", lam, above=0.0, most=1.0)

    def canonical(self, x: Any) -> Any:
        """The example in its one plain form."""
        return coerce_sequence(x)

    def prepare(self, form: Any) -> Sequence:
        """A canonical form with all that can be computed once."""
        codes = map(ord, form) if isinstance(form, str) else map(symbol, form)
        return Sequence(list(codes))

    def value(self, a: Sequence, b: Sequence) -> float:
        """The kernel of two prepared examples."""
        return subsequence_row([a], b, self.n, self.lam)[0]

    def row(self, supports: list[Sequence], x: Sequence) -> list[float]:
        """The kernel of many prepared examples with one."""
        return subsequence_row(supports, x, self.n, self.lam)


def symbol(token: str) -> int:
    """A number for a token; that of a single character is its code."""
    return ord(token) if len(token) == 1 else stable_hash(token)
