"""Who may do what: bearer tokens with scopes. The store keeps their SHA-256 only."""

import hashlib
import hmac
import os
import secrets
import time
from pathlib import Path
from typing import Any

import msgspec

from .example import Conflict
from .log import StoreError, sync_folder

SCOPES = ("predict", "learn", "admin")


class Token(msgspec.Struct):
    """What is kept of a token."""

    name: str
    scopes: list[str]
    sha256: str


class Bucket:
    """How many requests a token may still make: those of a second at once, at least one."""

    def __init__(self, rate: float) -> None:
        self.rate, self.most = rate, max(1.0, rate)
        self.left, self.at = self.most, time.monotonic()

    def take(self) -> bool:
        """Take one, if there is one left."""
        now = time.monotonic()
        self.left = min(self.most, self.left + (now - self.at) * self.rate)
        self.at = now
        if self.left < 1.0:
            return False  # and what it has saved up stays: who asks too often gets its rate
        self.left -= 1.0
        return True


class Tokens:
    """The tokens of a store."""

    def __init__(self, folder: Path, admin: str | None, rate: float) -> None:
        self.path, self.rate = folder / "tokens.json", rate
        self.made: str | None = None  # a new admin token, to be shown once
        self.kept: list[Token] = []
        if self.path.exists():
            try:
                self.kept = msgspec.json.decode(self.path.read_bytes(), type=list[Token])
            except msgspec.DecodeError as error:
                raise StoreError(
                    f"{self.path}: the tokens cannot be read: {error}. Put back a copy, or remove "
                    f"the file to make a new admin token."
                ) from None
        elif admin is None:
            self.made = self.make("admin", ["admin"])
        self.admin = None if admin is None else Token("admin", ["admin"], digest(admin))
        self.buckets: dict[str, Bucket] = {}

    def make(self, name: str, scopes: list[str]) -> str:
        """Make a token; only its sum is kept. One that is there is not replaced."""
        if any(one.name == name for one in self.kept):
            raise Conflict(f"there is a token {name!r:.80}", "name", "DELETE it first.")
        text = secrets.token_urlsafe(32)
        self.write([*self.kept, Token(name, scopes, digest(text))])
        return text

    def remove(self, name: str) -> bool:
        """Remove a token by its name, but not the last one that may make others."""
        left = [one for one in self.kept if one.name != name]
        if len(left) == len(self.kept):
            return False
        had = any("admin" in one.scopes for one in self.kept)
        if had and self.admin is None and not any("admin" in one.scopes for one in left):
            raise Conflict(
                f"nobody else has the scope admin but {name!r:.80}", "name",
                "Make another admin token first, or start the service with ONSTREAM_ADMIN_TOKEN.",
            )  # fmt: skip
        self.write(left)
        return True

    def write(self, tokens: list[Token]) -> None:
        """Replace the file, which only its owner may read, and then what is known here."""
        scratch = self.path.with_suffix(".tmp")
        handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.json.encode(tokens))
            file.flush()
            os.fsync(file.fileno())
        os.replace(scratch, self.path)
        sync_folder(self.path.parent)
        self.kept = tokens

    def find(self, header: bytes | None) -> Token | None:
        """The token of an authorization header, compared in constant time with each."""
        if header is None or header[:7].lower() != b"bearer ":
            return None
        given = hashlib.sha256(header[7:].strip()).hexdigest()
        found = None
        for one in (*self.kept, *((self.admin,) if self.admin else ())):
            if hmac.compare_digest(one.sha256, given):
                found = one
        return found

    def may_ask(self, token: Token) -> bool:
        """Say whether a token is within its rate."""
        bucket = self.buckets.get(token.sha256)
        if bucket is None:
            bucket = self.buckets[token.sha256] = Bucket(self.rate)
        return bucket.take()

    def give_back(self, token: Token) -> None:
        """A request begins anew, and asks again."""
        self.buckets[token.sha256].left += 1.0


def digest(text: str) -> str:
    """The sum by which a token is known."""
    return hashlib.sha256(text.encode()).hexdigest()


def allows(token: Token, scope: str) -> bool:
    """Say whether a token has a scope; admin has all."""
    return scope in token.scopes or "admin" in token.scopes


def public(token: Token) -> dict[str, Any]:
    """A token without its sum."""
    return {"name": token.name, "scopes": token.scopes}
