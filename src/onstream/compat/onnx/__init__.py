"""ONNX: linear learners, naive Bayes, trees, ensembles and pipelines as models for any runtime."""

from .export import to_onnx

__all__ = ["to_onnx"]
