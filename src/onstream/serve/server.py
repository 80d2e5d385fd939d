"""The process: sockets, signals, what it says when it starts, and how it ends."""

import asyncio
import contextlib
import errno
import ipaddress
import logging
import logging.handlers
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .log import StoreError

try:
    import fcntl
except ImportError:  # Windows: each model still keeps other processes out
    fcntl = None  # type: ignore[assignment]

EXTRA = 'The service needs more packages: pip install "onstream[serve]"'
GRACE = 30.0  # seconds for which predictions go on after the log failed
AUDIT_BYTES, AUDIT_FILES = 100 << 20, 10  # of one file of the audit log, and older ones kept
SHORTEST_TOKEN = 16  # characters of an admin token of one's own
LOOPBACK = {"localhost", "127.0.0.1", "[::1]", "::1"}


def packages() -> Any:
    """Uvicorn, or how to get it."""
    try:
        import prometheus_client  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn
    except ImportError:
        raise ImportError(EXTRA) from None
    return uvicorn


def is_loopback(host: str) -> bool:
    """Say whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def serve(
    store: Path,
    host: str,
    port: int,
    say: Callable[[str], None],
    *,
    allow_hosts: list[str] | None = None,
    rate: float = 20_000.0,
    access_log: bool = False,
    **options: Any,
) -> int:
    """Serve the models of a store until SIGTERM or Ctrl-C; the exit code."""
    uvicorn = packages()
    admin = os.environ.get("ONSTREAM_ADMIN_TOKEN") or None
    if admin is not None:
        check_admin_token(admin, host, say)
    if not is_loopback(host) and admin is None and not (store / "tokens.json").exists():
        raise ValueError(
            f"onstream: {host} can be reached by others, and there is no token yet. Set "
            f"ONSTREAM_ADMIN_TOKEN, or start once on 127.0.0.1."
        )
    store.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # while it replays, nothing is unsaved
    with locked(store), contextlib.ExitStack() as open_sockets:
        sockets = bound(host, port)  # a port that is taken is said before a long replay
        for one in sockets:
            open_sockets.enter_context(one)
        service = make_service(store, host, say, admin, allow_hosts or [], rate, options)
        models = service.models
        set_logs(store, access_log)
        server = uvicorn.Server(
            uvicorn.Config(
                service, host=host, port=port, log_level="error", access_log=False,
                lifespan="off", timeout_keep_alive=30, timeout_graceful_shutdown=10,
                server_header=False, ws="none", http=protocol(), proxy_headers=False,
                date_header=False,
            )
        )  # fmt: skip

        def end(number: int, frame: Any) -> None:
            server.should_exit = True  # Uvicorn raises the signal again when it has ended

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, end)
        try:
            with asyncio.Runner(loop_factory=new_loop) as runner:
                runner.run(run(server, sockets, service, say, host))
        finally:
            models.close()
    failed = [s.model.failure for s in models.by_name.values() if s.model.failure]
    for failure in failed:
        say(failure)
    return 1 if failed else 0


def check_admin_token(admin: str, host: str, say: Callable[[str], None]) -> None:
    """Refuse a token that is easily guessed where others can try; elsewhere say that it is."""
    if len(admin) >= SHORTEST_TOKEN:
        return
    what = (
        f"ONSTREAM_ADMIN_TOKEN has {len(admin)} characters, which can be guessed; at least "
        f"{SHORTEST_TOKEN} are safe, such as those of `openssl rand -base64 24`."
    )
    if not is_loopback(host):
        raise ValueError(f"onstream: {what} {host} can be reached by others.")
    say(f"Warning: {what}")


def bound(host: str, port: int) -> list[socket.socket]:
    """Sockets at all addresses of a name; nobody can connect to them yet."""
    sockets: list[socket.socket] = []
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, kind, protocol, _, address in dict.fromkeys(found):
            one = socket.socket(family, kind, protocol)
            sockets.append(one)
            if os.name == "posix":
                one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            try:
                one.bind(address)
            except OSError as error:
                if error.errno != errno.EADDRNOTAVAIL or len(found) == 1:
                    raise
                sockets.pop().close()  # such as ::1 of localhost, on a machine without IPv6
        if not sockets:
            raise OSError(errno.EADDRNOTAVAIL, os.strerror(errno.EADDRNOTAVAIL))
    except OSError as error:
        for one in sockets:
            one.close()
        raise ValueError(
            f"onstream: {host}:{port} cannot be listened at: {error.strerror or error}. "
            f"Choose another --port, or --host."
        ) from None
    return sockets


def new_loop() -> asyncio.AbstractEventLoop:
    """Uvloop's loop, if it is there: Uvicorn sees to that only where it starts the loop itself."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def make_service(
    store: Path,
    host: str,
    say: Callable[[str], None],
    admin: str | None,
    allow_hosts: list[str],
    rate: float,
    options: dict[str, Any],
) -> Any:
    """The application over a store, with every model replayed."""
    from .app import Service
    from .models import Models
    from .tokens import Tokens

    tokens = Tokens(store, admin, rate)
    if tokens.made:
        say(f"Admin token (shown this once): {tokens.made}")
    options = {"label_ttl": 3600.0, "label_cap": 50_000, **options}
    models = Models(store, reporter(say), **options)
    for served in models.by_name.values():
        for what in served.model.damaged:
            say(f"{served.name}: a snapshot was left aside: {what}")
    hosts = {*LOOPBACK, host.lower(), *(one.lower() for one in allow_hosts)}
    return Service(models, tokens, hosts, open_metrics=is_loopback(host))


