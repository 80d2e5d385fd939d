"""State on disk."""

from .files import is_model, load, load_notes, save
from .format import ModelFileError, dumps, loads

__all__ = ["ModelFileError", "dumps", "is_model", "load", "load_notes", "loads", "save"]
