"""Compressed and recoded logs: a damaged one is read up to the damage, and never trusted."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from support.zstd import compress_zstd
from switchover.evidence.log_run import load_logs
from switchover.evidence.logs import unpack as unpacking
from switchover.evidence.logs.format import Account
from switchover.evidence.run_data import RunData
from switchover.model.errors import RunDirectoryError

ROWS = 20_000
TEXT = "timeStamp,elapsed,success,responseMessage\n" + "".join(
    f"{1_767_225_600_000 + number * 7},{number * 7919 % 1000},true,OK\n" for number in range(ROWS)
)
PLAIN = TEXT.encode()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "zstd": compress_zstd,
}


def read(tmp_path: Path, content: bytes) -> RunData:
    path = tmp_path / "any.name"
    path.write_bytes(content)
    return load_logs([path])


@pytest.mark.parametrize("packed", PACKERS)
def test_a_compressed_log_is_known_by_its_content(packed: str, tmp_path: Path) -> None:
    data = read(tmp_path, PACKERS[packed](PLAIN))
    assert len(data.samples) == ROWS and data.unread == () and data.run.warnings == []


@pytest.mark.parametrize("packed", PACKERS)
def test_a_log_that_was_cut_off_is_read_as_far_as_it_goes_and_invalid(packed: str, tmp_path: Path) -> None:
    half = PLAIN.index(b"\n", len(PLAIN) // 2) + 1
    if packed == "zstd":  # a block is larger than this log: only a whole frame can be read
        content = PACKERS[packed](PLAIN[:half]) + PACKERS[packed](PLAIN[half:])[:-20]
    else:
        content = PACKERS[packed](PLAIN)[:-400]
    data = read(tmp_path, content)
    assert ROWS // 3 < len(data.samples) < ROWS
    (unread,) = data.unread
    assert unread == f"any.name: the {packed} file is damaged (the file is cut off): the rest is missing"


def text_of(folder: Path, content: bytes) -> tuple[bytes, list[str]]:
    """The text of a log, and why it is not to be trusted."""
    place, account = folder / str(len(list(folder.iterdir()))), Account()
    place.mkdir()
    path = place / "a.log"
    path.write_bytes(content)
    return unpacking.unpack(path, place, account).read_bytes(), account.damage


SHORT = b"timeStamp,elapsed\n1767225600250,5\n"


@pytest.mark.parametrize("piece", [7, 1 << 18])
@pytest.mark.parametrize("packed", PACKERS)
@pytest.mark.parametrize("behind", [b"x", b"\0something else", b"damaged member"])
def test_bytes_behind_a_member_that_are_no_member_are_damage(
    packed: str, behind: bytes, piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The size of the pieces makes no difference."""
    monkeypatch.setattr(unpacking, "PIECE", piece)
    pack = PACKERS[packed]
    text, damage = text_of(tmp_path, pack(SHORT) * 2 + behind)
    assert text == SHORT * 2
    assert len(damage) == 1 and damage[0].startswith(f"a.log: the {packed} file is damaged (")
    assert behind != b"damaged member" or "cut off" not in damage[0]
    text, damage = text_of(tmp_path, pack(SHORT) + pack(SHORT)[:-1])
    assert text.startswith(SHORT) and len(damage) == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x1f\x8b\x08" + b"\0" * 7 + b"\xff" * 9, "the gzip file is damaged"),
        (b"BZh9" + b"x" * 99, "is not a log in a known format"),
        (gzip.compress(gzip.compress(PLAIN, mtime=0), mtime=0), "is not a log in a known format"),
        (gzip.compress(PLAIN, mtime=0)[:9], "the gzip file is damaged"),
    ],
)
def test_what_cannot_be_unpacked_is_one_clear_line(content: bytes, said: str, tmp_path: Path) -> None:
    with pytest.raises(RunDirectoryError, match=said) as raised:
        read(tmp_path, content)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("packed", ["gzip", "zstd"])
def test_what_grows_without_end_is_stopped(packed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "SMALL", 1 << 20)
    with pytest.raises(RunDirectoryError, match="is not a compressed log"):
        read(tmp_path, PACKERS[packed](PLAIN + b"\0" * (64 << 20)))


def test_the_limit_of_the_text_is_the_last_size_that_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "SMALL", len(PLAIN))
    monkeypatch.setattr(unpacking, "GROWTH_LIMIT", 0)
    assert len(read(tmp_path, PACKERS["gzip"](PLAIN)).samples) == ROWS
    with pytest.raises(RunDirectoryError, match=f"more than {len(PLAIN):,} bytes"):
        read(tmp_path, PACKERS["gzip"](PLAIN + b"1"))


@pytest.mark.parametrize("pack", [gzip.compress, compress_zstd])
def test_a_small_file_is_expanded_in_small_pieces(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    """A compressed file may become a thousand times as large."""
    path = tmp_path / "log"
    path.write_bytes(pack(b"0" * 100 * unpacking.PIECE))
    _, read = next(form for form in unpacking._FORMATS.values() if path.read_bytes().startswith(form[0]))
    assert max(map(len, read(path))) <= unpacking.PIECE
