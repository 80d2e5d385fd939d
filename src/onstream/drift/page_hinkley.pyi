from typing import Literal

from .detector import Detector

class PageHinkley(Detector):
    warm_up: int
    delta: float
    lam: float
    alpha: float
    mode: Literal["up", "down", "both"]
    def __init__(
        self,
        *,
        warm_up: int = 30,
        delta: float = 0.005,
        lam: float = 50.0,
        alpha: float = 0.9999,
        mode: Literal["up", "down", "both"] = "up",
    ) -> None: ...
