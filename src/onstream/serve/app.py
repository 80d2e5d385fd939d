"""The service as an ASGI application: routes, who may use them, and answers."""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias
from urllib.parse import parse_qs

import msgspec
from prometheus_client import generate_latest
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route, Router

from .. import __version__
from ..persist import dumps
from . import body, openapi
from .answers import answers, explanation
from .body import Room, TooMany, TooSlow, UnknownKind
from .example import (
    Conflict,
    Example,
    Question,
    Refused,
    TooLarge,
    check_examples,
    check_name,
    check_numbers,
)
from .figures import Figures
from .log import StoreError
from .models import NAME, Models, Served
from .receipt import Receipt
from .state import REFUSALS
from .store import ModelFull, Request, StoreFull, StoreStopped
from .tokens import SCOPES, Token, Tokens, allows, public

access = logging.getLogger("onstream.serve.access")
audit = logging.getLogger("onstream.serve.audit")
encode = msgspec.json.Encoder().encode
JSON = (b"content-type", b"application/json")
PATIENCE = 0.001  # seconds to wait for a block of learning before others get their turn
PLAIN = {b"content-encoding", b"transfer-encoding"}  # without these a body is what it is
Answer: TypeAlias = tuple[tuple[list[Any], list[Any] | None], int]  # and the version
CHANGES = {"learn", "label", "rollback", "replay", "put", "delete", "token", "no_token"}


class Problem(Exception):
    """An answer other than 200."""

    def __init__(self, status: int, error: str, path: str = "", hint: str = "") -> None:
        self.status, self.error, self.path, self.hint = status, error, path, hint


Headers: TypeAlias = Sequence[tuple[bytes, bytes]]


class Call:
    """One request, as a verb sees it."""

    __slots__ = ("headers", "name", "note", "query", "receive", "room", "size", "token")

    def __init__(self, headers: Headers, name: str, query: bytes, receive: Any, room: Room) -> None:
        self.headers, self.name, self.query = dict(headers), name, query
        self.receive, self.room, self.size = receive, room, 0
        self.token: Token | None = None
        self.note: Any = None  # for the audit log

    async def body(self, kind: type[Any]) -> Any:
        """The body as this type."""
        return body.decode(kind, await self.room.read(self.receive, self.headers))

    @property
    def kind(self) -> str:
        """What the body is said to be."""
        return self.headers.get(b"content-type", b"").decode("latin-1")

    async def examples(self, kind: type[Any]) -> list[Any]:
        """The examples in the body, whatever its kind."""
        data = await self.room.read(self.receive, self.headers)
        self.size = len(data)
        return body.decode_examples(kind, data, self.kind)


Verb = Callable[[Call], Awaitable[tuple[int, bytes, bytes]]]


