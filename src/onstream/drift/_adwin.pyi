from ._detector import DetectorState

class ADWINState(DetectorState):
    width: int
    mean: float
    variance: float
