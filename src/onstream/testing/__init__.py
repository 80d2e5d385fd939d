"""For those who write learners of their own: checks that one keeps the contract."""

from .check import check_learner, checks

__all__ = ["check_learner", "checks"]
