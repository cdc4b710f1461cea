"""The databases that other tests stream to: written and asked by themselves, and what they answer to bad batches."""

import dataclasses
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from support.influxdb import InfluxDB, influxdb
from support.streamed import stored
from switchover.model.errors import TelemetryError
from switchover.streaming.influx.destination import Credentials, Database, choose_database
from switchover.streaming.influx.shipper import JournalSender
from switchover.streaming.influx.writer import Meaning, Writer, try_database

pytestmark = pytest.mark.beside


def test_what_is_written_is_told_once_however_often_it_was_sent(influx: InfluxDB) -> None:
    influx.create("points")
    for _ in range(2):
        influx.write("points", b'm,run=a n=1i,text="x" 1000000001\nm,run=b n=2i 1000000002\n')
    found = influx.query('SELECT "n", "text" FROM "m" GROUP BY "run"', "points")
    assert [(one.tags["run"], one.rows) for one in found] == [
        ("a", ((1_000_000_001, 1, "x"),)),
        ("b", ((1_000_000_002, 2, None),)),
    ]


def test_only_a_server_with_credentials_asks_for_them(influx: InfluxDB) -> None:
    influx.create("asked")
    path = "/api/v2/write?org=drills&bucket=asked" if influx.kind == "2.7" else "/write?db=asked"
    request = urllib.request.Request(influx.url + path, b"m n=1i 1", method="POST")
    if not influx.environment:
        with urllib.request.urlopen(request, timeout=10) as answer:
            assert answer.status == 204
        return
    with pytest.raises(urllib.error.HTTPError, match="401") as refused:
        urllib.request.urlopen(request, timeout=10)
    refused.value.close()


def test_a_server_that_was_killed_comes_back_with_its_points_at_its_port(tmp_path: Path) -> None:
    with influxdb("1.8", tmp_path / "server") as server:
        server.create("kept")
        server.write("kept", b"m n=1i 1")
        url = server.url
        server.kill()
        server.start()
        assert server.url == url
        assert [one.rows for one in server.query('SELECT "n" FROM "m"', "kept")] == [((1, 1),)]


NS = 1_700_000_000_000_000_000


def database_at(influx: InfluxDB, url: str) -> Database:
    found = choose_database(url, None, influx.environment)
    assert found is not None
    return found


def sent(influx: InfluxDB, url: str, folder: Path, *lines: str) -> JournalSender:
    """A journal of these lines, sent as far as it goes."""
    journal = folder / "journal.lp"
    with journal.open("a", encoding="utf-8") as file:
        file.writelines(f"{line} {NS + number}\n" for number, line in enumerate(lines))
    database = database_at(influx, url)
    writer, sender = Writer(database), JournalSender(journal, database.destination.url)
    while (answer := sender.step(writer)) is not None and answer.meaning is Meaning.TAKEN:
        pass
    writer.close()
    return sender


def test_a_database_that_is_not_there_yet_costs_no_point(influx: InfluxDB, tmp_path: Path) -> None:
    url = influx.write_url("unborn")
    assert sent(influx, url, tmp_path, "m v=1i", "m v=2i").sent.offset == 0
    influx.create("unborn")
    assert sent(influx, url, tmp_path).sent.points == 2
    assert len(stored(influx, "unborn")) == 2


def test_a_bucket_that_is_missing_in_the_newer_interface_costs_no_point(influx: InfluxDB, tmp_path: Path) -> None:
    """InfluxDB 1.8 answers 500 there."""
    url = f"{influx.url}?org=drills&bucket=nowhere"
    assert sent(influx, url, tmp_path, "m v=1i").sent.offset == 0


def test_a_line_of_another_type_costs_only_itself(influx: InfluxDB, tmp_path: Path) -> None:
    url = influx.create("types")
    influx.write("types", f"m v=1i {NS - 1}\n".encode())
    sender = sent(influx, url, tmp_path, "m v=2i", 'm v="a text"', "m v=3i")
    assert (sender.sent.points, sender.sent.refused, sender.left()) == (2, 1, 0)
    assert len(stored(influx, "types")) == 3


def test_a_line_that_it_cannot_parse_costs_only_itself(influx: InfluxDB, tmp_path: Path) -> None:
    url = influx.create("torn")
    sender = sent(influx, url, tmp_path, *(f"m v={number}i" for number in range(50)), "m v=", "m v=1i,")
    assert (sender.sent.points, sender.sent.refused, sender.left()) == (50, 2, 0)
    assert len(stored(influx, "torn")) == 50


def test_who_may_not_write_is_told_so_and_nothing_is_given_up(influx: InfluxDB, tmp_path: Path) -> None:
    if not influx.environment:
        pytest.skip("it lets everybody write")
    database = database_at(influx, influx.create("closed"))
    stranger = dataclasses.replace(database, credentials=Credentials(token="wrong", user="x", password="wrong"))
    writer = Writer(stranger)
    answer = writer.post(f"m v=1i {NS}\n".encode())
    writer.close()
    assert answer.meaning is Meaning.WAIT
    assert answer.why.startswith("401")
    with pytest.raises(TelemetryError, match="accepts no points: 401"):
        try_database(stranger)


def test_a_trial_tells_and_writes_nothing(influx: InfluxDB) -> None:
    url = influx.create("tried")
    assert "accepts points" in try_database(database_at(influx, url))
    assert stored(influx, "tried") == {}
    with pytest.raises(TelemetryError, match="accepts no points: 404"):
        try_database(database_at(influx, influx.write_url("untried")))
