"""A run directory from a database's points: there whole, or not at all. The real servers are in integration."""

import json
import re
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from support.kept_runs import kept_run
from support.stored import StoredPoints
from switchover.cli.main import main
from switchover.model.errors import DatabaseError, RunDirectoryError, SwitchoverError, UsageError
from switchover.report.verdict_points import write_verdict_points
from switchover.rundir.journal import read_journal
from switchover.rundir.measurements import EVENT, HAPROXY, SCRAPE, VERDICT
from switchover.rundir.points import Point
from switchover.rundir.run_directory import read_run
from switchover.streaming.influx import fetch as fetching
from switchover.streaming.influx.database_client import DatabaseClient, StoredSeries
from switchover.streaming.influx.fetch import Fetched, fetch_run
from switchover.streaming.influx.stored_points import WINDOW_NS, PointReader, _typed

RUN = "20261122T100603Z-node-down"


@pytest.fixture(scope="module")
def points(tmp_path_factory: pytest.TempPathFactory) -> list[Point]:
    """Of a real run, its verdict included."""
    directory = kept_run("node-down", tmp_path_factory.mktemp("kept"))
    write_verdict_points(directory, read_run(directory), json.loads((directory / "verdict.json").read_bytes()))
    return list(read_journal(sorted(directory.glob("journal*.lp"))))


def fetch(stored: StoredPoints, parent: Path, run: str = RUN) -> Fetched:
    return fetch_run(cast(DatabaseClient, stored), run, parent, lambda points, total: None)


def test_every_point_comes_back_as_the_run_wrote_it(points: list[Point], tmp_path: Path) -> None:
    fetched = fetch(StoredPoints(points), tmp_path / "runs")
    assert fetched.directory == tmp_path / "runs" / RUN
    assert fetched.is_judged and not fetched.notes
    again = list(read_journal(sorted(fetched.directory.glob("journal*.lp"))))
    by_key = {(point.measurement, frozenset(point.tags.items()), point.time_ns): point for point in again}
    assert len(again) == len(points) == len(by_key)
    for point in points:
        assert by_key[point.measurement, frozenset(point.tags.items()), point.time_ns].fields == point.fields


def test_a_run_is_asked_for_by_measurement_and_in_windows_of_ten_minutes() -> None:
    asked: list[str] = []

    class Asked(StoredPoints):
        def query(self, influxql: str) -> list[StoredSeries]:
            asked.append(influxql)
            return super().query(influxql)

    points = [Point(EVENT, {"kind": kind}, {"text": "x"}, at_ns) for kind, at_ns in (("a", 5), ("b", 5 + WINDOW_NS))]
    reader = PointReader(cast(DatabaseClient, Asked(points)), "it's")
    assert list(reader.read()) == points
    assert (reader.points, reader.counted, reader.left_out) == (2, 2, 0)
    begin = 'SELECT * FROM "switchover_event" WHERE "run" = \'it\\\'s\''
    assert [one for one in asked if "switchover_event" in one] == [
        f"{begin} ORDER BY time ASC LIMIT 1",
        f"{begin} ORDER BY time DESC LIMIT 1",
        f"{begin} AND time >= 5 AND time < 600000000005 GROUP BY *",
        f"{begin} AND time >= 600000000005 AND time < 1200000000005 GROUP BY *",
    ]


def test_what_this_version_does_not_know_is_counted_and_a_point_of_nothing_else_left_out() -> None:
    points = [
        Point(EVENT, {"kind": "a"}, {"unheard": 1}, 5),
        Point(EVENT, {"kind": "b"}, {"text": "x", "unheard": 1, "more": 2}, 6),
        Point(HAPROXY, {"server": "web1"}, {"a_new_column": 7, "another": "x"}, 7),
    ]
    reader = PointReader(cast(DatabaseClient, StoredPoints(points)), "r")
    assert [(point.measurement, point.fields) for point in reader.read()] == [
        (HAPROXY, {"a_new_column": 7}),
        (EVENT, {"text": "x"}),
    ]
    assert (reader.points, reader.counted, reader.left_out) == (2, 2 + 1, 4)


