"""Kernel learners with at most `budget` supports (spec 5)."""
