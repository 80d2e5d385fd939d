"""Experiments that reproduce published figures; each writes its part of docs/experiments.md."""
