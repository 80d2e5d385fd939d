from .sparse_text import SparseText

class VWText(SparseText):
    def __init__(self, labelled: bool = True, weights_allowed: bool = True) -> None: ...
