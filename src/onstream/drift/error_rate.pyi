from typing import Literal

from .detector import Detector

class DDM(Detector):
    warm_up: int
    warning_level: float
    drift_level: float
    min_errors: int
    def __init__(
        self,
        *,
        warm_up: int = 30,
        warning_level: float = 2.0,
        drift_level: float = 3.0,
        min_errors: int = 0,
    ) -> None: ...

class EDDM(Detector):
    warm_up: int
    warning_level: float
    drift_level: float
    def __init__(
        self, *, warm_up: int = 30, warning_level: float = 0.95, drift_level: float = 0.9
    ) -> None: ...

class HDDM(Detector):
    test: Literal["A", "W"]
    alpha_drift: float
    alpha_warning: float
    lam: float
    two_sided: bool
    def __init__(
        self,
        *,
        test: Literal["A", "W"] = "A",
        alpha_drift: float = 0.001,
        alpha_warning: float = 0.005,
        lam: float = 0.05,
        two_sided: bool = False,
    ) -> None: ...
