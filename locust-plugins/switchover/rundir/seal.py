"""The seal of a file of the run directory: the length and the checksum when the writer closed the file. A seal covers
the bytes of one writer. A killed process leaves no seal. A file that does not match its seal is not used."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, BinaryIO

from msgspec import Meta, ValidationError, convert

from switchover.rundir.atomic_file import explain_os_errors, open_regular

PIECE = 64 * 1024
"""The size of a piece in bytes. Seals of JMeter and of earlier versions have one checksum for each piece."""
DIGITS = 8
"""The number of hexadecimal digits of a CRC-32."""
CHANGED = "does not match its checksum in run.json"
Size = Annotated[int, Meta(ge=0)]


@dataclass(frozen=True, slots=True)
class Seal:
    """The bytes that one writer appended to a file, as in `run.json`."""

    from_byte: Size
    bytes: Size
    crc32: Annotated[str, Meta(pattern="^([0-9a-f]{8})*$")]
    """One checksum of all bytes, or one checksum for each piece."""


Seals = dict[str, list[dict[str, Any]]]
"""The seals of each file, in the order of its writers, as in `run.json`. The key is the name of the file."""


@dataclass(slots=True)
class Sealer:
    """Computes the seal of the bytes that a writer appends to a file from a given position."""

    _from_byte: int = 0
    _nbytes: int = 0
    _checksum: int = 0

    def add(self, data: bytes) -> None:
        self._nbytes += len(data)
        self._checksum = zlib.crc32(data, self._checksum)

    def seal(self) -> Seal:
        """Return the seal of all bytes added so far."""
        return Seal(self._from_byte, self._nbytes, f"{self._checksum:08x}" if self._nbytes else "")


def seal_file(path: Path) -> Seal:
    """Return the seal of a complete file. Raises RunDirectoryError if the file cannot be read."""
    sealer = Sealer()
    with explain_os_errors(f"cannot read {path}"), open_regular(path) as file:
        while piece := file.read(PIECE):
            sealer.add(piece)
    return sealer.seal()


def read_seals(values: object) -> list[Seal]:
    """Return the seals of one file in `run.json`. Raises ValueError if the seals are invalid."""
    try:
        return convert(values, list[Seal])
    except ValidationError as error:
        raise ValueError(str(error)) from error


def is_as_sealed(path: Path, seals: Sequence[Seal], *, may_grow: bool) -> bool:
    """Return True if a file matches its seals. `may_grow`: bytes after the sealed bytes are accepted."""
    with explain_os_errors(f"cannot read {path}"), open_regular(path) as file:
        for seal in sorted(seals, key=lambda seal: seal.from_byte):
            if seal.from_byte != file.tell() or not _matches(file, seal):
                return False
        return may_grow or not file.read(1)


def _matches(file: BinaryIO, seal: Seal) -> bool:
    checksums = [seal.crc32[at : at + DIGITS] for at in range(0, len(seal.crc32), DIGITS)]
    size, remaining = seal.bytes if len(checksums) == 1 else PIECE, seal.bytes
    for checksum in checksums:
        sealer, end = Sealer(), remaining - min(size, remaining)
        while piece := file.read(min(PIECE, remaining - end)):
            sealer.add(piece)
            remaining -= len(piece)
        if sealer.seal().crc32 != checksum:
            return False
    return not remaining
