"""Bag of words."""

from typing import Any

from ..base.checks import flag, whole
from ._text import BagState
from .transformer import NamesOnly


class BagOfWords(NamesOnly):
    """Text to counted words: the first step of a pipeline that reads text.

    An example is a string, or a mapping in which the features `on` are strings; its other features
    stay as they are, but for their names: beside words a number `price` is called `price=`. Words
    are runs of letters, digits and apostrophes, in any script.

    Parameters
    ----------
    on : str or list of str, default "text"
        Features that are text. With several, a word is called `feature=word`, and numbers keep
        their names (but for one that begins with `feature=`, which gets a = at its end).
    ngrams : (int, int), default (1, 1)
        Shortest and longest run of words to count; (1, 2) adds pairs, which tell more and need
        more memory.
    fold : bool, default False
        Are "Free" and "free" the same word?
    binary : bool, default False
        Count every word once only.
    hash_bits : int, 1 to 31, optional
        Hash words into 2^hash_bits slots, so that memory never grows.
    hash_seed : int >= 0, default 0
        Other seeds let other words collide.

    Examples
    --------
    >>> bag = BagOfWords(fold=True, ngrams=(1, 2))
    >>> bag.learn_one("Free offer, free!")
    >>> bag.transform_one("free offer")
    {'free': 1.0, 'offer': 1.0, 'free offer': 1.0}
    """

    def __init__(
        self,
        *,
        on: Any = "text",
        ngrams: Any = (1, 1),
        fold: bool = False,
        binary: bool = False,
        hash_bits: int | None = None,
        hash_seed: int = 0,
    ) -> None:
        fields = [on] if isinstance(on, str) else on
        if not isinstance(fields, (list, tuple)) or not all(isinstance(f, str) for f in fields):
            raise TypeError(f"BagOfWords: on must name features, got {on!r:.80}.")
        if not fields:
            raise ValueError("BagOfWords: on is empty; it must name the features that are text.")
        self.on = on if isinstance(on, str) else list(on)
        if not isinstance(ngrams, (list, tuple)) or len(ngrams) != 2:
            raise TypeError(f"BagOfWords: ngrams must be (shortest, longest), got {ngrams!r:.80}.")
        self.ngrams = [whole(self, "ngrams", size, least=1, most=100) for size in ngrams]
        if self.ngrams[0] > self.ngrams[1]:
            raise ValueError(
                f"BagOfWords: ngrams must be (shortest, longest), got {ngrams!r:.40}; "
                f"the shortest run comes first."
            )
        self.fold = flag(self, "fold", fold)
        self.binary = flag(self, "binary", binary)
        self.hash_bits = hash_bits
        if hash_bits is not None:
            self.hash_bits = whole(self, "hash_bits", hash_bits, least=1, most=31)
        self.hash_seed = whole(self, "hash_seed", hash_seed, least=0, most=2**64 - 1)
        super().__init__()

    def _new_state(self) -> Any:
        fields = [self.on] if isinstance(self.on, str) else self.on
        how = (self.ngrams[0], self.ngrams[1], self.fold, self.binary)
        return BagState(fields, how, self.hash_bits, self.hash_seed)
