class Residuals:
    n: int
    def __init__(self, window: int = 0, alpha: float = 1.0) -> None: ...

class LogLossSum:
    n: int
    def __init__(self, window: int = 0, alpha: float = 1.0) -> None: ...
