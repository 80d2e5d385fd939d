"""Parameters that all gradient learners share."""

from typing import Any

from ..base.checks import choice, number, positive

SCHEDULES = ("constant", "power", "inverse", "sqrt")


def check_gradient(model: Any, eta: float, schedule: str, power: float, l2: float) -> None:
    """Check and set the learning rate, its schedule and the L2 penalty."""
    model.eta = positive(model, "eta", eta, "It is the first learning rate; try 0.1 or 0.01.")
    model.schedule = choice(model, "schedule", schedule, SCHEDULES)
    model.power = number(model, "power", power, above=0.0, most=2.0)
    model.l2 = number(model, "l2", l2, least=0.0)
    if schedule == "inverse" and model.l2 == 0.0:
        raise ValueError(
            f"{type(model).__name__}: schedule='inverse' decays with l2, which is 0. "
            f"Give l2 > 0, or use 'sqrt' or 'power'."
        )
