"""Compressed and recoded logs, byte by byte: what is found, what is damaged, and what is said of it."""

import bz2
import codecs
import errno
import io
import lzma
import shutil
import struct
import tarfile
import zipfile
import zlib
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path

import pytest
from backports.zstd import CompressionParameter
from backports.zstd import compress as compress_zstd

from switchover.analysis.logs import unpack as unpacking
from switchover.analysis.logs.account import Account
from switchover.analysis.logs.unpack import GzipMember, head_of, is_compressed, unpack
from switchover.model.errors import RunDirectoryError

TEXT = b"timeStamp,elapsed\n1767225600250,5\n"
SKIPPED = b"\x50\x2a\x4d\x18\4\0\0\0size"
"""A frame of zstd that is none of its data (RFC 8878 section 3.1.2)."""


def zipped(*names: str, data: bytes = TEXT, how: int = zipfile.ZIP_STORED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", how) as archive:
        for name in names:
            archive.writestr(name, data)
    return out.getvalue()


def zstd(data: bytes) -> bytes:
    return compress_zstd(data, options={CompressionParameter.checksum_flag: 1})


def gzipped(data: bytes = TEXT, flags: int = 0, fields: bytes = b"") -> bytes:
    """One member with these fields behind its header (RFC 1952 section 2.3)."""
    deflate = zlib.compressobj(wbits=-15)
    body = deflate.compress(data) + deflate.flush()
    header = b"\x1f\x8b\x08" + bytes([flags]) + b"\0\0\0\0\0\xff"
    return header + fields + body + struct.pack("<II", zlib.crc32(data), len(data))


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzipped,
    "zstd": zstd,
    "xz": lzma.compress,
    "bzip2": bz2.compress,
}


def text_of(folder: Path, content: bytes) -> tuple[bytes, list[str]]:
    """The text of a log that is `a.log` in a new folder, `0` at first, and why it is not to be trusted."""
    place, account = folder / str(len(list(folder.iterdir()))), Account()
    place.mkdir()
    path = place / "a.log"
    path.write_bytes(content)
    found = unpack(path, place, account)
    assert found.name == "a.log"
    return found.read_bytes(), account.damage


