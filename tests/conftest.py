"""Settings of hypothesis: repeatable; `--hypothesis-profile=thorough` digs deeper."""

from hypothesis import HealthCheck, settings

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.differing_executors]

settings.register_profile(
    "quick", max_examples=15, deadline=None, derandomize=True, suppress_health_check=SLOW
)
settings.register_profile(
    "thorough", max_examples=1000, deadline=None, print_blob=True, suppress_health_check=SLOW
)
settings.load_profile("quick")
