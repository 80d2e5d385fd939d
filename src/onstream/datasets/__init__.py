"""Small embedded data sets, free to use and to pass on.

Each comes with its origin and licence, in its docstring and in the README beside the files.
"""

from .dataset import Dataset
from .noaa import noaa_weather

__all__ = ["Dataset", "noaa_weather"]
