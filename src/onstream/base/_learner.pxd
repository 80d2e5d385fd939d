# Where a learner keeps its model: in a field, since a look into an object's dict takes as long as
# reading three features.

cdef class LearnerBase:
    cdef object made    # a Model, where verbs of this package serve it; None: not made yet
    cdef bint template  # it is a step of a pipeline: the model is made when somebody asks for it


cdef inline object model_of(object learner):
    """The model of any learner whose constructor has run. A method may be called with anything, so
    the caller checks its type: a test for the usual class is cheap."""
    cdef LearnerBase base = <LearnerBase?> learner
    return base._model if base.made is None else base.made
