"""Logs that are compressed or in another encoding, as plain text: found by their content, never by their name.

What is damaged loses nothing that could be read before the damage, and the damage is a reason not to trust the log.
"""

import bz2
import codecs
import errno
import lzma
import re
import shutil
import sys
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Protocol

from switchover.analysis.logs.account import Account
from switchover.model.errors import RunDirectoryError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

GZIP_MAGIC, ZSTD_MAGIC, XZ_MAGIC, BZIP2_MAGIC = b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\x00", b"BZh"
ZIP_MAGIC, PARQUET_MAGIC, TAR_MAGIC = b"PK\x03\x04", b"PAR1", b"ustar"
SKIPPED_FRAME = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")
"""Of zstd (RFC 8878 section 3.1.2): pzstd begins each frame with one, and the seekable format ends with one."""
TAR_MAGIC_AT = 257
HEAD = 4096

GROWTH = 10
"""How much larger than a compressed log its text is, about."""
GROWTH_LIMIT = 200
"""A sample log has new times in each line: none is compressed as well as this."""
SMALL = 64 << 20
"""Bytes that any compressed file may grow to."""
ROOM_LEFT = 256 << 20
"""Bytes that are left free in the temporary folder."""
_PIECE = 1 << 18
_PIECES = {"gzip": _PIECE, "zstd": 1 << 12, "xz": 1 << 12, "bzip2": 1 << 6}
"""Bytes that are unpacked together: each may become some 100 MB, for all but gzip can say much with a few bytes."""
_MAGIC_BYTES = 4


