"""Decompress logs. The content of a file shows its compression. A damaged file is read up to the damage."""

import gzip
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from switchover.evidence.logs.format import Account
from switchover.model.errors import RunDirectoryError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

GROWTH = 10
"""The usual ratio of a log's uncompressed size to its compressed size."""
GROWTH_LIMIT = 200
"""The highest accepted ratio of uncompressed to compressed size. A log stays below this ratio, because each line has
a different time."""
SMALL = 64 << 20
"""Files up to this uncompressed size, in bytes, are accepted at any ratio."""
PIECE = 1 << 16
"""The number of bytes per read. Damage in a file causes the loss of at most this number of bytes of readable text."""


def _read_zstd(path: Path) -> Iterator[bytes]:
    """Yield the text of all frames of a zstd file. `zstd.open` would silently skip damaged data after the first
    frame."""
    with path.open("rb") as packed:
        data = packed.read(PIECE)
        while data:
            frame = zstd.ZstdDecompressor()
            while not frame.eof:
                if frame.needs_input:
                    data = data or packed.read(PIECE)
                    if not data:
                        raise EOFError
                yield frame.decompress(data, PIECE)
                data = b""
            data = frame.unused_data or packed.read(PIECE)


def _read_gzip(path: Path) -> Iterator[bytes]:
    with gzip.open(path) as text:
        while piece := text.read1(PIECE):
            yield piece


_FORMATS: dict[str, tuple[bytes, Callable[[Path], Iterator[bytes]]]] = {
    "gzip": (b"\x1f\x8b\x08", _read_gzip),
    "zstd": (b"\x28\xb5\x2f\xfd", _read_zstd),
}
"""The first bytes of each compressed format, and the function that reads such a file."""


def find_compression(path: Path) -> str | None:
    """Return the name of the compression; None for a text."""
    try:
        with path.open("rb") as file:
            head = file.read(4)
    except OSError as error:
        raise RunDirectoryError(f"cannot read {path}: {error.strerror or error}") from error
    return next((name for name, (magic, _) in _FORMATS.items() if head.startswith(magic)), None)


def unpack(path: Path, folder: Path, account: Account) -> Path:
    """Return a log as text: the file itself, or an uncompressed copy in a subfolder of `folder`."""
    compression = find_compression(path)
    if compression is None:
        return path
    text = _write(_read_to_damage(path, compression, account), folder / "unpacked", path)
    if account.damage and not text.stat().st_size:
        raise RunDirectoryError(f"cannot read {path}: {account.damage[-1]}")
    return text


def _read_to_damage(path: Path, compression: str, account: Account) -> Iterator[bytes]:
    try:
        yield from _FORMATS[compression][1](path)
    except Exception as error:  # the type of the error depends on the compression format
        reason = "the file is cut off" if isinstance(error, EOFError) else str(error)
        account.damage.append(f"{path.name}: the {compression} file is damaged ({reason}): the rest is missing")


def _write(pieces: Iterable[bytes], folder: Path, path: Path) -> Path:
    """Write the uncompressed text to a file in `folder`. The file has the name of the log, because messages contain
    this name."""
    folder.mkdir()
    limit, written = max(SMALL, GROWTH_LIMIT * path.stat().st_size), 0
    with (folder / path.name).open("wb") as out:
        for piece in pieces:
            written += len(piece)
            if written > limit:
                raise RunDirectoryError(f"{path} is not a compressed log: it has more than {limit:,} bytes of text")
            out.write(piece)
    return folder / path.name
