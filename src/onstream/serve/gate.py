"""A lock that is handed on: who has just let go of it cannot take it again before who waits."""

import threading


class Gate:
    """Whoever waits stands in the door, and nobody passes there.

    A plain lock goes to whoever is quickest, which is the thread that runs, not the one that
    sleeps: a prediction could wait for many slices of learning. Here it waits for one.
    """

    __slots__ = ("_door", "_room")

    def __init__(self) -> None:
        self._door, self._room = threading.Lock(), threading.Lock()

    def enter(self, seconds: float = -1.0) -> bool:
        """Go in, or not if that takes longer than this."""
        if not self._door.acquire(timeout=seconds):
            return False
        try:
            return self._room.acquire(timeout=seconds)
        finally:
            self._door.release()

    def is_free(self) -> bool:
        """Say whether nobody is in, or stands in the door, at this moment."""
        return not (self._door.locked() or self._room.locked())

    def leave(self) -> None:
        """Go out."""
        self._room.release()

    def __enter__(self) -> None:
        self.enter()

    def __exit__(self, *_: object) -> None:
        self.leave()
