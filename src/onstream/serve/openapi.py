"""The OpenAPI document, made of the types that decode the requests, and of those that answer."""

from typing import Any

import msgspec

from . import body
from .arrow import COLUMNS
from .example import Target
from .receipt import Receipt


class Problem(msgspec.Struct):
    """What is wrong with a request, where in it, and what to do."""

    error: str
    path: str
    hint: str


class Facts(msgspec.Struct):
    """What there is to say about a model."""

    name: str
    learner: str
    seen: int
    seq: int
    state_sha256: str
    memory_bytes: int
    labels: list[str | int | bool]
    mean_loss: float | None
    recent_loss: float | None
    accuracy: float | None
    drift_alarms: int
    rejected: int
    pending_labels: int
    expired_labels: int
    unsaved: int
    failure: str | None
    hint: str | None


class Brief(msgspec.Struct):
    """A model in the list of all."""

    name: str
    learner: str
    seen: int
    seq: int


class Listed(msgspec.Struct):
    """All models."""

    models: list[Brief]


class Predictions(msgspec.Struct):
    """Predictions in the order of the examples, all from one version of the model."""

    predictions: list[Target]
    probabilities: list[dict[str, float]] | None
    version: int


class Labelled(Receipt, kw_only=True):
    """What became of late labels."""

    unknown: list[str] = msgspec.field(default_factory=list)


class RolledBack(msgspec.Struct):
    """Where the model is now."""

    seq: int
    version: int


class Replayed(RolledBack):
    """The same, and how many examples were taken out."""

    excluded: int


class Deleted(msgspec.Struct):
    """The model that was removed."""

    deleted: str


class Made(msgspec.Struct):
    """A token, shown this once."""

    name: str
    scopes: list[str]
    token: str


class Removed(msgspec.Struct):
    """The token that was removed."""

    removed: str


STATUSES = ("400", "401", "403", "404", "405", "408", "409", "413", "415", "422", "429", "503")
PREFIX = "#/components/schemas/"
ONE = "/v1/models/{name}"
# path, method, scope, what it does, type of the body, type of the answer
VERBS: list[tuple[str, str, str, str, Any, Any]] = [
    ("/v1/models", "get", "predict", "The models", None, Listed),
    (ONE, "put", "admin", "Begin a model", body.NewModel, Facts),
    (ONE, "get", "predict", "Facts, after all that was acknowledged is learned", None, Facts),
    (ONE, "delete", "admin", "Remove a model", None, Deleted),
    (f"{ONE}/learn", "post", "learn", "Learn; 200: it survives a crash", body.Learn, Receipt),
    (f"{ONE}/predict", "post", "predict", "Predict", body.Predict, Predictions),
    (f"{ONE}/label", "post", "learn", "Labels for earlier predictions", body.Label, Labelled),
    (f"{ONE}/rollback", "post", "admin", "Go back to a state", body.Rollback, RolledBack),
    (f"{ONE}/replay", "post", "admin", "As if a source had never spoken", body.Replay, Replayed),
    (f"{ONE}/snapshot", "get", "admin", "The state as a file for onstream.load", None, bytes),
    (f"{ONE}/explain", "get", "predict", "Why: pass x as JSON in the query", None, dict),
    ("/v1/tokens", "post", "admin", "Make a token", body.NewToken, Made),
    ("/v1/tokens/{name}", "delete", "admin", "Remove a token", None, Removed),
    ("/health/live", "get", "", "The process is there", None, dict),
    ("/health/ready", "get", "", "All models can learn", None, dict),
    ("/metrics", "get", "", "Figures for Prometheus", None, str),
    ("/openapi.json", "get", "", "This document", None, dict),
]
BARE: dict[Any, dict[str, Any]] = {
    dict: {"application/json": {"schema": {"type": "object"}}},
    bytes: {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    str: {"text/plain": {"schema": {"type": "string"}}},
}


def document(version: str) -> dict[str, Any]:
    """The whole document."""
    kinds = [kind for *_, given, answer in VERBS for kind in (given, answer)]
    named = [kind for kind in kinds if kind is not None and kind not in BARE]
    _, schemas = msgspec.json.schema_components([*named, Problem], ref_template=PREFIX + "{name}")
    paths: dict[str, Any] = {}
    for path, method, scope, summary, kind, answer in VERBS:
        good = {"description": "done", "content": BARE.get(answer) or of_type(answer)}
        refused = {"description": "refused", "content": of_type(Problem)}
        answers = {"200": good, **({"201": good} if answer in (Facts, Made) else {})}
        answers |= dict.fromkeys(STATUSES, refused)
        verb: dict[str, Any] = {"summary": summary, "responses": answers}
        if scope:
            verb["security"] = [{"token": []}]
            verb["description"] = f"Scope: {scope}."
        verb["parameters"] = parameters(path)
        if kind is not None:
            verb["requestBody"] = {"required": True, "content": contents(kind)}
        paths.setdefault(path, {})[method] = verb
    return {
        "openapi": "3.1.0",
        "info": {"title": "onstream", "version": version},
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def of_type(kind: Any) -> dict[str, Any]:
    """JSON of a type."""
    return {"application/json": {"schema": {"$ref": f"{PREFIX}{kind.__name__}"}}}


def contents(kind: Any) -> dict[str, Any]:
    """The kinds of body that a verb takes."""
    found = of_type(kind)
    if kind in (body.Learn, body.Predict):
        lines = {"type": "string", "description": "one example per line, as JSON"}
        found[body.NDJSON[0]] = {"schema": lines}
        table = f"Arrow IPC; columns {', '.join(COLUMNS)}, all others are features"
        found[body.ARROW[0]] = {
            "schema": {"type": "string", "format": "binary", "description": table}
        }
    return found


def parameters(path: str) -> list[dict[str, Any]]:
    """What stands in the path and in the query."""
    found: list[dict[str, Any]] = []
    if "{name}" in path:
        text = {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"}
        found.append({"name": "name", "in": "path", "required": True, "schema": text})
    if path.endswith("/explain"):
        features = {"application/json": {"schema": {"type": "object"}}}
        found.append({"name": "x", "in": "query", "required": True, "content": features})
    return found
