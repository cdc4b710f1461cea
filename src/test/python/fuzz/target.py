"""What is fuzzed: a function of bytes, and what it may raise."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from switchover.model.errors import SwitchoverError


@dataclass(frozen=True, slots=True)
class Target:
    """A reader of what others write."""

    read: Callable[[bytes], object]
    refuses_by: tuple[type[Exception], ...] = (SwitchoverError,)
    """Anything else that it raises is a defect."""
    longest: int = 4096
    """Bytes of an input."""

    def try_on(self, data: bytes) -> None:
        """Raises what the reader must not."""
        try:
            self.read(data)
        except self.refuses_by:
            return


@cache
def folder() -> Path:
    """Of this process, in memory where the system has such a place."""
    memory = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix="switchover-fuzz-", dir=memory if memory.is_dir() else None))


def file_of(data: bytes, name: str) -> Path:
    path = folder() / name
    path.write_bytes(data)
    return path


def in_pieces(data: bytes) -> list[bytes]:
    """Cut as the first byte says: a socket gives any portions."""
    size = data[0] if data else 0
    rest = data[1:]
    return [rest[at : at + size] for at in range(0, len(rest), size)] if size else [rest]
