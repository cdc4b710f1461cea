"""All journals of a run directory, posted as they grow: nothing lost, nothing twice, whatever the database does."""

import random
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.examples import examples
from support.fake_influx import FakeInflux, Reply, fake_influx
from switchover.model.errors import RunDirectoryError
from switchover.rundir.journal import Journal
from switchover.rundir.sent_offset import sent_path
from switchover.streaming.influx.shipper import (
    Batch,
    Shipper,
    account_of,
    count_lines,
    read_batch,
)
from switchover.streaming.influx.writer import Meaning, Writer, WriteResult

NS = 1_700_000_000_000_000_000
TO = "http://influx:80?db=d"


def write(directory: Path, numbers: range, name: str = "journal.lp") -> None:
    journal = Journal(directory / name, {"run": "r"})
    for number in numbers:
        journal.write("m", {"file": name}, {"v": number}, NS + number)
    journal.close()


class Notebook:
    """A poster that keeps what it is given; `answers` come first, and then everything is taken."""

    def __init__(self, *found: WriteResult) -> None:
        self.answers = list(found)
        self.batches: list[bytes] = []

    def post(self, lines: bytes) -> WriteResult:
        self.batches.append(lines)
        return self.answers.pop(0) if self.answers else WriteResult(Meaning.TAKEN)

    @property
    def lines(self) -> list[bytes]:
        return b"".join(self.batches).splitlines()


