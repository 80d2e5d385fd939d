"""Learners that are kept alive: a durable log under each, HTTP in front of them.

`store.DurableModel` is the promise (what was acknowledged survives, what has an id is learned
once) and needs nothing but the standard library; the service over it needs `onstream[serve]`.
"""

from .log import StoreError
from .receipt import Receipt, Rejected
from .store import DurableModel, StoreFull, StoreStopped

__all__ = ["DurableModel", "Receipt", "Rejected", "StoreError", "StoreFull", "StoreStopped"]
