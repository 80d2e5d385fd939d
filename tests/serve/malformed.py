"""Malformed requests, made from good ones; `python -m tests.serve.torture malformed` sends 10^5."""

import http.client
import json
import random
from collections import Counter
from typing import Any

GOOD = {"examples": [{"x": {"a": 1.0, "b": "text"}, "y": 1, "id": "i", "source": "s"}]}
ODD: list[Any] = [
    None, True, -1, 1e308, "", "x" * 300, [], {}, [[]], {"a": {}}, 2**70, "\0", "\ud800", [1] * 50
]  # fmt: skip


def spoil(rng: random.Random, verb: str) -> bytes:
    """A body that no verb can take: broken as bytes, or with something wrong in its place."""
    text = json.dumps(GOOD).encode()
    kind = rng.randrange(4)
    if kind == 0:
        return text[: rng.randrange(len(text))]
    if kind == 1:
        at = rng.randrange(len(text))
        return (
            text[:at] + bytes([rng.choice(b'\xff\x00{["')]) * rng.randint(1, 3) + text[at:] + b"]"
        )
    if kind == 2:
        return bytes(rng.randrange(128, 256) for _ in range(rng.randint(1, 200)))
    odd = rng.choice(ODD)
    place = rng.randrange(4)
    example = {"x": {"a": 1.0}, "y": 1, "unknown": odd}
    spoilt: Any = [
        {"examples": [example]}, {"examples": odd if odd != [] else 1}, odd, {"exampels": [odd]}
    ][place]  # fmt: skip
    if spoilt == {"examples": {}} or spoilt == GOOD:
        spoilt = None
    return json.dumps(spoilt).encode()


def attack(port: int, token: str, model: str, n: int, seed: int) -> Counter[int]:
    """Send so many; how many answers had which status. A lost connection counts as 599."""
    rng = random.Random(seed)
    statuses: Counter[int] = Counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    verbs = ["learn", "predict", "label", "rollback", "replay"]
    for _ in range(n):
        verb = rng.choice(verbs)
        headers = {"Authorization": f"Bearer {token}"}
        if rng.random() < 0.2:
            headers["Content-Type"] = rng.choice(
                ["text/html", "application/x-ndjson", "application/vnd.apache.arrow.stream", ";;"]
            )
        if rng.random() < 0.1:
            headers["Content-Encoding"] = rng.choice(["gzip", "br", "deflate", "\u00e4"])
        try:
            connection.request("POST", f"{model}/{verb}", spoil(rng, verb), headers)
            answer = connection.getresponse()
            answer.read()
            statuses[answer.status] += 1
        except (OSError, http.client.HTTPException):
            statuses[599] += 1
            connection.close()
    connection.close()
    return statuses
