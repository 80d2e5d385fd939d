"""Passive-aggressive learning in all its forms (Crammer et al., JMLR 7, 2006)."""
