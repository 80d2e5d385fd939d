"""What retraining of labels and of numbers share."""

from typing import Any

from ..base.errors import NotMergeable
from ..base.learner import Learner
from ..drift.base import Detector


class Retraining(Learner):
    """A learner that begins anew on an alarm."""

    _several = False
    _model: Any

    @property
    def drifts(self) -> list[int]:
        """The numbers of the examples (from 0) at which it began anew, the last 1,000."""
        with self._model.reading():
            return list(self._model.state.committee.members[0].marks)

    def merge(self, other: Learner) -> None:
        """Learners that began anew at different times cannot be merged: see the message."""
        raise NotMergeable(
            f"{type(self).__name__}: it cannot be merged: learners that began anew at different "
            f"times have not learned from the same stream."
        )


def checked_detector(owner: Any, detector: Any, errors: bool) -> Any:
    """A new detector with these parameters, or None."""
    name = type(owner).__name__
    if detector is None:
        return None
    if not isinstance(detector, Detector):
        raise TypeError(f"{name}: detector must be a drift detector, got {detector!r:.80}.")
    if detector.watches_errors and not errors:
        raise ValueError(
            f"{name}: {type(detector).__name__} takes errors from 0 to 1, but those of numbers may "
            f"be of any size; use ADWIN(), PageHinkley() or KSWIN()."
        )
    return detector.clone()
