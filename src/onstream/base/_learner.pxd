# Where a learner keeps its model: in a field, since a look into an object's dict takes as long as
# reading three features.

from ..core.model cimport Model


cdef class LearnerBase:
    cdef object made    # a Model, where verbs of this package serve it; None: not made yet
    cdef bint template  # it is a step of a pipeline: the model is made when somebody asks for it


cdef inline Model model_of(object learner):
    """The model of any learner whose constructor has run. A method may be called with anything."""
    cdef LearnerBase base = <LearnerBase?> learner
    return <Model> (base._model if base.made is None else base.made)
