"""Settings of hypothesis: repeatable; `--hypothesis-profile=thorough` digs deeper.

Under a sanitizer (`make sanitize`) everything takes several times as long, so there are fewer
examples, and tests of memory, of other programs and of the project's own files stay out.
"""

import gc
import os
import signal

import pytest
from hypothesis import HealthCheck, settings

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.differing_executors]

settings.register_profile(
    "quick", max_examples=15, deadline=None, derandomize=True, suppress_health_check=SLOW
)
settings.register_profile(
    "thorough", max_examples=1000, deadline=None, print_blob=True, suppress_health_check=SLOW
)
settings.register_profile("brief", settings.get_profile("quick"), max_examples=5)

# Started in the background by a shell, we ignore SIGINT; programs that tests interrupt would, too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

SANITIZED = bool(os.environ.get("ONSTREAM_SANITIZE"))
settings.load_profile("brief" if SANITIZED else "quick")

NOT_SANITIZED = (
    "contract/test_memory.py",  # the allocator is another
    "contract/test_docstrings.py",
    "cli/",
    "compat/test_mlflow.py",  # other people's programs
    "compat/test_onnx.py",
    "test_consoles.py",
    "serve/",  # processes that are killed, and clients that wait for seconds
    "cluster/test_ray.py",  # other programs
    "cluster/test_spark.py",
    "evaluate/test_report.py",
    "test_examples.py",
    "test_decisions.py",
    "test_layers.py",
    "test_places.py",
    "test_a_fork_is_told",  # the sanitizer's own locks may be held by a thread that is not forked
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if SANITIZED:
        out = [item for item in items if any(part in item.nodeid for part in NOT_SANITIZED)]
        config.hook.pytest_deselected(items=out)
        items[:] = [item for item in items if item not in set(out)]


def pytest_collection_finish() -> None:
    """Tens of thousands of tests are half a million objects, and every collection of garbage would
    look at them all again: a third of the suite's time."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def young_objects_only() -> None:
    """For tests that collect garbage often: let the collector look at what the test itself makes,
    not at what pytest has kept of those before it."""
    gc.freeze()