@pytest.fixture(params=[7, 1 << 18])
def piece(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many bytes are unpacked together: of what is found nothing may depend on it."""
    length: int = request.param
    monkeypatch.setattr(unpacking, "_PIECES", dict.fromkeys(unpacking._PIECES, length))
    monkeypatch.setattr(unpacking, "_PIECE", length)
    return length


@pytest.mark.usefixtures("piece")
@pytest.mark.parametrize(
    ("flags", "fields"),
    [
        (0, b""),
        (1, b""),
        (2, b"\xab\xcd"),
        (4, b"\x02\x01" + b"\0" * 258),
        (8, b"a.log\0"),
        (16, b"of today\0"),
        (31, b"\3\0\0\0\0" + b"a.log\0" + b"of today\0" + b"\xab\xcd"),
    ],
)
def test_a_header_of_gzip_may_have_further_fields(flags: int, fields: bytes, tmp_path: Path) -> None:
    assert text_of(tmp_path, gzipped(flags=flags, fields=fields)) == (TEXT, [])


@pytest.mark.parametrize("length", [9, 11, 12, 15, 20])
def test_of_a_header_that_is_not_whole_there_is_no_text_yet(length: int) -> None:
    """An extra field of 4 bytes from byte 12 on, a name of 4 from byte 16 on, and a checksum of the header."""
    whole = gzipped(flags=4 | 8 | 2, fields=b"\4\0abcd" + b"log\0" + b"\1\2")
    member = GzipMember()
    assert (member.decompress(whole[:length]), member.eof) == (b"", False)
    assert (member.decompress(whole[length:]), member.eof, member.is_sound) == (TEXT, True, True)
    assert member.unused_data == b"" and member.damage == ""


@pytest.mark.usefixtures("piece")
@pytest.mark.parametrize("packed", PACKERS)
def test_members_and_zeros_behind_them_are_one_log(packed: str, tmp_path: Path) -> None:
    pack = PACKERS[packed]
    assert text_of(tmp_path, pack(TEXT) + pack(TEXT) + b"\0" * 300) == (TEXT * 2, [])


@pytest.mark.usefixtures("piece")
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_skipped_frame_of_zstd_has_no_text(place: int, tmp_path: Path) -> None:
    frames = [zstd(TEXT), zstd(TEXT)]
    frames.insert(place, SKIPPED)
    assert text_of(tmp_path, b"".join(frames)) == (TEXT * 2, [])


@pytest.mark.usefixtures("piece")
@pytest.mark.parametrize("packed", PACKERS)
@pytest.mark.parametrize("behind", [b"x", b"something else", b"\0" * 99 + b"something else", b"\0XXXXX"])
def test_what_stands_behind_the_log_is_told(behind: bytes, packed: str, tmp_path: Path) -> None:
    said = f"a.log: the {packed} file is followed by bytes that are something else: what comes behind is missing"
    assert text_of(tmp_path, PACKERS[packed](TEXT) + behind) == (TEXT, [said])


@pytest.mark.usefixtures("piece")
@pytest.mark.parametrize("packed", PACKERS)
def test_zeros_between_two_members_are_padding_of_xz_and_damage_of_others(packed: str, tmp_path: Path) -> None:
    pack = PACKERS[packed]
    expected = (TEXT * 2, 0) if packed == "xz" else (TEXT, 1)
    for length in (*range(1, 9), 300):
        text, damage = text_of(tmp_path, pack(TEXT) + b"\0" * length + pack(TEXT))
        assert (text, len(damage)) == expected


def test_little_is_unpacked_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A piece, or two behind a member: what is packed well may become a thousand times as much."""
    given: list[int] = []

    class WatchedMember(GzipMember):
        def decompress(self, data: bytes, /) -> bytes:
            given.append(len(data))
            return super().decompress(data)

    monkeypatch.setitem(unpacking._MEMBERS, "gzip", WatchedMember)
    monkeypatch.setitem(unpacking._PIECES, "gzip", 7)
    assert text_of(tmp_path, gzipped() * 3) == (TEXT * 3, [])
    assert max(given) <= 14


@pytest.mark.usefixtures("piece")
@pytest.mark.parametrize("packed", PACKERS)
def test_a_member_that_was_cut_off_is_told(packed: str, tmp_path: Path) -> None:
    pack = PACKERS[packed]
    text, damage = text_of(tmp_path, pack(TEXT) + pack(TEXT)[:-1])
    assert text.startswith(TEXT)
    assert damage == [f"a.log: the {packed} file is cut off: what comes behind is missing"]


@pytest.mark.usefixtures("piece")
@pytest.mark.parametrize("packed", ["zstd", "xz", "bzip2"])
def test_a_member_that_is_damaged_is_told_in_one_line(packed: str, tmp_path: Path) -> None:
    broken = bytearray(PACKERS[packed](TEXT))
    broken[-5 if packed != "xz" else 20] ^= 0xFF
    _, (damage,) = text_of(tmp_path, PACKERS[packed](TEXT) + bytes(broken))
    assert damage.startswith(f"a.log: the {packed} file is damaged: ") and "None" not in damage
    assert damage.endswith(": what comes behind is missing") and "\n" not in damage


@pytest.mark.usefixtures("piece")
def test_what_gzip_has_before_a_damaged_byte_is_read(tmp_path: Path) -> None:
    deflate = zlib.compressobj(wbits=31)
    sound = deflate.compress(TEXT) + deflate.flush(zlib.Z_FULL_FLUSH)
    broken = sound + b"\xff" + deflate.flush() + gzipped()
    assert text_of(tmp_path, broken) == (
        TEXT,
        [
            "a.log: the gzip file is damaged: Error -3 while decompressing data: invalid block type: what comes "
            "behind is missing"
        ],
    )


@pytest.mark.usefixtures("piece")
@pytest.mark.parametrize("at", [-8, -5])
def test_a_wrong_checksum_of_gzip_is_told_and_the_next_member_read(at: int, tmp_path: Path) -> None:
    broken = bytearray(gzipped())
    broken[at] ^= 1
    said = "a.log: the gzip file is wrong in its checksum: what comes behind is missing"
    assert text_of(tmp_path, bytes(broken) + gzipped()) == (TEXT * 2, [said])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (gzipped()[:9], "is not compressed by gzip, or damaged: it is cut off"),
        (b"\x1f\x8b\x08" + b"\0" * 7 + b"\xff" * 9, "is not compressed by gzip, or damaged: it is damaged: Error -3"),
        (b"BZh9" + b"x" * 99, "is not compressed by bzip2, or damaged: it is damaged: Invalid data stream"),
        (zipped("a", "b"), "is a zip archive of 2 files: unpack it, and name the logs"),
        (zipped("a/"), "is a zip archive of 0 files: unpack it, and name the logs"),
        (zipped("a")[:-9], "is no whole zip archive: File is not a zip file"),
        (gzipped(gzipped()), "is compressed twice: unpack it once"),
        (gzipped(zipped("a")), "is compressed twice: unpack it once"),
        (zipped("a", data=gzipped()), "is compressed twice: unpack it once"),
        (gzipped(SKIPPED), "is compressed twice: unpack it once"),
    ],
)
def test_what_cannot_be_unpacked_is_refused_with_its_name(content: bytes, said: str, tmp_path: Path) -> None:
    with pytest.raises(RunDirectoryError) as raised:
        text_of(tmp_path, content)
    assert str(raised.value).startswith(f"{tmp_path / '0' / 'a.log'} {said}") and "\n" not in str(raised.value)


