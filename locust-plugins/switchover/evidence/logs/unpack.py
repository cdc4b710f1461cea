"""Decompress logs. The compression (gzip, zstd or none) is detected from the content of the file.

A damaged file is read up to the damage. A log with a damaged file is not reliable.
"""

import gzip
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from switchover.evidence.logs.account import Account
from switchover.model.errors import RunDirectoryError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

HEAD = 4096

GROWTH = 10
"""The usual ratio of a log's uncompressed size to its compressed size."""
GROWTH_LIMIT = 200
"""The highest accepted ratio of the uncompressed size to the compressed size. Each line of a log has a different
time, so a log does not reach this ratio."""
SMALL = 64 << 20
"""Files up to this uncompressed size, in bytes, are accepted at any ratio."""
PIECE = 1 << 16
"""Bytes per read. If a file is damaged, the damaged block and at most this many bytes of text before the damage are
lost."""


def _read_zstd(path: Path) -> Iterator[bytes]:
    """Yield the text of all frames. `zstd.open` would silently skip damaged data after the first frame."""
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


def _find_compression(head: bytes) -> str | None:
    return next((name for name, (magic, _) in _FORMATS.items() if head.startswith(magic)), None)


def head_of(path: Path) -> bytes:
    """Return the first bytes of a file."""
    try:
        with path.open("rb") as file:
            return file.read(HEAD)
    except OSError as error:
        raise RunDirectoryError(f"cannot read {path}: {error.strerror or error}") from error


def is_compressed(path: Path) -> bool:
    with suppress(RunDirectoryError):
        return _find_compression(head_of(path)) is not None
    return False


def unpack(path: Path, folder: Path, account: Account) -> Path:
    """Return a log as text: the file itself, or an uncompressed copy in a subfolder of `folder`."""
    compression = _find_compression(head_of(path))
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
        reason = "it is cut off" if isinstance(error, EOFError) else str(error)
        account.damage.append(f"{path.name}: the {compression} file is damaged ({reason}): the rest is missing")


def _write(pieces: Iterable[bytes], folder: Path, path: Path) -> Path:
    """Write the uncompressed text to a file in `folder`. The file has the name of the log, because messages contain
    the name."""
    folder.mkdir()
    limit, written = max(SMALL, GROWTH_LIMIT * path.stat().st_size), 0
    with (folder / path.name).open("wb") as out:
        for piece in pieces:
            written += len(piece)
            if written > limit:
                raise RunDirectoryError(f"{path} is not a compressed log: it has more than {limit:,} bytes of text")
            out.write(piece)
    return folder / path.name
