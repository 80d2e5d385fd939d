from ._sparse_text import SparseText

class LibsvmText(SparseText):
    def __init__(self) -> None: ...
