"""The forms of a log: by which name or content it is one, why it is none, and what a Parquet file keeps of it."""

import gzip
import os
from pathlib import Path

import pytest

from support.parquet import write_parquet
from support.request_tables import samples_of, table_of
from switchover.analysis.logs.account import Account
from switchover.analysis.logs.unpack import GROWTH
from switchover.analysis.requests.files import (
    ACCOUNT,
    add_account_of,
    is_log,
    require_directory,
    stem_of,
    text_bytes,
    why_not_read,
)
from switchover.analysis.requests.reader import read_logs
from switchover.analysis.requests.store import Store
from switchover.model.errors import RunDirectoryError
from synthetic import refused, sample

ABSENT = "no such file or directory"
PIPE = "it is a pipe or a device, which can be read only once: save it as a file, and name that"


def test_a_log_is_a_file_of_any_name_or_named_like_one(tmp_path: Path) -> None:
    """One that is not there is, too, by its name: what is wrong with it is said when it is read."""
    (tmp_path / "results.csv").touch()
    names = ("results.csv", "a.jtl", "a.jtl.gz", "a.jtl.zst", "a.parquet", "run", "a.jtl.xz")
    assert [is_log(tmp_path / name) for name in names] == [True] * 5 + [False] * 2


def test_what_cannot_be_read_is_named_as_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    found = [why_not_read(tmp_path / name) for name in (".", "absent", "pipe")]
    assert found == [None, ABSENT, PIPE]

    def fail(path: Path) -> None:
        raise OSError("Gone")

    monkeypatch.setattr(Path, "stat", fail)
    assert why_not_read(tmp_path) == "gone"


def test_what_is_neither_a_log_nor_a_directory_says_what_may_be_named(tmp_path: Path) -> None:
    require_directory(tmp_path)
    with pytest.raises(RunDirectoryError) as raised:
        require_directory(tmp_path / "absent")
    assert str(raised.value) == (
        f"{tmp_path / 'absent'} is no directory: name a run directory, such as runs/<time>-<name>, "
        f"or a sample log ({ABSENT})"
    )


def test_a_log_has_one_name_in_all_its_forms() -> None:
    names = ("samples-1.jtl", "samples-1.jtl.gz", "samples-1.jtl.zst", "samples-1.parquet", "a.jtl.csv")
    assert [stem_of(Path("run", name)) for name in names] == ["samples-1"] * 4 + ["a.jtl.csv"]


def test_a_compressed_log_is_larger_as_text(tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.jtl", tmp_path / "b.jtl"
    plain.write_text("1234567\n")
    packed.write_bytes(gzip.compress(b"1"))
    assert text_bytes([plain, packed]) == 8 + GROWTH * packed.stat().st_size


def test_parquet_holds_the_requests_and_what_was_noticed_in_their_log(tmp_path: Path) -> None:
    samples = [sample(10, 20), refused(5), sample(7, 9)]
    noticed, found = Account(), Account()
    noticed.add("wrong number of columns", 2, nbytes=7)
    noticed.notes.append("a.jtl: it's in seconds")
    write_parquet(table_of(samples), tmp_path / "it's.parquet", noticed)
    assert samples_of(read_logs(Store(), "samples", [tmp_path / "it's.parquet"], found)) == samples
    assert found.facts() == noticed.facts()
    assert [path.name for path in tmp_path.iterdir()] == ["it's.parquet"]


@pytest.mark.parametrize(
    ("key", "value", "damage"),
    [
        ("other", "{}", []),
        (ACCOUNT, "{", ["b.parquet: what was noticed when it was made cannot be read"]),
        (ACCOUNT, '{"damage": ["a.jtl was cut off"]}', ["a.jtl was cut off"]),
    ],
)
def test_what_was_noticed_is_known_if_it_was_kept(key: str, value: str, damage: list[str], tmp_path: Path) -> None:
    store, path, account = Store(), tmp_path / "b.parquet", Account()
    store.rows(f"COPY (SELECT 1 AS a) TO '{path}' (FORMAT parquet, KV_METADATA {{'{key}': '{value}'}})")
    add_account_of(store, path, account)
    assert account.damage == damage
