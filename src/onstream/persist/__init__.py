"""State on disk."""

from .files import load, load_notes, save
from .format import dumps, loads

__all__ = ["dumps", "load", "load_notes", "loads", "save"]
