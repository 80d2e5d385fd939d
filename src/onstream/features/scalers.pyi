from typing import Any

from .transformer import Transformer

class StandardScaler(Transformer):
    def __init__(self) -> None: ...

class MinMaxScaler(Transformer):
    def __init__(self) -> None: ...

class Imputer(Transformer):
    strategy: str
    value: float
    def __init__(self, *, strategy: str = "mean", value: float = 0.0) -> None: ...

def both_means(ours: Any, other: Any) -> Any: ...
