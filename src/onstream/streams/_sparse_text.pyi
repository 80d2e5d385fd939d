from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from ..core.sparse import SparseBlock

def name_hash(name: bytes) -> int: ...
def unfilled(n: int) -> bytearray: ...

class SparseText:
    @property
    def lines(self) -> int: ...
    def parse(
        self,
        data: bytearray,
        size: int,
        stop_early: bool,
        later: Callable[[], object] | None = None,
    ) -> tuple[SparseBlock, NDArray[Any], NDArray[Any] | None, list[tuple[int, bytes, str]]]: ...