@contextlib.contextmanager
def locked(store: Path) -> Iterator[None]:
    """Keep other services out of a store; the system lets go of it whatever happens."""
    with open(store / "lock", "a") as file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StoreError(f"{store}: another service uses this store.") from None
        yield


async def run(
    server: Any, sockets: list[socket.socket], service: Any, say: Callable[[str], None], host: str
) -> None:
    """Answer until a signal comes, or a log has failed and the time of grace is over."""
    watcher = asyncio.create_task(watch(server, service, say, host))
    await server.serve(sockets)
    watcher.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await watcher


async def watch(server: Any, service: Any, say: Callable[[str], None], host: str) -> None:
    """Say when it is ready; end it when a log has failed."""
    while not server.started:
        await asyncio.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    n = len(service.models.by_name)
    say(f"onstream serves {n} model{'s' * (n != 1)} at http://{host}:{port}")
    failed_at = None
    while True:
        service.draining = server.should_exit
        await asyncio.sleep(0.1)
        if any(s.model.failure for s in service.models.by_name.values()):
            failed_at = failed_at or time.monotonic()
            if time.monotonic() - failed_at > GRACE:
                server.should_exit = True


def reporter(say: Callable[[str], None]) -> Callable[[str, int, int], None]:
    """Progress of long replays, every other second."""
    last = time.monotonic()

    def progress(name: str, seq: int, to: int) -> None:
        nonlocal last
        if time.monotonic() - last > 2.0:
            last = time.monotonic()
            say(f"{name}: replayed to {seq:,} of {to:,}")

    return progress


def set_logs(store: Path, access_log: bool) -> None:
    """The audit log goes to a file of the store, the access log to stderr if wanted."""
    audit = logging.getLogger("onstream.serve.audit")
    audit.setLevel(logging.INFO)
    audit.propagate = False
    file = logging.handlers.RotatingFileHandler(
        store / "audit.log", maxBytes=AUDIT_BYTES, backupCount=AUDIT_FILES, encoding="utf-8"
    )
    lines = logging.Formatter("%(asctime)s.%(msecs)03dZ %(message)s", "%Y-%m-%dT%H:%M:%S")
    lines.converter = time.gmtime
    file.setFormatter(lines)
    logging.raiseExceptions = False  # a full disk stops no request, and needs no traceback
    audit.addHandler(file)
    access = logging.getLogger("onstream.serve.access")
    access.setLevel(logging.INFO if access_log else logging.WARNING)
    if access_log:
        access.addHandler(logging.StreamHandler())


def protocol() -> Any:
    """Our connections over Uvicorn's fast protocol, if it is there."""
    try:
        from .connection import Connection
    except ImportError:
        return "auto"
    return Connection
