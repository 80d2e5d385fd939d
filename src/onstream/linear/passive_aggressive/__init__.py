"""Passive-aggressive learning in all its forms (spec 2)."""
