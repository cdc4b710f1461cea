"""Rows of held connections that are damaged are counted, whatever the damage is."""

from pathlib import Path

import pytest

from support.changes import EVERY_US, Rows
from switchover.evidence.held_rows import HeldRows, read_held_rows
from switchover.evidence.requests.store import Store
from switchover.model.errors import RunDirectoryError


@pytest.fixture
def log(tmp_path: Path) -> Path:
    rows = Rows(tmp_path / "connections.jtl")
    for number in range(5):
        rows.add(EVERY_US * number)
    rows.read()
    return tmp_path / "connections.jtl"


def read(log: Path) -> HeldRows:
    found = read_held_rows(Store(), [log])
    assert found is not None
    return found


def test_a_whole_log_has_all_its_rows(log: Path) -> None:
    found = read(log)
    assert (len(found), found.unread) == (5, 0)


@pytest.mark.parametrize(
    "damage",
    [
        lambda row: row.replace(",true,", ",,true,"),
        lambda row: ",".join(row.split(",")[:9]),
        lambda row: row.replace(",true,", ",perhaps,"),
        lambda row: row.replace("17000", "99917000"),
        lambda row: row.replace("17000", "517000"),
        lambda row: "\0" * len(row),
    ],
    ids=[
        "too many",
        "too few",
        "no flag",
        "no time",
        "a time that there cannot be",
        "a probe gap",
    ],
)
def test_a_row_that_cannot_be_read_is_counted_and_the_others_are_there(log: Path, damage: object) -> None:
    assert callable(damage)
    lines = log.read_text().splitlines()
    lines[2] = damage(lines[2])
    log.write_text("\n".join([*lines, ""]))
    found = read(log)
    assert (len(found), found.unread) == (4, 1)


@pytest.mark.parametrize("text", ['"poo"led', '"pooled'])
def test_a_quote_that_does_not_end_is_damage(log: Path, text: str) -> None:
    lines = log.read_text().splitlines()
    lines[2] = lines[2].replace("pooled", text, 1)
    log.write_text("\n".join([*lines, ""]))
    assert "connections.jtl: line 3 has a quote without an end" in read(log).damage[0]


@pytest.mark.parametrize("column", ["ended_by", "Latency", "stream"])
def test_a_log_of_other_columns_is_one_line(log: Path, column: str) -> None:
    log.write_text(log.read_text().replace(f'"{column}"', '"x"', 1).replace(f",{column},", ",x,", 1))
    with pytest.raises(RunDirectoryError, match=f"is not a log of held connections: it has no column {column}"):
        read(log)


def test_the_logs_of_several_hosts_are_one_load_and_what_cannot_be_read_is_counted_over_all(
    log: Path, tmp_path: Path
) -> None:
    paths = [log]
    for number in (1, 2):
        other = Rows(tmp_path / f"held-{number}.jtl")
        other.add(EVERY_US * number)
        other.read()
        paths.append(tmp_path / f"held-{number}.jtl")
    for path in paths[:2]:
        path.write_text(path.read_text() + "cut,off\n")
    found = read_held_rows(Store(), paths)
    assert found is not None and (len(found), found.unread) == (7, 2)
