from .kernels.base import Kernel

class CompiledKernel:
    def __init__(self, kernel: Kernel, who: str) -> None: ...
