from .descent import Descent

class AdaGrad(Descent):
    def set_squares(self, eps: float) -> None: ...
