"""Kernel learners with at most `budget` supports."""
