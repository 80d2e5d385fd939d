"""Errors of the contract that are not plain ValueError or TypeError."""


class NotMergeable(TypeError):
    """These two learners cannot be merged; the message says why."""
