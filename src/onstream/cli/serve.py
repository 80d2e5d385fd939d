"""`onstream serve`: models behind HTTP that keep what they acknowledged."""

from pathlib import Path
from typing import Annotated

import typer

from .console import remark


def serve(
    store: Annotated[Path, typer.Option("--store", help="The folder that holds the models.")],
    port: Annotated[int, typer.Option(help="0: any that is free.", min=0, max=65535)] = 8321,
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="Another name it may be addressed by; repeat it."),
    ] = None,
    rate: Annotated[
        float, typer.Option(help="Requests per second for each token.", min=0.1)
    ] = 20_000.0,
    snapshot_every: Annotated[
        int, typer.Option("--every", help="Examples between snapshots.", min=1)
    ] = 100_000,
    snapshot_seconds: Annotated[
        float, typer.Option("--seconds", help="Seconds between snapshots.", min=0.1)
    ] = 300.0,
    window: Annotated[int, typer.Option(help="Examples and ids that are kept.", min=0)] = 1_000_000,
    memory: Annotated[int, typer.Option(help="MB that each model may take.", min=1)] = 1024,
    label_ttl: Annotated[
        float, typer.Option(help="Seconds for which a predict waits for its label.", min=0)
    ] = 3600.0,
    label_cap: Annotated[
        int, typer.Option(help="Predicts of a model that wait for a label.", min=0)
    ] = 50_000,
    access_log: Annotated[bool, typer.Option("--verbose", help="Show every request.")] = False,
) -> None:
    """Serve models over HTTP: what is acknowledged survives, ids are learned once.

    SIGTERM and Ctrl-C finish what was begun, write snapshots and end with 0.

    The admin token is ONSTREAM_ADMIN_TOKEN, or one made and shown at first start.

    \b
    onstream serve --store models --port 8321
    """
    from ..serve.log import StoreError
    from ..serve.server import serve as run

    try:
        code = run(
            store, host, port, remark, allow_hosts=allow_host, rate=rate, access_log=access_log,
            snapshot_every=snapshot_every, snapshot_seconds=snapshot_seconds, window=window,
            max_memory=memory << 20, label_ttl=label_ttl, label_cap=label_cap,
        )  # fmt: skip
    except StoreError as error:
        raise ValueError(f"onstream: {error}") from None
    raise typer.Exit(code)
