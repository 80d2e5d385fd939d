"""Beyond one machine, on engines that people already run: Ray and Spark.

`train` lets workers learn shards and merges what they learned.
"""

from .engine import Engine, WorkerLost
from .local import Local
from .training import Mix, train

__all__ = ["Engine", "Local", "Mix", "WorkerLost", "train"]