class Decompressor(Protocol):
    """As bz2, lzma and zstd have it: one member of a compressed file."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


class GzipMember:
    """One member of a gzip file; a wrong checksum is told when all of its text has been given."""

    def __init__(self) -> None:
        self._raw = zlib.decompressobj(-zlib.MAX_WBITS)
        self._head = b""
        self._begun = False
        self._checksum = 0
        self._trailer = b""
        self.unused_data = b""
        self.is_sound = True
        self.damage = ""
        """What is wrong with its data; nothing more can be read then."""

    @property
    def eof(self) -> bool:
        return self._raw.eof and len(self._trailer) == 8

    def decompress(self, data: bytes, /) -> bytes:
        """The text of these bytes, as far as they are sound."""
        if not self._begun:
            self._head += data
            end = _end_of_gzip_header(self._head)
            if end is None:
                return b""
            data, self._begun = self._head[end:], True
        text = b""
        if not self._raw.eof:
            text = self._inflate(data)
            data = self._raw.unused_data
            self._checksum = zlib.crc32(text, self._checksum)
        if self._raw.eof:
            missing = 8 - len(self._trailer)
            self._trailer, self.unused_data = self._trailer + data[:missing], data[missing:]
            if self.eof:
                self.is_sound = int.from_bytes(self._trailer[:4], "little") == self._checksum
        return text

    def _inflate(self, data: bytes) -> bytes:
        before = self._raw.copy()
        try:
            return self._raw.decompress(data)
        except zlib.error as error:
            # What comes before the damaged byte is sound.
            self.damage = str(error)
            found = bytearray()
            with suppress(zlib.error):
                for place in range(len(data)):
                    found += before.decompress(data[place : place + 1])
            return bytes(found)


def _end_of_gzip_header(head: bytes) -> int | None:
    """Where the data begins (RFC 1952 section 2.3); None where the header is not yet here."""
    if len(head) < 10:
        return None
    flags, end = head[3], 10
    if flags & 4:
        end += 2 + int.from_bytes(head[end : end + 2], "little")
    for flag in (8, 16):  # file name, comment
        if flags & flag:
            closed = head.find(b"\0", end)
            if closed == -1:
                return None
            end = closed + 1
    if flags & 2:
        end += 2
    return end if len(head) >= end else None


_MAGICS = {GZIP_MAGIC: "gzip", ZSTD_MAGIC: "zstd", XZ_MAGIC: "xz", BZIP2_MAGIC: "bzip2"}
_MEMBERS: dict[str, Callable[[], Decompressor]] = {
    "gzip": GzipMember,
    "zstd": zstd.ZstdDecompressor,
    "xz": lzma.LZMADecompressor,
    "bzip2": bz2.BZ2Decompressor,
}


def _kind_of(head: bytes) -> str | None:
    """How a file that begins so is compressed."""
    if SKIPPED_FRAME.match(head):
        return "zstd"
    return next((kind for magic, kind in _MAGICS.items() if head.startswith(magic)), None)


def head_of(path: Path) -> bytes:
    """The first bytes of a file."""
    try:
        with path.open("rb") as file:
            return file.read(HEAD)
    except OSError as error:
        raise RunDirectoryError(f"cannot read {path}: {error.strerror or error}") from error


def is_compressed(path: Path) -> bool:
    with suppress(RunDirectoryError):
        head = head_of(path)
        return _kind_of(head) is not None or head.startswith((ZIP_MAGIC, PARQUET_MAGIC))
    return False


def unpack(path: Path, folder: Path, account: Account) -> Path:
    """The text of a log: the file itself, or a copy of its name in `folder`."""
    head = head_of(path)
    found, kind = path, _kind_of(head)
    if head.startswith(ZIP_MAGIC):
        found = _copy_of(path, folder / "unpacked")
        _unzip(path, found, account)
    elif kind is not None:
        found = _copy_of(path, folder / "unpacked")
        _unpack_members(path, found, kind, account)
    head = head_of(found)
    if head[TAR_MAGIC_AT:].startswith(TAR_MAGIC):
        raise RunDirectoryError(f"{path} is a tar archive: unpack it, and name the logs in it")
    if (_kind_of(head) is not None or head.startswith(ZIP_MAGIC)) and found is not path:
        raise RunDirectoryError(f"{path} is compressed twice: unpack it once")
    encoding = _encoding_of(head)
    if encoding is None:
        return found
    return _decode(found, _copy_of(path, folder / "decoded"), encoding, path)


def _copy_of(path: Path, folder: Path) -> Path:
    """A place for a copy of the same name: messages name it."""
    folder.mkdir()
    return folder / path.name


def _unpack_members(path: Path, destination: Path, kind: str, account: Account) -> None:
    member, size = _MEMBERS[kind], _PIECES[kind]
    with path.open("rb") as packed, destination.open("wb") as out:
        text = _Limited(out, path)
        current, waiting = member(), b""
        while data := waiting or packed.read(size):
            waiting = b""
            try:
                text.write(current.decompress(data))
            except Exception as error:  # zlib, lzma and zstd each raise their own
                if isinstance(error, OSError | RunDirectoryError) and not _is_of_data(error):
                    raise
                _tell_damage(path, kind, f"damaged: {str(error).splitlines()[0]}", text.written, account)
                return
            if isinstance(current, GzipMember) and current.damage:
                _tell_damage(path, kind, f"damaged: {current.damage}", text.written, account)
                return
            if not current.eof:
                continue
            if isinstance(current, GzipMember) and not current.is_sound:
                _tell_damage(path, kind, "wrong in its checksum", text.written, account)
            waiting, has_zeros = _behind_member(current.unused_data, packed, size)
            if not waiting:
                return
            if _kind_of(waiting) != kind or (has_zeros and kind != "xz"):
                _tell_damage(path, kind, "followed by bytes that are something else", text.written, account)
                return
            current = member()
        if not current.eof:
            _tell_damage(path, kind, "cut off", text.written, account)


def _behind_member(unused: bytes, packed: BinaryIO, size: int) -> tuple[bytes, bool]:
    """The bytes behind a member, enough to tell what they are, and whether zeros stood before them: padding, which
    only xz has between two members (its format, section 2.2)."""
    rest, has_zeros = unused, False
    while len(rest) < _MAGIC_BYTES or rest.startswith(b"\0"):
        has_zeros |= rest.startswith(b"\0")
        more = packed.read(size)
        rest = rest.lstrip(b"\0") + more
        if not more:
            break
    return rest, has_zeros


def _is_of_data(error: Exception) -> bool:
    """bz2 says with an OSError without a number that its data is wrong."""
    return isinstance(error, OSError) and error.errno is None


def _tell_damage(path: Path, kind: str, what: str, written: int, account: Account) -> None:
    if not written:
        raise RunDirectoryError(f"{path} is not compressed by {kind}, or damaged: it is {what}")
    account.damage.append(f"{path.name}: the {kind} file is {what}: what comes behind is missing")


def _unzip(path: Path, destination: Path, account: Account) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            files = [one for one in archive.infolist() if not one.is_dir()]
            if len(files) != 1:
                raise RunDirectoryError(
                    f"{path} is a zip archive of {len(files)} files: unpack it, and name the logs"
                )
            expected, checksum = files[0].CRC, 0
            # Where zipfile finds a wrong one, it keeps the last piece of the text to itself.
            del files[0].CRC
            with archive.open(files[0]) as packed, destination.open("wb") as out:
                text = _Limited(out, path)
                try:
                    while data := packed.read(_PIECE):
                        text.write(data)
                        checksum = zlib.crc32(data, checksum)
                    if checksum != expected:
                        _tell_damage(path, "zip", "wrong in its checksum", text.written, account)
                except (zipfile.BadZipFile, zlib.error, EOFError) as error:
                    _tell_damage(path, "zip", f"damaged: {error}", text.written, account)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, IndexError) as error:
        raise RunDirectoryError(f"{path} is no whole zip archive: {error}") from error
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        # Its directory names a place before the file's begin.
        raise RunDirectoryError(f"{path} is no whole zip archive: its directory is wrong") from error


class _Limited:
    """Writes text, as long as it may grow and there is room for it."""

    def __init__(self, out: BinaryIO, packed: Path) -> None:
        self._out, self._packed = out, packed
        self._limit = max(SMALL, GROWTH_LIMIT * packed.stat().st_size)
        self._checked = 0
        self.written = 0

    def write(self, data: bytes) -> None:
        self.written += len(data)
        if self.written > self._limit:
            raise RunDirectoryError(
                f"{self._packed} grows to more than {self._limit:,} bytes: no sample log is compressed so well"
            )
        folder = Path(self._out.name).parent
        if self.written - self._checked > SMALL:
            self._checked = self.written
            if shutil.disk_usage(folder).free < ROOM_LEFT:
                raise RunDirectoryError(
                    f"no room in {folder.parent} to unpack {self._packed}: name a larger folder with TMPDIR"
                )
        self._out.write(data)


def _encoding_of(head: bytes) -> str | None:
    """UTF-16 by its mark, or by the zeros of its ASCII; None for all that is read as it is."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    first = head[:200]
    even, odd = first[::2], first[1::2]
    if len(odd) > 8 and not even.count(0) and odd.count(0) == len(odd):
        return "utf-16-le"
    if len(odd) > 8 and not odd.count(0) and even.count(0) == len(even):
        return "utf-16-be"
    return None


def _decode(source: Path, destination: Path, encoding: str, named: Path) -> Path:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    with source.open("rb") as file, destination.open("wb") as out:
        text = _Limited(out, named)
        while data := file.read(_PIECE):
            text.write(decoder.decode(data).encode())
        text.write(decoder.decode(b"", final=True).encode())
    return destination
