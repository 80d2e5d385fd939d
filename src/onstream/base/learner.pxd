# Where a learner keeps its state: in a field, since a look into an object's dict takes as long as
# reading three features.

from ..core.state cimport State


cdef class Face:
    cdef public object _state  # a State, where verbs of this package serve it; None: not made yet


cdef inline State state_of(object learner):
    """The state of any learner whose constructor has run."""
    cdef Face face = <Face?> learner
    if face._state is None:
        raise TypeError(f"{type(learner).__name__}: its __init__ must call that of its base first.")
    return <State> face._state
