"""State on disk."""

from .files import load, load_notes, save
from .format import ModelFileError, dumps, loads

__all__ = ["ModelFileError", "dumps", "load", "load_notes", "loads", "save"]