class Small(Notebook):
    """A database that takes no more than so many bytes at once."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit
        self.sizes: list[int] = []

    def post(self, lines: bytes) -> WriteResult:
        self.sizes.append(len(lines))
        return WriteResult(Meaning.HALVE, too_large=True) if len(lines) > self.limit else super().post(lines)


def refusing(bad: bytes) -> Any:
    """A database that refuses each batch that has the word in it, as InfluxDB 2 does."""

    class Refusing(Notebook):
        def post(self, lines: bytes) -> WriteResult:
            if bad in lines:
                return WriteResult(Meaning.HALVE, why="400: unable to parse")
            return super().post(lines)

    return Refusing()


def drained(directory: Path, poster: Any, warn: Any = lambda text: None) -> Shipper:
    shipper = Shipper(directory, TO, poster, warn)
    for _ in range(10_000):
        if shipper.turn() is None:
            return shipper
    raise AssertionError("it never comes to an end")


def test_every_journal_is_sent_once_and_new_ones_are_found(tmp_path: Path) -> None:
    poster = Notebook()
    write(tmp_path, range(7_000))
    assert account_of(tmp_path, TO).left == 7_000
    shipper = Shipper(tmp_path, TO, poster, lambda text: None)
    assert shipper.turn() == 0.0
    write(tmp_path, range(10), "journal-locust.lp")
    while shipper.turn() is not None:
        pass
    assert len(poster.lines) == len(set(poster.lines)) == 7_010
    assert max(batch.count(b"\n") for batch in poster.batches) == 5_000
    account = shipper.account()
    assert (account.points, account.refused, account.left, account.total) == (7_010, 0, 0, 7_010)
    assert account.to == TO
    assert account == account_of(tmp_path, TO)


def test_a_line_that_is_being_written_is_left_until_it_is_whole(tmp_path: Path) -> None:
    poster, journal = Notebook(), tmp_path / "journal.lp"
    journal.write_bytes(b"m v=1i %d\nm v=2i 17000" % NS)
    shipper = drained(tmp_path, poster)
    assert poster.lines == [b"m v=1i %d" % NS]
    with journal.open("ab") as file:
        file.write(b"00000000000002\n")
    assert shipper.turn() == 0.0
    assert poster.lines[1:] == [b"m v=2i 1700000000000000002"]


def test_another_database_gets_everything(tmp_path: Path) -> None:
    write(tmp_path, range(10))
    drained(tmp_path, Notebook())
    poster = Notebook()
    shipper = Shipper(tmp_path, "http://other:80?db=d", poster, lambda text: None)
    while shipper.turn() is not None:
        pass
    assert len(poster.lines) == 10


def test_a_file_that_took_the_place_of_another_is_sent_whole(tmp_path: Path) -> None:
    poster, journal = Notebook(), tmp_path / "journal-verdict.lp"
    write(tmp_path, range(3), journal.name)
    shipper = drained(tmp_path, poster)
    new = tmp_path / "new"
    new.write_bytes(b"m v=9i %d\n" % NS * 5)
    new.replace(journal)
    sent_path(journal).unlink()
    while shipper.turn() is not None:
        pass
    assert len(poster.lines) == 8
    journal.write_bytes(b"m v=10i %d\n" % NS)
    assert shipper.turn() == 0.0 and len(poster.lines) == 9


def test_what_is_no_point_is_counted_and_never_sent(tmp_path: Path) -> None:
    poster = Notebook()
    torn = b"m v=3i 170000\n"
    (tmp_path / "journal.lp").write_bytes(b"m v=1i %d\n\n# hm v=4i %d\nnonsense\n%sm v=2i %d\n" % (NS, NS, torn, NS))
    assert account_of(tmp_path, TO).left == 5
    account = drained(tmp_path, poster).account()
    assert poster.lines == [b"m v=1i %d" % NS, b"m v=2i %d" % NS]
    assert (account.points, account.refused, account.left) == (2, 3, 0)


def test_a_line_beyond_any_request_is_left_out(tmp_path: Path) -> None:
    poster, journal = Notebook(), tmp_path / "journal.lp"
    journal.write_bytes(b"m v=1i %d\n" % NS + b"m v=" + b"x" * 2_500_000)
    shipper = drained(tmp_path, poster)
    assert shipper.account().total == 1
    with journal.open("ab") as file:
        file.write(b" 1\nm v=2i %d\n" % NS)
    while shipper.turn() is not None:
        pass
    assert (shipper.account().points, shipper.account().refused) == (2, 1)


def test_a_line_that_is_refused_costs_only_itself(tmp_path: Path) -> None:
    write(tmp_path, range(4_000))
    poster = refusing(b"v=777i")
    said: list[str] = []
    account = drained(tmp_path, poster, said.append).account()
    assert (account.points, account.refused, account.left) == (3_999, 1, 0)
    assert account.why == "400: unable to parse"
    assert len(poster.lines) == len(set(poster.lines)) == 3_999
    assert said == [f"{TO} refuses some points: 400: unable to parse"]
    alone = tmp_path / "alone"
    alone.mkdir()
    write(alone, range(777, 778))
    account = drained(alone, poster).account()
    assert (account.points, account.refused, account.left) == (0, 1, 0)


def test_batches_that_are_too_large_are_not_tried_again(tmp_path: Path) -> None:
    write(tmp_path, range(20_000))
    poster = Small(30_000)
    account = drained(tmp_path, poster).account()
    assert (account.points, account.refused) == (20_000, 0)
    assert len(poster.lines) == len(set(poster.lines)) == 20_000
    refused = [number for number, size in enumerate(poster.sizes) if size > 30_000]
    assert max(refused) < 30 < len(poster.sizes) / 2


def test_a_database_that_is_away_is_asked_less_and_less_and_warned_of_once(tmp_path: Path) -> None:
    write(tmp_path, range(3))
    write(tmp_path, range(3), "journal-locust.lp")
    away = [WriteResult(Meaning.WAIT, why="Connection refused")] * 6
    away += [WriteResult(Meaning.WAIT, retry_after_s=seconds) for seconds in (7.0, 0.1)]
    poster, said = Notebook(*away), list[str]()
    shipper = Shipper(tmp_path, TO, poster, said.append)
    pauses = [shipper.turn() for _ in away]
    assert pauses == [0.5, 1.0, 2.0, 4.0, 5.0, 5.0, 7.0, 5.0]
    assert len(poster.batches) == 8
    assert shipper.turn() == 0.0
    assert said == [f"{TO} accepts no points: Connection refused; the journal keeps them"]
    assert (shipper.account().left, shipper.account().why) == (0, "")
    while shipper.turn() is not None:
        pass
    write(tmp_path, range(1))
    poster.answers = [WriteResult(Meaning.WAIT)]
    assert shipper.turn() == 0.5


def test_an_offset_that_cannot_be_kept_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise RunDirectoryError("cannot write journal.lp.sent: No space left on device")

    monkeypatch.setattr("switchover.streaming.influx.shipper.write_sent", full)
    write(tmp_path, range(6_000))
    said: list[str] = []
    poster = Notebook()
    account = drained(tmp_path, poster, said.append).account()
    assert (account.points, len(poster.lines)) == (6_000, 6_000)
    assert said == ["cannot write journal.lp.sent: No space left on device; the journal may be sent twice"]


def test_a_journal_that_cannot_be_read_stops_no_other(tmp_path: Path) -> None:
    write(tmp_path, range(3))
    (tmp_path / "journal-a.lp").symlink_to("nowhere")
    said: list[str] = []
    shipper = drained(tmp_path, Notebook(), said.append)
    assert (shipper.account().points, shipper.account().total) == (3, 3)
    unread = tmp_path / "journal-a.lp"
    assert said == [f"cannot read {unread}: No such file or directory; its points are not sent"]
    assert shipper.has_unread
    unread.unlink()
    write(tmp_path, range(2), "journal-a.lp")
    assert [shipper.turn(), shipper.turn()] == [0.0, None] and not shipper.has_unread


def test_what_the_run_writes_last_is_drained_until_time_is_over(tmp_path: Path) -> None:
    over = threading.Event()

    def is_over(_influx: FakeInflux, _lines: bytes) -> Reply:
        over.set()
        return Reply(503)

    with fake_influx(is_over) as influx:
        writer = Writer(influx.database())
        shipper = Shipper(tmp_path, influx.database().destination.url, writer, lambda text: None)
        write(tmp_path, range(5))
        shipper.drain(over)
        assert shipper.account().left == 5
        assert shipper.account().why == "503"
        influx.behaviour = None
        shipper.drain(threading.Event())
        assert shipper.account().left == 0
        writer.close()
    assert len(influx.points) == 5


@pytest.mark.parametrize("seed", range(5))
def test_through_any_trouble_every_point_arrives_once(tmp_path: Path, seed: int) -> None:
    """Each request meets some misfortune; the shipper is replaced now and then; what was taken may go unanswered."""
    chance = random.Random(seed)

    class Troubled(Notebook):
        def post(self, lines: bytes) -> WriteResult:
            fate = chance.random()
            if fate < 0.2:
                return WriteResult(Meaning.WAIT, why="503")
            if fate < 0.4 and lines.count(b"\n") > 1:
                return WriteResult(Meaning.HALVE, too_large=fate < 0.25, why="413")
            answer = super().post(lines)
            return WriteResult(Meaning.WAIT, why="no answer in time") if fate > 0.9 else answer

    poster = Troubled()
    shipper = Shipper(tmp_path, TO, poster, lambda text: None)
    for number in range(40):
        write(
            tmp_path,
            range(number * 100, number * 100 + chance.randrange(100)),
            chance.choice(["journal.lp", "journal-x.lp"]),
        )
        shipper.turn()
        if chance.random() < 0.2:
            shipper = Shipper(tmp_path, TO, poster, lambda text: None)
    for _ in range(1_000):
        if shipper.turn() is None:
            break
    written = [line for path in tmp_path.glob("journal*.lp") for line in path.read_bytes().splitlines()]
    assert set(poster.lines) == set(written)
    assert shipper.account().points == len(written)
    assert shipper.account().left == shipper.account().refused == 0


@settings(max_examples=examples(60))
@given(data=st.binary(max_size=300), lines=st.integers(1, 4), size=st.integers(8, 64))
def test_any_bytes_are_read_to_their_end(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, lines: int, size: int
) -> None:
    path = tmp_path_factory.mktemp("journal") / "journal.lp"
    path.write_bytes(data)
    offset, batches = 0, list[Batch]()
    while (batch := read_batch(path, offset, most_lines=lines, most_bytes=size)) is not None:
        assert batch.size > 0
        assert batch.points == batch.lines.count(b"\n") <= lines
        offset += batch.size
        batches.append(batch)
    assert offset == data.rfind(b"\n") + 1
    assert count_lines(path, offset) == 0
