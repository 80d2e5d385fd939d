from .detector import Detector

class KSWIN(Detector):
    alpha: float
    window: int
    stat_size: int
    seed: int
    def __init__(
        self, *, alpha: float = 0.005, window: int = 100, stat_size: int = 30, seed: int = 0
    ) -> None: ...

def critical(r: int, alpha: float) -> int: ...
