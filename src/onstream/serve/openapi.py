"""The OpenAPI document, made of the types that decode the requests."""

from typing import Any

import msgspec

from . import body
from .store import Receipt


class Problem(msgspec.Struct):
    """What is wrong with a request, where in it, and what to do."""

    error: str
    path: str
    hint: str


REFUSALS = ("400", "401", "403", "404", "405", "409", "413", "415", "422", "429", "503")
PREFIX = "#/components/schemas/"
ONE = "/v1/models/{name}"
# path, method, scope, what it does, type of the body
VERBS: list[tuple[str, str, str, str, Any]] = [
    ("/v1/models", "get", "predict", "The models", None),
    (ONE, "put", "admin", "Begin a model", body.NewModel),
    (ONE, "get", "predict", "Facts, after all that was acknowledged is learned", None),
    (ONE, "delete", "admin", "Remove a model", None),
    (f"{ONE}/learn", "post", "learn", "Learn; 200 means it survives a crash", body.Learn),
    (f"{ONE}/predict", "post", "predict", "Predict", body.Predict),
    (f"{ONE}/label", "post", "learn", "Labels for earlier predictions", body.Label),
    (f"{ONE}/rollback", "post", "admin", "Go back to an earlier state", body.Rollback),
    (f"{ONE}/replay", "post", "admin", "As if a source had never spoken", body.Replay),
    (f"{ONE}/snapshot", "get", "admin", "The state as a file for onstream.load", None),
    (f"{ONE}/explain", "get", "predict", "Why: pass x as JSON in the query", None),
    ("/v1/tokens", "post", "admin", "Make a token", body.NewToken),
    ("/v1/tokens/{name}", "delete", "admin", "Remove a token", None),
    ("/health/live", "get", "", "The process is there", None),
    ("/health/ready", "get", "", "All models can learn", None),
    ("/metrics", "get", "", "Figures for Prometheus", None),
    ("/openapi.json", "get", "", "This document", None),
]


def document(version: str) -> dict[str, Any]:
    """The whole document."""
    kinds = [kind for *_, kind in VERBS if kind is not None]
    _, schemas = msgspec.json.schema_components(
        [*kinds, Receipt, Problem], ref_template=PREFIX + "{name}"
    )
    paths: dict[str, Any] = {}
    for path, method, scope, summary, kind in VERBS:
        answers = {"200": {"description": "done"}, "201": {"description": "made"}}
        refused = {"application/json": {"schema": {"$ref": f"{PREFIX}Problem"}}}
        for status in REFUSALS:
            answers[status] = {"description": "refused", "content": refused}  # type: ignore[dict-item]
        verb: dict[str, Any] = {"summary": summary, "responses": answers}
        if scope:
            verb["security"] = [{"token": []}]
            verb["description"] = f"Scope: {scope}."
        if "{name}" in path:
            verb["parameters"] = [
                {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
            ]
        if kind is not None:
            schema = {"schema": {"$ref": f"{PREFIX}{kind.__name__}"}}
            verb["requestBody"] = {"required": True, "content": {"application/json": schema}}
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