class Service:
    """The application. `hosts` are the names under which it may be addressed."""

    def __init__(
        self, models: Models, tokens: Tokens, hosts: set[str], open_metrics: bool = True
    ) -> None:
        self.models, self.tokens, self.hosts = models, tokens, hosts
        self.figures = Figures(models)
        self.document = json.dumps(openapi.document(__version__)).encode()
        self.draining = False
        self.room = Room()
        one = "/v1/models/{name}"
        self.verbs: dict[str, tuple[str, Verb]] = {  # the scope, and what is done
            "list": ("predict", self.list_models), "put": ("admin", self.put),
            "get": ("predict", self.get), "delete": ("admin", self.delete),
            "learn": ("learn", self.learn), "predict": ("predict", self.predict),
            "label": ("learn", self.label), "rollback": ("admin", self.rollback),
            "replay": ("admin", self.replay), "snapshot": ("admin", self.snapshot),
            "explain": ("predict", self.explain), "token": ("admin", self.make_token),
            "no_token": ("admin", self.remove_token), "live": ("", self.live),
            "ready": ("", self.ready), "metrics": ("" if open_metrics else "predict", self.metrics),
            "openapi": ("", self.openapi),
        }  # fmt: skip
        routes = [
            ("/v1/models", "GET", "list"), (one, "PUT", "put"), (one, "GET", "get"),
            (one, "DELETE", "delete"), (f"{one}/learn", "POST", "learn"),
            (f"{one}/predict", "POST", "predict"), (f"{one}/label", "POST", "label"),
            (f"{one}/rollback", "POST", "rollback"), (f"{one}/replay", "POST", "replay"),
            (f"{one}/snapshot", "GET", "snapshot"), (f"{one}/explain", "GET", "explain"),
            ("/v1/tokens", "POST", "token"), ("/v1/tokens/{name}", "DELETE", "no_token"),
            ("/health/live", "GET", "live"), ("/health/ready", "GET", "ready"),
            ("/metrics", "GET", "metrics"), ("/openapi.json", "GET", "openapi"),
        ]  # fmt: skip
        self.router = Router(
            [Route(p, self.endpoint(v), methods=[m], name=v) for p, m, v in routes],
            redirect_slashes=False,
            default=self.unknown,
        )

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        path: str = scope["path"]
        if path.endswith("/predict") and scope["method"] == "POST" and path.count("/") == 4:
            scope["path_params"] = {"name": path.split("/")[3]}  # most requests: no search for it
            if path.startswith("/v1/models/"):
                await self.answer("predict", scope, receive, send)
                return
        scope["app"] = self  # Starlette then raises instead of answering in its own words
        try:
            await self.router(scope, receive, send)
        except HTTPException:  # it is there, but for other methods
            there = [r for r in self.router.routes if r.matches(scope)[0] is not Match.NONE]
            methods = {method for route in there for method in getattr(route, "methods", ())}
            scope["allow"] = ", ".join(sorted(methods))
            await self.answer("method", scope, receive, send)

    def endpoint(self, verb: str) -> Any:
        """One verb as an ASGI application, which Starlette's routes take as it is."""
        service = self

        class Endpoint:
            async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
                await service.answer(verb, scope, receive, send)

        return Endpoint()

    async def unknown(self, scope: Any, receive: Any, send: Any) -> None:
        """Nothing is there."""
        await self.answer("unknown", scope, receive, send)

    async def answer(self, verb: str, scope: Any, receive: Any, send: Any) -> None:
        """Let a verb answer; what is wrong becomes `{"error", "path", "hint"}`."""
        began = time.perf_counter()
        name, query = scope.get("path_params", {}).get("name", ""), scope.get("query_string", b"")
        call = Call(scope["headers"], name, query, receive, self.room)
        extra: tuple[tuple[bytes, bytes], ...] = ()
        try:
            run = self.admit(verb, call, scope)
            status, data, kind = await run(call)
        except Exception as error:
            if isinstance(error, StoreStopped) and call.name not in self.models.by_name:
                error = Problem(404, "the model was deleted", "name", "PUT makes one.")
            problem = as_problem(error)
            status, kind = problem.status, b"application/json"
            data = encode({"error": problem.error, "path": problem.path, "hint": problem.hint})
            extra = ((b"connection", b"close"),) if status in (408, 413) else ()
            extra += ((b"www-authenticate", b"Bearer"),) if status == 401 else ()
            extra += ((b"retry-after", b"1"),) if status in (429, 503) else ()
            extra += ((b"allow", scope["allow"].encode()),) if status == 405 else ()
        self.record(verb, call, scope["path"], status, time.perf_counter() - began)
        length = (b"content-length", b"%d" % len(data))
        headers = [(b"content-type", kind), length, *extra]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": data})

    def at_once(self, name: str, headers: Headers, data: bytes) -> bytes | None:
        """The answer to a prediction that waits for nothing and has nothing wrong.

        None: let `answer` see to it, which says what is wrong; nothing has been counted yet.
        """
        began = time.perf_counter()
        served = self.models.by_name.get(name)
        if served is None or not served.is_quick(1) or not served.model.state.gate.is_free():
            return None
        call = Call(headers, name, b"", None, self.room)
        if not PLAIN.isdisjoint(call.headers) or call.kind not in body.PLAIN:
            return None
        try:
            self.admit("predict", call)
        except Problem:
            return None
        try:
            call.size = len(data)
            rows: Any = body.plain_rows(data)
            questions: list[Question] = []
            if rows is None:
                questions = body.decode_examples(body.Predict, data, call.kind)
                rows = [question.x for question in questions]
            got = ask_soon(served, rows, 0.0)  # the long way waits, if that is needed
        except Exception:
            got = None
        if got is None:
            if call.token is not None:
                self.tokens.give_back(call.token)
            return None
        answer = predicted(call, served, len(rows), questions, got)
        path = f"/v1/models/{name}/predict"
        self.record("predict", call, path, 200, time.perf_counter() - began)
        return answer

    def record(self, verb: str, call: Call, path: str, status: int, taken: float) -> None:
        """Count what was done, and write it down."""
        self.figures.count(verb, status, taken)
        who = call.token.name if call.token else "-"
        if verb in CHANGES and call.note is not None:
            audit.info("%s %s %s %s %s", who, verb, call.name or "-", status, call.note)
        if access.isEnabledFor(logging.INFO):
            access.info("%s %s %s %s %.1f ms", who, verb, ascii(path)[1:-1], status, 1e3 * taken)

    def admit(self, verb: str, call: Call, request: Any = None) -> Verb:
        """The verb, if whoever asks may use it."""
        host = call.headers.get(b"host", b"").decode("latin-1").lower()
        if host not in self.hosts and host.rpartition(":")[0] not in self.hosts:
            raise Problem(400, f"unknown host {host!r:.80}", "host", "Use --allow-host to add it.")
        if verb == "method":
            raise Problem(405, f"{request['method']} is not for this path", "",
                          f"Use {request['allow']}; see /openapi.json.")  # fmt: skip
        if verb not in self.verbs:
            raise Problem(404, "there is nothing at this path", "", "See /openapi.json.")
        scope, run = self.verbs[verb]
        if scope:
            token = call.token = self.tokens.find(call.headers.get(b"authorization"))
            if token is None:
                raise Problem(401, "no valid token", "authorization", "Send 'Bearer TOKEN'.")
            if not allows(token, scope):
                raise Problem(403, f"the token lacks the scope {scope}", "", "Use another token.")
            if not self.tokens.may_ask(token):
                raise Problem(429, "too many requests of this token", "", "Wait a moment.")
        return run

    def find(self, call: Call) -> Served:
        """The model that a path names."""
        served = self.models.by_name.get(call.name)
        if served is None:
            raise Problem(404, f"there is no model {call.name!r:.80}", "name", "PUT makes one.")
        return served

    # --- the verbs ------------------------------------------------------------------------------

    async def list_models(self, call: Call) -> Any:
        """All models, in brief."""
        listed = [
            {"name": s.name, "learner": s.text, "seen": s.model.seen, "seq": s.model.seq}
            for s in list(self.models.by_name.values())
        ]
        return ok({"models": listed})

    async def put(self, call: Call) -> Any:
        """Begin a model."""
        given = await call.body(body.NewModel)
        served, made = await asyncio.to_thread(self.models.create, call.name, given.learner)
        call.note = ascii(given.learner)
        return (201 if made else 200), encode(await facts_of(served)), JSON[1]

    async def get(self, call: Call) -> Any:
        """Facts about a model, after everything acknowledged is applied."""
        return ok(await facts_of(self.find(call)))

    async def delete(self, call: Call) -> Any:
        """Remove a model."""
        self.find(call)
        if not await asyncio.to_thread(self.models.delete, call.name):
            self.find(call)
        call.note = "deleted"
        return ok({"deleted": call.name})

    async def learn(self, call: Call) -> Any:
        """Learn examples; the answer comes when they are on the disk."""
        served = self.find(call)
        return await self.teach(call, served, await call.examples(body.Learn), {})

    async def teach(self, call: Call, served: Served, examples: Any, more: dict[str, Any]) -> Any:
        """Hand examples to the writer, and say what became of them."""
        if served.model_is("numbers"):
            check_numbers(examples)
        receipt: Receipt = await asyncio.wrap_future(served.model.submit(examples, call.size))
        served.duplicates += receipt.duplicates
        call.note = f"{receipt.first_seq}-{receipt.last_seq}"
        if receipt.rejected and not receipt.learned and not receipt.duplicates:
            first = receipt.rejected[0]
            raise Problem(422, first["error"], first["path"], "Nothing was learned.")
        facts = msgspec.structs.asdict(receipt)
        if not receipt.rejected:
            del facts["rejected"]
        return ok({**facts, **more})

    async def predict(self, call: Call) -> Any:
        """Predict, and keep the features of those that have an id."""
        served = self.find(call)
        questions: list[Question] = await call.examples(body.Predict)
        try:
            got = await ask(served, [question.x for question in questions])
        except REFUSALS as error:
            row = getattr(error, "row", 0 if len(questions) == 1 else None)
            raise Refused(str(error), "examples" if row is None else f"examples[{row}]") from None
        return 200, predicted(call, served, len(questions), questions, got), JSON[1]

    async def label(self, call: Call) -> Any:
        """Learn what was predicted before, now that its label is known."""
        served = self.find(call)
        labels = (await call.body(body.Label)).examples
        examples, unknown = [], []
        for row, one in enumerate(labels):
            check_name(one.id, f"examples[{row}].id")
            kept = served.late.find(one.id)
            if kept is None:
                unknown.append(one.id)
            else:
                examples.append(Example(kept.x, one.y, one.id, one.source))
                call.size += kept.size
        if not examples:
            raise Problem(
                404, "no prediction is known under these ids", "examples",
                "Labels must come in time; otherwise send x and y to /learn.",
            )  # fmt: skip
        check_examples(examples)
        answer = await self.teach(call, served, examples, {"unknown": unknown} if unknown else {})
        served.late.learned([one.id for one in examples if one.id])
        return answer

    async def rollback(self, call: Call) -> Any:
        """Go back to an earlier state."""
        served, to_seq = self.find(call), (await call.body(body.Rollback)).to_seq
        seq = await in_order(served, lambda: served.model._rollback(to_seq))
        call.note = f"to {to_seq}"
        return ok({"seq": seq, "version": seq})

    async def replay(self, call: Call) -> Any:
        """Become the model without a source."""
        served, source = self.find(call), (await call.body(body.Replay)).exclude_source
        check_name(source, "exclude_source")
        taken = await in_order(served, lambda: served.model._exclude(source))
        call.note = f"without {source!a}: {taken} examples"
        return ok({"excluded": taken, "seq": served.model.seq, "version": served.model.seq})

    async def snapshot(self, call: Call) -> Any:
        """The state as a file."""
        served = self.find(call)
        model = served.model
        data = await in_order(served, lambda: dumps(model.learner, {"seq": model.seq}))
        return 200, data, b"application/octet-stream"

    async def explain(self, call: Call) -> Any:
        """How much each feature adds to the answer."""
        served = self.find(call)
        given = parse_qs(call.query.decode("latin-1"), errors="surrogateescape").get("x", [""])[0]
        if not given:
            raise Problem(422, "there is no x", "x", 'Ask with ?x={"feature": 1.0}.')
        x = body.decode_features(given.encode("utf-8", "surrogateescape"))
        facts, version = await asyncio.to_thread(served.model.ask, lambda one: explanation(one, x))
        return ok({**facts, "version": version})

    async def make_token(self, call: Call) -> Any:
        """Make a token; it is shown this once."""
        given = await call.body(body.NewToken)
        if not NAME.fullmatch(given.name):
            raise Problem(422, "no name for a token", "name", "Use up to 64 letters, digits, _ . -")
        if not given.scopes or not set(given.scopes) <= set(SCOPES):
            raise Problem(422, "unknown scopes", "scopes", f"There are {', '.join(SCOPES)}.")
        text = self.tokens.make(given.name, given.scopes)
        call.note = f"{given.name} {given.scopes}"
        return 201, encode({**public(self.tokens.kept[-1]), "token": text}), JSON[1]

    async def remove_token(self, call: Call) -> Any:
        """Remove a token."""
        if not self.tokens.remove(call.name):
            raise Problem(404, f"there is no token {call.name!r:.80}", "name", "")
        call.note = "removed"
        return ok({"removed": call.name})

    async def live(self, call: Call) -> Any:
        """The process answers."""
        return ok({"live": True})

    async def ready(self, call: Call) -> Any:
        """Every model can learn."""
        failed = [s.name for s in list(self.models.by_name.values()) if s.model.failure is not None]
        if failed or self.draining:
            raise Problem(503, f"cannot learn: {', '.join(failed) or 'it ends'}", "", "Restart it.")
        return ok({"ready": True})

    async def metrics(self, call: Call) -> Any:
        """Figures for Prometheus."""
        return 200, generate_latest(self.figures.registry), b"text/plain; version=0.0.4"

    async def openapi(self, call: Call) -> Any:
        """The OpenAPI document."""
        return 200, self.document, JSON[1]