@pytest.mark.parametrize(
    ("kind", "stored", "value"),
    [
        (float, 3, 3.0),
        (float, 3.5, 3.5),
        (float, True, None),
        (float, "3", None),
        (int, 3, 3),
        (int, 2**63 - 1, 2**63 - 1),
        (int, 2**63, None),
        (int, -(2**63), -(2**63)),
        (int, -(2**63) - 1, None),
        (int, True, None),
        (int, 3.0, None),
        (bool, False, False),
        (bool, 1, None),
        (str, "x", "x"),
        (str, 1, None),
        (None, "x", None),
    ],
)
def test_a_value_is_of_the_type_that_a_run_writes(kind: type | None, stored: object, value: object) -> None:
    found = _typed(kind, stored)
    assert (type(found), found) == (type(value), value)


def test_how_far_it_is_is_told_every_so_many_points(
    points: list[Point], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "REPORTED_EVERY", 100)
    told: list[tuple[int, int]] = []
    stored = cast(DatabaseClient, StoredPoints(points))
    fetched = fetch_run(stored, RUN, tmp_path, lambda *far: told.append(far))
    total = len(points)
    assert told == [(read, total) for read in range(100, total + 1, 100)]
    described = read_run(fetched.directory).fetched
    assert described is not None and (described.points, described.database) == (total, StoredPoints.url)
    assert abs((described.at_us or 0) / 1e6 - time.time()) < 60


def test_a_directory_that_comes_in_between_stays_and_what_was_fetched_goes(
    points: list[Point], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "REPORTED_EVERY", len(points))
    with pytest.raises(RunDirectoryError) as caught:
        fetch_run(cast(DatabaseClient, StoredPoints(points)), RUN, tmp_path, lambda *_: (tmp_path / RUN).mkdir())
    assert str(caught.value) == f"cannot create {tmp_path / RUN}: File exists"
    assert list(tmp_path.rglob("*")) == [tmp_path / RUN]


