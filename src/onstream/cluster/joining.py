"""Joining a cluster that is named: one that does not answer is an error within seconds.

See docs/decisions.md#silent-clusters.
"""

import os
import socket
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

PATIENCE = 5.0  # seconds for a machine to answer
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + b"\x04" + bytes(5)
SETTINGS = 4  # kind of the frame that whoever speaks gRPC answers first, in its byte 3


def join_ray(ray: Any, who: str) -> bool:
    """Join the cluster that is named, or start Ray here, unless that has been done.

    True: it was done here, so it is to be shut down here.
    """
    if ray.is_initialized():
        return False
    address, named_by, remedy = named_ray()
    if address:
        reason = silence(address, greeting=not os.environ.get("RAY_USE_TLS"))
        if reason:
            raise ConnectionError(
                f"{who}: no Ray cluster answers at {address!r:.80}, which {named_by} names: "
                f"{reason}. Start one there (ray start --head), or {remedy} to run on this machine."
            )
    try:
        ray.init(include_dashboard=False, log_to_driver=False, logging_level="error")
    except Exception as error:
        if not address:
            raise
        raise ConnectionError(
            f"{who}: the Ray cluster at {address!r:.80}, which {named_by} names, cannot be "
            f"joined: {' '.join(str(error).split()):.300}"
        ) from None
    return True


def named_ray() -> tuple[str, str, str]:
    """The address that Ray will join, who names it, and how to be rid of it; "": none."""
    address = os.environ.get("RAY_ADDRESS", "")
    if address not in ("", "auto"):
        return "" if address == "local" else address, "RAY_ADDRESS", "unset RAY_ADDRESS"
    file = Path(tempfile.gettempdir(), "ray", "ray_current_cluster")  # of the last `ray start`
    with suppress(OSError):
        return file.read_text().strip(), str(file), "remove this file (ray stop)"
    return "", "", ""


def new_session() -> Any:
    """A Spark session with the master that is named (spark-submit, spark-defaults.conf)."""
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    SparkContext._ensure_initialized()  # what is named is known to Spark's Java side
    master = SparkConf().get("spark.master", "") or ""
    reasons = [silence(one, greeting=False) for one in masters(master)]
    if reasons and all(reasons):
        raise ConnectionError(
            f"train: no Spark master answers at {master!r:.80}: {reasons[0]}. Start one there, or "
            f"name another one (--master, spark.master)."
        )
    build = SparkSession.builder.appName("onstream").config("spark.ui.enabled", "false")
    try:
        return build.getOrCreate()
    except Exception as error:
        raise ConnectionError(
            f"train: no Spark session could be had from {master or 'here'!r:.80}: "
            f"{' '.join(str(error).split()):.300}"
        ) from None


def masters(named: str) -> list[str]:
    """The addresses in "spark://one:7077,two:7077", of which one leads; [] for other managers."""
    scheme, found, places = named.partition("://")
    return (
        [f"spark://{place}" for place in places.split(",")] if found and scheme == "spark" else []
    )


def silence(address: str, greeting: bool) -> str:
    """Why nobody is to be reached at "host:port"; "": somebody is, or it is no such address.

    With a greeting, whoever is there must speak HTTP/2, as gRPC does.
    """
    try:
        parts = urlsplit(address if "://" in address else f"//{address}")
        place = parts.hostname, parts.port
    except ValueError:
        return ""
    if parts.scheme not in ("", "ray", "spark") or None in place:
        return ""  # it will be refused in words of its own
    try:
        with socket.create_connection(place, PATIENCE) as line:
            if greeting:
                line.sendall(GREETING)
                if beginning(line, 4)[3:] != bytes([SETTINGS]):
                    return "what listens there is not Ray"
    except TimeoutError:
        return f"no answer within {PATIENCE:g} s"
    except UnicodeError:  # of the name, before anybody is asked about it
        return "this is no name of a machine (parts between dots have 1 to 63 characters)"
    except OSError as error:
        return error.strerror or str(error)
    return ""


def beginning(line: socket.socket, n: int) -> bytes:
    """The first n bytes that come, fewer if no more do: they may arrive in pieces."""
    got = b""
    while len(got) < n and (more := line.recv(n - len(got))):
        got += more
    return got
