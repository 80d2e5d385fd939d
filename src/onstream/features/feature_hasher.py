"""Feature hashing."""

from typing import Any

from ..base.checks import flag, whole
from ._projections import HasherState
from .transformer import NamesOnly


class FeatureHasher(NamesOnly):
    """Hash features into 2^hash_bits slots: memory stays the same whatever the stream sends.

    As the first step it keeps no names at all. A feature goes to the slot its name is hashed to,
    with the sign of another bit of the hash, so that collisions cancel on average (Weinberger et
    al. 2009); the same hash on every platform.

    Parameters
    ----------
    hash_bits : int, 1 to 31, default 18
        Slots are 2^hash_bits; more means fewer collisions and more memory.
    hash_seed : int >= 0, default 0
        Other seeds let other features collide.
    signed : bool, default True
        Without signs collisions add up; inner products are no longer right on average.
    binary : bool, default False
        Only say whether a slot is hit: values become 1 (or -1).

    Examples
    --------
    >>> hasher = FeatureHasher(hash_bits=10)
    >>> hasher.transform_one({"free": 2, "offer": 1})
    {253: -2.0, 139: 1.0}
    """

    def __init__(
        self,
        *,
        hash_bits: int = 18,
        hash_seed: int = 0,
        signed: bool = True,
        binary: bool = False,
    ) -> None:
        self.hash_bits = whole(self, "hash_bits", hash_bits, least=1, most=31)
        self.hash_seed = whole(self, "hash_seed", hash_seed, least=0, most=2**64 - 1)
        self.signed = flag(self, "signed", signed)
        self.binary = flag(self, "binary", binary)
        super().__init__()

    def _new_state(self) -> Any:
        return HasherState(self.hash_bits, self.hash_seed, self.signed, self.binary)
