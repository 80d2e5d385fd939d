from typing import Any

from numpy.typing import NDArray

from .sources import Source

class Cells:
    def __init__(
        self,
        encoder: Any,
        names: list[Any],
        n_rows: int,
        room: int,
        learning: bool,
        weights: NDArray[Any] | None,
        texts: list[str] | None = None,
    ) -> None: ...
    def add(
        self,
        which: NDArray[Any],
        values: NDArray[Any],
        starts: NDArray[Any],
        text_of: NDArray[Any] | None = None,
    ) -> None: ...
    def rows(self) -> Source: ...

def pack(
    encoder: Any,
    names: list[Any],
    which: NDArray[Any],
    values: NDArray[Any],
    starts: NDArray[Any],
    learning: bool,
    weights: NDArray[Any] | None,
) -> Source: ...
def distinct_names(block: Any) -> tuple[NDArray[Any], NDArray[Any]]: ...
def mapping_rows(encoder: Any, rows: Any, learning: bool, weights: Any) -> Any: ...
def make_source(encoder: Any, X: Any, learning: bool, weights: NDArray[Any] | None) -> Source: ...
def check_weights(who: str, rows: int, weights: NDArray[Any] | None) -> None: ...
def shuffled_csr(who: str, X: Any, order: NDArray[Any]) -> Any: ...
