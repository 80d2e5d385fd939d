from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

class Residuals:
    n: int
    def __init__(self, window: int = 0, alpha: float = 1.0) -> None: ...

class Surprise:
    n: int
    def __init__(self, window: int = 0, alpha: float = 1.0) -> None: ...

def checked_weights(w: Any, rows: int) -> NDArray[np.float64] | None: ...
def column(values: ArrayLike, name: str) -> NDArray[np.float64]: ...
