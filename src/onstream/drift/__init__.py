"""Drift detectors: they watch a sequence of numbers and tell when it changes."""

from ..base.registry import register_parts
from .adwin import ADWIN
from .error_rate import DDM, EDDM, HDDM
from .kswin import KSWIN
from .page_hinkley import PageHinkley

__all__ = ["ADWIN", "DDM", "EDDM", "HDDM", "KSWIN", "PageHinkley"]

register_parts(ADWIN, DDM, EDDM, HDDM, KSWIN, PageHinkley)
