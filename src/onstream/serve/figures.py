"""What `/metrics` shows: counted as plain numbers, made into Prometheus' text when asked for."""

from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

from .models import Models

BOUNDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)  # seconds

OF_MODEL: list[tuple[str, str, Any]] = [
    ("onstream_learned_total", "Examples learned.", lambda s: s.model.seen),
    ("onstream_predicted_total", "Examples predicted.", lambda s: s.predicted),
    ("onstream_duplicates_total", "Examples that had been learned before.", lambda s: s.duplicates),
    ("onstream_rejected_total", "Examples that the learner refused.", lambda s: s.model.refused),
    ("onstream_drift_alarms_total", "Alarms of ADWIN over the losses.", lambda s: s.alarms),
    (
        "onstream_expired_labels_total",
        "Predictions whose label never came.",
        lambda s: s.late.expired,
    ),
    ("onstream_queue", "Requests that wait to be learned.", lambda s: s.model.waiting),
    ("onstream_log_lag", "Examples since the last snapshot.", lambda s: s.model.unsaved),
    ("onstream_seq", "Number of the last example learned.", lambda s: s.model.seq),
    ("onstream_memory_bytes", "Bytes of the model.", lambda s: s.model.learner.memory_bytes),
    ("onstream_pending_labels", "Predictions that wait for a label.", lambda s: s.late.waiting),
    ("onstream_accuracy", "Right before learned, of all.", lambda s: s.right / max(1, s.examples)),
    ("onstream_mean_loss", "Mean loss before learning.", lambda s: s.loss / max(1, s.examples)),
    ("onstream_recent_loss", "The same since the last drift.", lambda s: s.detector.mean),
    ("onstream_late_label_bytes", "Features kept for labels.", lambda s: s.late.size),
    ("onstream_lost_snapshots_total", "Not written.", lambda s: s.model.lost_snapshots),
    ("onstream_failed", "1 if the log failed.", lambda s: int(s.model.failure is not None)),
]


class Figures:
    """Counts of requests, by verb and status, and how long they took."""

    def __init__(self, models: Models) -> None:
        self.models = models
        self.requests: dict[tuple[str, int], int] = {}
        self.taken: dict[str, list[Any]] = {}  # verb -> counts per bound, and the sum
        self.registry = CollectorRegistry()
        self.registry.register(self)

    def count(self, verb: str, status: int, seconds: float) -> None:
        """Count one request."""
        key = (verb, status)
        self.requests[key] = self.requests.get(key, 0) + 1
        taken = self.taken.get(verb)
        if taken is None:
            taken = self.taken[verb] = [[0] * (len(BOUNDS) + 1), 0.0]
        taken[0][bisect_left(BOUNDS, seconds)] += 1
        taken[1] += seconds

    def collect(self) -> Iterator[Any]:
        """All figures, for prometheus_client."""
        asked = CounterMetricFamily(
            "onstream_requests", "Requests answered.", labels=["verb", "status"]
        )
        for (verb, status), n in list(self.requests.items()):
            asked.add_metric([verb, str(status)], n)
        yield asked
        latency = HistogramMetricFamily(
            "onstream_request_seconds", "Time to answer.", labels=["verb"]
        )
        for verb, (counts, total) in list(self.taken.items()):
            buckets, so_far = [], 0
            for bound, n in zip([*map(str, BOUNDS), "+Inf"], counts, strict=True):
                so_far += n
                buckets.append((bound, so_far))
            latency.add_metric([verb], buckets, total)
        yield latency
        for name, text, value in OF_MODEL:
            counter = name.endswith("_total")
            family: Any = (CounterMetricFamily if counter else GaugeMetricFamily)(
                name.removesuffix("_total"), text, labels=["model"]
            )
            for served in list(self.models.by_name.values()):
                served.late.expire()
                family.add_metric([served.name], value(served))
            yield family