@pytest.mark.parametrize("pack", [bytes, gzipped])
def test_a_tar_archive_is_refused(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a.jtl"))
    with pytest.raises(RunDirectoryError, match=r"a\.log is a tar archive: unpack it, and name the logs in it$"):
        text_of(tmp_path, pack(out.getvalue()))
    moved = b"x" + out.getvalue()
    assert text_of(tmp_path, moved)[0] == moved, "its mark stands at byte 257"


@pytest.mark.usefixtures("piece")
def test_a_zip_archive_may_have_folders_beside_its_log(tmp_path: Path) -> None:
    assert text_of(tmp_path, zipped("logs/", "logs/a.jtl")) == (TEXT, [])


@pytest.mark.usefixtures("piece")
def test_a_zip_archive_with_a_wrong_checksum_is_told_and_loses_nothing(tmp_path: Path) -> None:
    changed = TEXT[:-1] + b"x"
    said = "a.log: the zip file is wrong in its checksum: what comes behind is missing"
    assert text_of(tmp_path, zipped("a").replace(TEXT, changed)) == (changed, [said])


def test_a_zip_archive_whose_log_is_damaged_is_read_up_to_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacking, "_PIECE", 4096)
    whole = b"".join(b"%d\n" % number for number in range(50_000))
    content = bytearray(zipped("a", data=whole, how=zipfile.ZIP_DEFLATED))
    content[len(content) // 2 : len(content) // 2 + 99] = b"\xff" * 99
    text, damage = text_of(tmp_path, bytes(content))
    assert 9_000 < len(text) < len(whole) and whole.startswith(text[: len(text) // 2])
    assert len(damage) == 1 and damage[0].startswith("a.log: the zip file is damaged: Error -3 while decompressing")


def test_a_plain_log_is_read_where_it_lies(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(TEXT)
    assert unpack(path, tmp_path, Account()) is path
    path.write_bytes(b"")
    assert unpack(path, tmp_path, Account()) is path


SHORT = "0123456789ab"


@pytest.mark.usefixtures("piece")
@pytest.mark.parametrize(
    "content",
    [
        codecs.BOM_UTF16_LE + "aé\n".encode("utf-16-le"),
        codecs.BOM_UTF16_BE + "aé\n".encode("utf-16-be"),
        gzipped(codecs.BOM_UTF16_LE + "aé\n".encode("utf-16-le")),
    ],
)
def test_utf_16_is_known_by_its_mark(content: bytes, tmp_path: Path) -> None:
    assert text_of(tmp_path, content) == ("aé\n".encode(), [])


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_known_by_the_zeros_of_its_ascii(encoding: str, tmp_path: Path) -> None:
    text = "0" * 100 + "\u0100\n"
    assert text_of(tmp_path, text.encode(encoding))[0] == text.encode(), "the first hundred letters tell"
    longer = "0" * 50 + "\u20ac" + "0" * 50
    for plain in (*(one.encode(encoding) for one in (text[:8], longer)), "0".encode(encoding) * 9 + b"\0\0" * 9):
        assert text_of(tmp_path, plain)[0] == plain
    assert text_of(tmp_path, text[:9].encode(encoding))[0] == text[:9].encode()


@pytest.mark.usefixtures("piece")
def test_half_a_letter_at_the_end_is_told_as_one_that_is_none(tmp_path: Path) -> None:
    assert text_of(tmp_path, codecs.BOM_UTF16_LE + b"a\0b")[0] == "a\ufffd".encode()


@pytest.mark.parametrize(
    ("content", "is_one"),
    [
        *((pack(TEXT), True) for pack in PACKERS.values()),
        (SKIPPED, True),
        (zipped("a"), True),
        (b"PAR1", True),
        (TEXT, False),
        (b"xPAR1", False),
        (b"", False),
    ],
)
def test_what_is_compressed_is_known_by_its_first_bytes(content: bytes, *, is_one: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(content)
    assert is_compressed(path) is is_one
    assert is_compressed(tmp_path / "absent") is False


def test_the_head_of_a_file_are_its_first_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(b"x" * 5000)
    assert head_of(path) == b"x" * 4096
    with pytest.raises(RunDirectoryError, match=r"^cannot read .*/absent: No such file or directory$"):
        head_of(tmp_path / "absent")


@pytest.mark.usefixtures("piece")
@pytest.mark.parametrize("pack", [gzipped, lambda data: zipped("a", data=data)])
def test_a_log_may_grow_to_a_limit(
    pack: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, text = pack(TEXT * 9), TEXT * 9
    monkeypatch.setattr(unpacking, "GROWTH_LIMIT", 0)
    monkeypatch.setattr(unpacking, "SMALL", len(text))
    assert text_of(tmp_path, content) == (text, [])
    monkeypatch.setattr(unpacking, "SMALL", len(text) - 1)
    with pytest.raises(RunDirectoryError) as raised:
        text_of(tmp_path, content)
    assert str(raised.value) == (
        f"{tmp_path / '1' / 'a.log'} grows to more than 305 bytes: no sample log is compressed so well"
    )
    monkeypatch.setattr(unpacking, "GROWTH_LIMIT", 6)
    assert text_of(tmp_path, content) == (text, []), "a larger file may grow to more"


Usage = namedtuple("Usage", "free")


def test_room_is_looked_for_where_much_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After each four letters: the copy of twelve is checked three times, and must leave that much room."""
    asked: list[Path] = []

    def disk_usage(folder: Path) -> Usage:
        asked.append(folder)
        return Usage(100)

    monkeypatch.setattr(shutil, "disk_usage", disk_usage)
    monkeypatch.setattr(unpacking, "SMALL", 3)
    monkeypatch.setattr(unpacking, "ROOM_LEFT", 100)
    monkeypatch.setattr(unpacking, "_PIECE", 2)
    content = codecs.BOM_UTF16_LE + SHORT.encode("utf-16-le")
    assert text_of(tmp_path, content)[0] == SHORT.encode()
    assert asked == [tmp_path / "0" / "decoded"] * 3
    monkeypatch.setattr(unpacking, "ROOM_LEFT", 101)
    with pytest.raises(RunDirectoryError) as raised:
        text_of(tmp_path, content)
    assert str(raised.value) == (
        f"no room in {tmp_path / '1'} to unpack {tmp_path / '1' / 'a.log'}: name a larger folder with TMPDIR"
    )


@pytest.mark.parametrize("content", [gzipped(), bz2.compress(TEXT), zipped("a")])
def test_what_the_system_says_of_a_write_is_no_damage_of_the_log(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(_: object, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(unpacking._Limited, "write", write)
    with pytest.raises(OSError, match="No space left on device"):
        text_of(tmp_path, content)


@pytest.mark.parametrize("place", [12, 16])
def test_a_zip_archive_whose_directory_is_elsewhere_is_refused(place: int, tmp_path: Path) -> None:
    """How long its directory is, and where it begins (APPNOTE.TXT of the format, section 4.3.16)."""
    content = bytearray(zipped("a"))
    at = content.rindex(b"PK\5\6") + place
    content[at : at + 4] = struct.pack("<I", 1000)
    with pytest.raises(RunDirectoryError, match=r"a\.log is no whole zip archive: .") as raised:
        text_of(tmp_path, bytes(content))
    assert "None" not in str(raised.value)
