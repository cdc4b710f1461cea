"""A run directory from a database's points: there whole, or not at all. The real servers are in integration."""

import json
import re
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any, cast

import pytest

from support.kept_runs import kept_run
from support.stored import StoredPoints
from switchover.cli.main import main
from switchover.model.errors import DatabaseError, RunDirectoryError, SwitchoverError, UsageError
from switchover.report.verdict_points import write_verdict_points
from switchover.rundir.journal import read_journal
from switchover.rundir.measurements import EVENT, SCRAPE, VERDICT
from switchover.rundir.points import Point
from switchover.rundir.run_directory import read_run
from switchover.streaming.influx.database_client import DatabaseClient
from switchover.streaming.influx.fetch import Fetched, fetch_run

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
    [(with_foreign_word, "cannot be fetched: its word is '../x'"), (lambda points: [], "has no points of a run")],
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

    with pytest.raises(DatabaseError, match="does it go on"):
        fetch(Growing(points), tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_run_that_was_not_judged_has_no_verdict_and_says_so(
    points: list[Point], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    left = [point for point in points if point.measurement != VERDICT and point.tags.get("kind") != "end"]
    fetched = fetch(StoredPoints(left), tmp_path)
    assert not fetched.is_judged and [note.split(":")[0] for note in fetched.notes] == [
        "the database has no end of this run",
        "the database has no verdict of this run",
    ]
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
    assert fetched.notes[-1].startswith("3 values are left out") and not fetched.is_judged


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
