"""State on disk."""

from .files import load, save
from .format import dumps, loads

__all__ = ["dumps", "load", "loads", "save"]