def ok(facts: Any) -> tuple[int, bytes, bytes]:
    """A good answer."""
    return 200, encode(facts), JSON[1]


async def in_order(served: Served, work: Callable[[], Any]) -> Any:
    """Let the model's writer do something after all that was handed over before."""
    return await asyncio.wrap_future(served.model._enqueue(Request([], work)))


async def facts_of(served: Served) -> dict[str, Any]:
    """The facts, after everything acknowledged is applied."""
    served.late.expire()
    if served.model.failure is None:
        return await in_order(served, served.facts)
    return await asyncio.to_thread(served.facts)


def ask_soon(served: Served, rows: Any, seconds: float) -> Answer | None:
    """Predictions; None where they, or what they wait for, take long."""
    if not served.is_quick(len(rows)):
        return None
    return served.model.ask_soon(lambda learner: timed_answers(served, learner, rows), seconds)


async def ask(served: Served, rows: Any) -> Answer:
    """Predictions; in a thread of their own where they take long."""
    got = ask_soon(served, rows, PATIENCE)
    if got is not None:
        return got
    return await asyncio.to_thread(
        served.model.ask, lambda learner: timed_answers(served, learner, rows)
    )


def timed_answers(served: Served, learner: Any, rows: Any) -> Any:
    """The answers, and a look at the clock."""
    began = time.perf_counter()
    found = answers(learner, rows)
    served.note_pace((time.perf_counter() - began) / len(rows))
    return found