def test_where_no_directory_can_be_made_it_says_why(points: list[Point], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(RunDirectoryError) as caught:
        fetch(StoredPoints(points), tmp_path / "file")
    assert str(caught.value) == f"cannot create {tmp_path / 'file' / RUN}: Not a directory"


def test_what_is_fetched_is_shown_listed_and_verified(
    points: list[Point], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = fetch(StoredPoints(points), tmp_path).directory
    assert main(["report", str(directory)]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"MEASURED  {RUN}\n") and "3,080 ms (−89/+0)" in said  # noqa: RUF001
    assert "fetched from http://influx:8086?db=drills" in said and "not here, for no database has it" in said
    assert main(["report", "--json", str(directory)]) == 0
    assert json.loads(capsys.readouterr().out)["word"] == "MEASURED"
    assert main(["verify", str(directory)]) == 0
    capsys.readouterr()
    assert main(["history", "--json", str(tmp_path)]) == 0
    (entry,) = json.loads(capsys.readouterr().out)["runs"]
    assert (entry["run"], entry["target"], entry["fault"], entry["word"]) == (RUN, "lab", "node-down", "MEASURED")


def test_its_page_draws_every_request_that_the_verdict_counted(points: list[Point], tmp_path: Path) -> None:
    odd = Point(EVENT, {"kind": "warning"}, {"text": "</script><b>odd"}, points[0].time_ns)
    directory = fetch(StoredPoints([*points, odd]), tmp_path).directory
    assert main(["report", str(directory)]) == 0
    page = (directory / "report.html").read_text()
    assert "not here, for no database has it" in page and "<b>odd" not in page
    drawn = re.search(r'<script type="application/json" id="data">(.*?)</script>', page)
    assert drawn is not None
    verdict = json.loads((directory / "verdict.json").read_text())
    for population, counts in zip(json.loads(drawn[1])["populations"], ("samples", "probes"), strict=True):
        good = sum(sum(one) for one in population["backends"].values())
        failed = sum(sum(one) for one in population["failed"].values())
        assert (good + sum(population["late"]) + failed, failed) == (
            verdict[counts]["total"],
            verdict[counts]["failed"],
        )


def test_nothing_is_judged_again_or_healed_from_half_the_evidence(
    points: list[Point], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = str(fetch(StoredPoints(points), tmp_path).directory)
    other = str(kept_run("haproxy-kill-quiet", tmp_path))
    for command in (
        ["report", directory, "--budget", "outage=1s"],
        ["compare", directory, other],
        ["heal", directory],
    ):
        assert main(command) == 2
        said = capsys.readouterr().err
        assert "was fetched from a database" in said and said.count("\n") == 1


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("verdict.json", "3080.274", "80.274", "verdict.json differs from journal-verdict.lp"),
        ("journal-verdict.lp", "3080.274", "0080.274", "journal-verdict.lp is damaged"),
        ("journal.lp", "kind=fault", "kind=faulx", "journal.lp is damaged"),
    ],
)
def test_a_file_that_was_changed_is_found(
    name: str, old: str, new: str, said: str, points: list[Point], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = fetch(StoredPoints(points), tmp_path).directory
    change(directory / name, old, new)
    assert main(["verify", str(directory)]) == 1
    assert said in capsys.readouterr().out


def test_the_runs_own_directory_counts_before_a_fetched_copy(
    points: list[Point], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fetch(StoredPoints(points), tmp_path / "a")
    kept_run("node-down", tmp_path / "z")
    assert main(["history", "--json", str(tmp_path)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [run["path"] for run in found["runs"]] == ["z/node-down"] and "is counted once" in found["notes"][0]


def test_a_directory_that_is_there_is_left_as_it_is(points: list[Point], tmp_path: Path) -> None:
    (tmp_path / RUN).mkdir()
    with pytest.raises(RunDirectoryError, match="is there already, and is left as it is"):
        fetch(StoredPoints(points), tmp_path)
    assert list(tmp_path.rglob("*")) == [tmp_path / RUN]


@pytest.mark.parametrize("run", ["../../etc", "a/b", "..", ".hidden", "", "a\nb", "x" * 101, "' OR 'a'='a"])
def test_a_name_that_is_no_name_of_a_run_makes_no_directory(run: str, points: list[Point], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no name of a run"):
        fetch(StoredPoints(points), tmp_path, run)
    assert not list(tmp_path.iterdir())


def test_of_a_long_name_that_is_none_the_beginning_is_told(points: list[Point], tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        fetch(StoredPoints(points), tmp_path, "x" * 101)
    assert str(caught.value) == f"'{'x' * 60}' is no name of a run: 'switchover influx runs' lists them"


def test_what_no_file_can_hold_is_written_as_a_question_mark(points: list[Point], tmp_path: Path) -> None:
    odd = Point(EVENT, {"kind": "warning"}, {"text": "a\ud800b"}, points[0].time_ns)
    fetched = fetch(StoredPoints([*points, odd]), tmp_path)
    assert 'text="a?b"' in (fetched.directory / "journal.lp").read_text()


def test_figures_of_more_digits_than_a_journal_has_are_the_same_in_each_file(
    points: list[Point], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    finer = [
        replace(one, fields={name: _finer(value) for name, value in one.fields.items()})
        if one.measurement == VERDICT
        else one
        for one in points
    ]
    assert main(["verify", str(fetch(StoredPoints(finer), tmp_path).directory)]) == 0


def _finer(value: Any) -> Any:
    return value + 0.000_123_456_789 if isinstance(value, float) else value


def test_a_full_disk_leaves_nothing(points: list[Point], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "REPORTED_EVERY", 100)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(RunDirectoryError, match=r"^cannot write .*: No space left on device$"):
        fetch_run(cast(DatabaseClient, StoredPoints(points)), RUN, tmp_path, full)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("answers", [0, 1, 5, 20])
def test_a_database_that_goes_away_meanwhile_leaves_nothing(
    answers: int, points: list[Point], tmp_path: Path
) -> None:
    with pytest.raises(DatabaseError, match="Connection refused"):
        fetch(StoredPoints(points, answers), tmp_path)
    assert not list(tmp_path.iterdir())


def without_text(points: list[Point]) -> list[Point]:
    """A word of another type than a run writes."""
    return [
        Point(one.measurement, one.tags, {**one.fields, "word": 5}, one.time_ns)
        if one.measurement == VERDICT
        else one
        for one in points
    ]


def with_foreign_word(points: list[Point]) -> list[Point]:
    return [
        Point(one.measurement, one.tags, {**one.fields, "word": "../x"}, one.time_ns)
        if one.measurement == VERDICT
        else one
        for one in points
    ]


@pytest.mark.parametrize(
    ("change_points", "error"),
    [
        (with_foreign_word, f"^drills: {RUN} cannot be fetched: its word is '../x', and that is none$"),
        (lambda points: [], f"^drills has no points of a run {RUN}: 'switchover influx runs' lists them$"),
    ],
)
def test_what_no_run_of_ours_has_written_is_one_line(
    change_points: Callable[[list[Point]], list[Point]], error: str, points: list[Point], tmp_path: Path
) -> None:
    with pytest.raises(SwitchoverError, match=error):
        fetch(StoredPoints(change_points(points)), tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_run_that_still_goes_on_is_not_fetched(points: list[Point], tmp_path: Path) -> None:
    class Growing(StoredPoints):
        def query(self, influxql: str) -> Any:
            self.points.append(Point(SCRAPE, {"node": "lb1"}, {"ok": True}, points[-1].time_ns))
            return super().query(influxql)

    with pytest.raises(
        DatabaseError, match=rf"^drills: [\d,]+ points of {RUN} were read, and [\d,]+ are there: does it"
    ):
        fetch(Growing(points), tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_run_that_was_not_judged_has_no_verdict_and_says_so(
    points: list[Point], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    left = [point for point in points if point.measurement != VERDICT and point.tags.get("kind") != "end"]
    fetched = fetch(StoredPoints(left), tmp_path)
    assert not fetched.is_judged and fetched.notes == (
        "the database has no end of this run: it may still go on, or was ended before its time",
        "the database has no verdict of this run: it was not judged, and what is here is too little",
    )
    assert main(["report", str(fetched.directory)]) == 2
    assert "has no verdict" in capsys.readouterr().err
    assert main(["history", "--json", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["runs"][0]["word"] == "not judged"


def test_a_database_that_keeps_verdicts_alone_gives_a_run_of_figures_alone(
    points: list[Point], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fetched = fetch(StoredPoints([point for point in points if point.measurement == VERDICT]), tmp_path)
    assert fetched.is_judged
    assert main(["report", str(fetched.directory)]) == 0
    assert "3,080 ms" in capsys.readouterr().out and (fetched.directory / "report.html").exists()
    assert main(["verify", str(fetched.directory)]) == 0
    assert main(["upload", str(fetched.directory)]) == 2
    assert "--influx" in capsys.readouterr().err


def test_values_of_another_type_are_left_out_and_counted(points: list[Point], tmp_path: Path) -> None:
    odd = Point(EVENT, {"kind": "start", "node": "a b,c=d"}, {"text": 7, "more": "x"}, points[0].time_ns)
    fetched = fetch(StoredPoints([*without_text(points), odd]), tmp_path)
    left_out = "3 values are left out: this version knows no such field, or another type"
    assert fetched.notes[-1] == left_out and not fetched.is_judged


def test_points_decades_apart_are_read_in_bounded_steps(points: list[Point], tmp_path: Path) -> None:
    far = Point(EVENT, {"kind": "warning"}, {"text": "long ago"}, 1)
    fetched = fetch(StoredPoints([far, *points], answers=4000), tmp_path)
    assert "long ago" in (fetched.directory / "journal.lp").read_text()


def test_a_run_that_cannot_be_fetched_keeps_no_other_from_it(
    points: list[Point], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("switchover.cli.fetch.DatabaseClient", lambda _: nullcontext(StoredPoints(points)))
    asked = ["--influx", "http://influx:8086?db=drills", "--out", str(tmp_path)]
    assert main(["fetch", "../x", RUN, *asked]) == 2
    said = capsys.readouterr()
    assert said.out == f"Fetched: {tmp_path / RUN}\n" and "'../x' is no name of a run" in said.err
    assert main(["fetch", RUN, *asked]) == 2
    assert "is there already" in capsys.readouterr().err
