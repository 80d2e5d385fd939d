"""The verbs for one example, compiled: a call from Python goes straight to the model."""

from ..core.classifier cimport ClassifierModel
from ..core.regressor cimport RegressorModel
from ..core.task cimport LABEL, PROBA, SCORE

OUTPUTS = {"label": LABEL, "proba": PROBA, "score": SCORE}


cdef class LearnerBase:
    """The part of a learner that compiled code can look into."""

    @property
    def _model(self):
        """The model; of a template it is made now."""
        if self.made is None:
            if not self.template:
                raise TypeError(f"{type(self).__name__}: its __init__ must call that of its base first.")
            self.made = self._new_model()
        return self.made

    def _set_model(self, model):
        self.made = model

    def _begun(self):
        """Are the parameters fixed?"""
        return self.made is not None or self.template

    def _is_template(self):
        """Does it only say how learners are to be made?"""
        return self.template

    def _template(self):
        """A learner with the same parameters, without a model until somebody asks for it."""
        cdef LearnerBase other = type(self).__new__(type(self))
        for name, value in vars(self).items():
            object.__setattr__(other, name, own_copy(value))
        other.template = True
        return other


cdef object own_copy(object value):
    """A parameter for a template: its lists, and those of learners in them, are its own."""
    if isinstance(value, list):
        return [own_copy(item) for item in value]
    return (<LearnerBase> value)._template() if isinstance(value, LearnerBase) else value


cdef class ClassifierVerbs(LearnerBase):
    def learn_one(self, x, y, w=1.0):
        """Learn that the example `x` has the label `y`, with importance `w`."""
        (<ClassifierModel?> model_of(self)).learn_one(x, y, w)

    def predict_one(self, x):
        """The label of `x`; None before any example was learned. Changes nothing."""
        return (<ClassifierModel?> model_of(self)).predict_one(x)

    def score_one(self, x):
        """Decision value of `x`: a float for two labels (positive means the one coded +1),
        a dict label to float for more."""
        return (<ClassifierModel?> model_of(self)).scores_one(x)


cdef class ProbabilisticVerbs(ClassifierVerbs):
    def predict_proba_one(self, x):
        """Probability of each label, as a dict; {} before any label is known."""
        return (<ClassifierModel?> model_of(self)).proba_one(x)


cdef class RegressorVerbs(LearnerBase):
    def learn_one(self, x, y, w=1.0):
        """Learn that the example `x` has the target `y`, with importance `w`."""
        (<RegressorModel?> model_of(self)).learn_one(x, y, w)

    def predict_one(self, x):
        """The prediction for `x`; 0.0 before any example was learned. Changes nothing."""
        return (<RegressorModel?> model_of(self)).score_one(x)

    def score_one(self, x):
        """The same as `predict_one`."""
        return (<RegressorModel?> model_of(self)).score_one(x)
