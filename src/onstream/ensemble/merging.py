"""Bagging that saw other data, put together member by member."""

from typing import Any

from ..base.errors import NotMergeable
from .base import Ensemble, Wrapped

OWN = ("members", "seen", "start", "steps")  # of an exported ensemble; the rest are names


class Bagging(Wrapped, Ensemble):
    """Members that each learn for themselves, so they merge if each of them does."""

    @property
    def merge_kind(self) -> Any:  # type: ignore[override]
        """How two of them merge: "mixing" if all members can be merged, otherwise None."""
        return None if None in [learner.merge_kind for learner in self._learners] else "mixing"

    def merge(self, other: Any) -> None:
        """Absorb an ensemble of the same members that was trained on other data.

        The first members of both become one, then the second ones, and so on, each as it merges
        when it stands alone. Trees and neighbours do not.
        """
        for learner in self._learners:
            if learner.merge_kind is None:
                raise NotMergeable(
                    f"{type(self).__name__}: it has members that cannot be merged: "
                    f"{learner!r:.80}. Linear learners and naive Bayes can."
                )
        super(Ensemble, self).merge(other)

    def _merged(self, mine: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
        names: dict[str, Any] = {}
        members = {}
        for i, template in enumerate(self._templates(self.n_models)):
            one, other = (self._alone(template, fields, i) for fields in (mine, theirs))
            one.merge(other)
            learned = one._snapshot()
            names = {name: learned.pop(name) for name in mine if name not in OWN}
            members[str(i)] = {**mine["members"][str(i)], "model": learned}
        counts = {name: mine[name] + theirs[name] for name in ("seen", "start")}
        return {**names, **counts, "members": members}

    def _alone(self, template: Any, fields: dict[str, Any], i: int) -> Any:
        """A member of an exported ensemble as a learner."""
        learned = fields["members"][str(i)]["model"]
        if "reading" in learned:
            raise NotMergeable(
                f"{type(self).__name__}: {template!r:.80} reads text in another way than a member "
                f"beside it, so it cannot be merged on its own."
            )
        member = template.clone()
        names = {name: value for name, value in fields.items() if name not in OWN}
        member._restore({**names, **learned})
        return member