def predicted(
    call: Call, served: Served, rows: int, questions: list[Question], got: Answer
) -> bytes:
    """Predictions as they are sent; features with an id are kept for a label."""
    (predictions, probabilities), version = got
    served.predicted += rows
    for question in questions:
        if question.id is not None:
            served.late.keep(question.id, question.x, call.size // rows + 100)
    return encode({"predictions": predictions, "probabilities": probabilities, "version": version})


STATUS: list[tuple[type[Exception], int]] = [
    (TooLarge, 413), (TooSlow, 408), (TooMany, 429), (UnknownKind, 415), (Conflict, 409),
    (Refused, 422), (StoreStopped, 503), (ModelFull, 422), (StoreError, 409), (ValueError, 422),
    (TypeError, 422), (OverflowError, 422), (MemoryError, 503), (OSError, 503),
]  # fmt: skip


def as_problem(error: Exception) -> Problem:
    """An error as an answer; what nobody expected is a 500, and in the log."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, StoreFull):
        disk = "disk" in str(error)
        return Problem(503 if disk else 429, str(error), "", "Wait, and send it again.")
    for kind, status in STATUS:
        if isinstance(error, kind):
            path, hint = getattr(error, "path", ""), getattr(error, "hint", "")
            return Problem(status, str(error), path, hint)
    logging.getLogger("onstream.serve").exception("unexpected")
    return Problem(500, f"{type(error).__name__}", "", "This is a fault of the service.")
