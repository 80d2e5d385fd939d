from typing import Self

from ._sparse_text import SparseText

class VWText(SparseText):
    def __new__(cls, labelled: bool = True, weights_allowed: bool = True) -> Self: ...
