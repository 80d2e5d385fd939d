from typing import Any, Self

from numpy.typing import NDArray

from ..core.sparse import SparseBlock
from ._sparse_text import SparseText

def unescaped(text: bytes) -> str: ...

class ARFFText(SparseText):
    def __new__(
        cls,
        names: list[bytes],
        kinds: list[int],
        roles: list[int],
        values: list[list[bytes] | None],
        sparse: bool,
    ) -> Self: ...
    def parse_sparse(
        self, data: bytearray, size: int, stop_early: bool
    ) -> tuple[SparseBlock, Any, Any, list[tuple[int, bytes, str]]]: ...
    def parse_dense(
        self, data: bytearray, size: int, stop_early: bool
    ) -> tuple[NDArray[Any], list[str], list[tuple[int, bytes, str]]]: ...
