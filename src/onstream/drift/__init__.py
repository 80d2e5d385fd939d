"""Drift detectors: they watch a sequence of numbers and say when it changes."""

from ..base.registry import register_family
from .adwin import ADWIN
from .ddm import DDM
from .eddm import EDDM
from .hddm import HDDM
from .kswin import KSWIN
from .page_hinkley import PageHinkley

__all__ = ["ADWIN", "DDM", "EDDM", "HDDM", "KSWIN", "PageHinkley"]

register_family(globals())
