"""The seal of a file of the run directory: how long it was when it was closed, and a checksum of each of its blocks.

The process that writes a file tells its seal at the end, and `run.json` keeps it. A seal covers the stretch that one
writer appended, so a file that was opened again has several, one behind the other. What was killed leaves no seal.
"""

import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from switchover.model.errors import RunDirectoryError
from switchover.rundir.atomic_file import open_regular

BLOCK = 64 * 1024
"""Bytes that have one checksum: as near as a damaged file can say where it is damaged."""
DIGITS = 8
"""Hexadecimal digits of a checksum (CRC-32, as zlib and java.util.zip compute it)."""


@dataclass(frozen=True, slots=True)
class Seal:
    """What one writer appended to a file."""

    from_byte: int
    nbytes: int
    checksums: tuple[int, ...]
    """Of each block, counted from `from_byte`; the last block may be shorter."""

    def facts(self) -> dict[str, Any]:
        """As `run.json` keeps it."""
        digits = "".join(f"{checksum:0{DIGITS}x}" for checksum in self.checksums)
        return {"from_byte": self.from_byte, "bytes": self.nbytes, "crc32": digits}


Seals = dict[str, list[dict[str, Any]]]
"""By the name of the file, the seals of its stretches in their order, as `run.json` has them."""


class Sealer:
    """Makes the seal of what is appended from a place of a file on."""

    __slots__ = ("_checksum", "_checksums", "_from_byte", "_in_block", "_nbytes")

    def __init__(self, from_byte: int = 0) -> None:
        self._from_byte = from_byte
        self._nbytes = 0
        self._checksums = array("I")
        """Four bytes each: a list of numbers would take ten times as much, and a run of days has many."""
        self._checksum = 0
        self._in_block = 0

    def add(self, data: bytes) -> None:
        """Take what now stands behind the rest."""
        self._nbytes += len(data)
        if self._in_block + len(data) < BLOCK:  # nearly all of them: no copy is made
            self._checksum = zlib.crc32(data, self._checksum)
            self._in_block += len(data)
            return
        view = memoryview(data)
        while len(view):
            piece = view[: BLOCK - self._in_block]
            self._checksum = zlib.crc32(piece, self._checksum)
            self._in_block += len(piece)
            view = view[len(piece) :]
            if self._in_block == BLOCK:
                self._checksums.append(self._checksum)
                self._checksum = self._in_block = 0

    def seal(self) -> Seal:
        """Of all that was taken so far."""
        last = (self._checksum,) if self._in_block else ()
        return Seal(self._from_byte, self._nbytes, (*self._checksums, *last))


def seal_file(path: Path) -> Seal:
    """Of a file that is whole now."""
    sealer = Sealer()
    for piece in read_pieces(path):
        sealer.add(piece)
    return sealer.seal()


def read_pieces(path: Path) -> Iterator[bytes]:
    """The bytes of a file, a block at a time."""
    try:
        with open_regular(path) as file:
            while piece := file.read(BLOCK):
                yield piece
    except OSError as error:
        raise RunDirectoryError(f"cannot read {path}: {error.strerror}") from error


def read_seals(values: object) -> list[Seal]:
    """The seals of one file out of `run.json`. ValueError where they are none."""
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise ValueError("the seals of a file are a list")
    return [_read_seal(value) for value in values]


def _read_seal(value: object) -> Seal:
    if not isinstance(value, Mapping):
        raise ValueError("a seal is an object")
    from_byte, nbytes, digits = _count(value.get("from_byte")), _count(value.get("bytes")), value.get("crc32")
    if not isinstance(digits, str):
        raise ValueError("a seal has checksums")
    if len(digits) != DIGITS * -(-nbytes // BLOCK):
        raise ValueError("a seal has one checksum for each block")
    checksums = tuple(int(digits[at : at + DIGITS], 16) for at in range(0, len(digits), DIGITS))
    return Seal(from_byte, nbytes, checksums)


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError("a seal says from which byte it goes, and over how many")
    return value


@dataclass(frozen=True, slots=True)
class Damage:
    """A file that is not as it was when it was closed."""

    name: str
    from_byte: int
    """Up to here it is as it was."""
    to_byte: int
    """The end of the first damaged block, or of what is missing."""
    is_cut: bool = False
    """It ends at `from_byte`."""

    @property
    def text(self) -> str:
        if self.is_cut:
            return f"{self.name} was cut off: of {self.to_byte:,} bytes the first {self.from_byte:,} are here"
        return f"{self.name} is damaged between byte {self.from_byte:,} and {self.to_byte:,}"


def find_damage(name: str, pieces: Iterable[bytes], seals: Sequence[Seal], *, may_grow: bool) -> Damage | None:
    """The first place at which a file differs from its seals. `may_grow`: others may have written behind them."""
    reader = _Blocks(iter(pieces))
    at = 0
    for seal in sorted(seals, key=lambda seal: seal.from_byte):
        if seal.from_byte != at:
            return Damage(name, at, seal.from_byte)
        for number, checksum in enumerate(seal.checksums):
            length = min(BLOCK, seal.nbytes - number * BLOCK)
            block = reader.read(length)
            if len(block) < length:
                end = max(one.from_byte + one.nbytes for one in seals)
                return Damage(name, at + len(block), end, is_cut=True)
            if zlib.crc32(block) != checksum:
                return Damage(name, at, at + length)
            at += length
    if not may_grow and (rest := reader.count_rest()):
        return Damage(name, at, at + rest)
    return None


class _Blocks:
    """Reads pieces of any length as blocks of the wanted one."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._waiting = b""

    def read(self, length: int) -> bytes:
        """Fewer bytes only at the end."""
        while len(self._waiting) < length:
            piece = next(self._pieces, None)
            if piece is None:
                break
            self._waiting += piece
        found, self._waiting = self._waiting[:length], self._waiting[length:]
        return found

    def count_rest(self) -> int:
        return len(self._waiting) + sum(len(piece) for piece in self._pieces)
