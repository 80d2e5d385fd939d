"""HTTP on one connection: Uvicorn's, but impatient, and with a short way for predictions."""

from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

CONNECTIONS = 1000  # at a time
HEADERS = 64 << 10  # bytes of a request before its body
PATIENCE = 5.0  # seconds for a head
BEFORE, AFTER = b"/v1/models/", b"/predict"
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"


class Connection(HttpToolsProtocol):
    """Closes a connection whose request is not there in time, or has too long a head.

    A prediction whose whole request came at once is answered as soon as it is read, if
    `Service.at_once` can: no task, no ASGI. Anything else, and whatever is wrong, takes the long
    way; so does all but the first request of what came together, so that others get their turn.
    """

    head = 0  # bytes since the last whole head
    timer: Any = None
    cycle: Any  # of the request being answered; None before the first
    held: list[bytes] | None = None  # the body of a request that may be answered at once
    answered = False  # was one, of what came last?

    def connection_made(self, transport: Any) -> None:
        """Expect a head, unless there are too many connections."""
        super().connection_made(transport)
        if len(self.connections) > CONNECTIONS:
            transport.abort()
        self.expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more comes."""
        self.expect_no_more()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, and see how long a head is, or its delay."""
        before, self.answered = self.cycle, False
        super().data_received(data)
        if self.held is not None:  # there is more to come of it
            self.take_long_way()
        idle = self.cycle is None or self.cycle.response_complete
        if self.answered and idle and not self.transport.is_closing():
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )
        if self.answered or self.cycle is not before:
            self.expect_no_more()
        elif idle:
            self.head += len(data)
            self.expect()
            if self.head > HEADERS:
                self.transport.close()

    # --- patience -------------------------------------------------------------------------------

    def expect(self) -> None:
        """A head should be there soon."""
        if self.timer is None:
            self.timer = self.loop.call_later(PATIENCE, self.give_up)

    def expect_no_more(self) -> None:
        """It is there."""
        self.head = 0
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def give_up(self) -> None:
        """It did not come."""
        self.timer = None
        if self.cycle is None or self.head:
            self.transport.close()

    # --- the short way --------------------------------------------------------------------------

    def on_headers_complete(self) -> None:
        """Hold a prediction back until its body is there; begin with anything else."""
        if self.may_be_short():
            self.held = []
        else:
            super().on_headers_complete()

    def may_be_short(self) -> bool:
        """Say whether this begins a prediction, and nothing else is going on here."""
        parser, cycle = self.parser, self.cycle
        return (
            self.url.endswith(AFTER)
            and self.url.startswith(BEFORE)
            and not self.answered
            and (cycle is None or cycle.response_complete)
            and not self.expect_100_continue
            and not self.flow.write_paused
            and parser.get_method() == b"POST"
            and parser.get_http_version() == "1.1"
            and parser.should_keep_alive()
            and not parser.should_upgrade()
        )

    def on_body(self, body: bytes) -> None:
        """Keep a part of the body."""
        if self.held is None:
            super().on_body(body)
        else:
            self.held.append(body)

    def on_message_complete(self) -> None:
        """Answer what was held back, or begin with it now."""
        if self.held is not None:
            name = self.url[len(BEFORE) : -len(AFTER)].decode("latin-1")
            service: Any = self.config.app
            answer = service.at_once(name, self.headers, b"".join(self.held))
            if answer is not None:
                self.held, self.answered = None, True
                self.transport.write(ANSWER % len(answer) + answer)
                return
            self.take_long_way()
        super().on_message_complete()

    def take_long_way(self) -> None:
        """Begin as Uvicorn does, with what was held back."""
        held, self.held = self.held or [], None
        super().on_headers_complete()
        for part in held:
            super().on_body(part)
