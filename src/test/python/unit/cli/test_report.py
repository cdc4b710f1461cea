"""`switchover report`: from a run directory to verdict.json, junit.xml, a summary and an exit code."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from support.run_directories import written
from switchover.cli.main import build_parser
from switchover.evidence.access_paths import path_of
from switchover.model.errors import RunDirectoryError
from switchover.report.make_report import make_report
from switchover.rundir.sample_log import SampleWriter
from switchover.verdict.record import State
from synthetic import drill


def report(*arguments: str | Path) -> int:
    parsed = build_parser("report").parse_args(["report", *map(str, arguments)])
    return int(parsed.handler(parsed))


def test_a_report_is_written_shown_and_pointed_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = written(tmp_path / "run", drill())
    assert report(directory) == 0
    out = capsys.readouterr().out
    assert out.startswith("MEASURED") and out.splitlines()[-1] == f"  Report      {directory / 'report.html'}"
    assert json.loads((directory / "verdict.json").read_text(encoding="utf-8"))["verdict"] == "MEASURED"
    assert (directory / "junit.xml").read_bytes().startswith(b"<?xml")


def test_the_limits_of_the_run_hold_unless_others_are_given(tmp_path: Path) -> None:
    data = drill()
    data.run.settings |= {"limits": ["outage=1s"]}
    directory = written(tmp_path / "run", data)
    assert report(directory) == 1
    assert report(directory, "--limit", "outage=4s") == 0


def test_a_table_that_never_found_room_on_the_disk_is_missing_and_hides_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = drill()
    data.run.parts += ["access-web1.csv", "samples.jtl", "probes.jtl"]
    directory = written(tmp_path / "run", data)
    (directory / "access-web1.csv").touch()
    (directory / "samples.jtl").touch()
    assert report(directory) == 2
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("INVALID") and "probes during the outage" in said
    assert "access-web1.csv is missing" in said and "samples.jtl is missing" in said
    assert "probes.jtl is missing" not in said


def test_making_it_again_changes_nothing(tmp_path: Path) -> None:
    directory = written(tmp_path / "run", drill())
    report(directory)
    first = [(directory / name).read_bytes() for name in ("verdict.json", "junit.xml")]
    report(directory)
    assert first == [(directory / name).read_bytes() for name in ("verdict.json", "junit.xml")]


def test_the_worst_of_several_runs_is_the_exit_code(tmp_path: Path) -> None:
    good, bad = drill(), drill()
    bad.run.id, bad.run.plan.confirmed_us = "other", None
    assert report(written(tmp_path / "a", good), written(tmp_path / "b", bad)) == 2


def test_a_folder_of_runs_stands_for_the_runs_in_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a", "b"):
        data = drill()
        data.run.id = name
        written(tmp_path / "repeat" / name, data)
    assert report(tmp_path / "repeat") == 0
    assert capsys.readouterr().out.count("MEASURED") == 2


def test_what_a_stranger_asked_a_backend_for_cannot_end_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = written(tmp_path / "run", drill())
    lines = ["time_us,path", "1,//[x", "1,http://[y/", "never,/", "2"]
    (directory / "access-web1.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    report(directory)
    assert "2 lines of the run directory could not be read" in capsys.readouterr().out
    assert path_of("//[x?a=1") == "//[x" and path_of("http://h/p?a=1") == "/p" and path_of("http://h") == "/"


def repeats(parent: Path, *, invalid: int) -> Path:
    for number in range(4):
        data = drill()
        data.run.id = str(number)
        if number < invalid:
            data.run.plan.confirmed_us = None
        written(parent / str(number), data)
    return parent


def test_a_folder_of_repeats_is_summed_up_again_with_what_can_be_trusted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parent = repeats(tmp_path / "20240101T000000Z-haproxy-kill-x5", invalid=1)
    assert report(parent) == 2
    assert "4 of 5 drills; 1 invalid\n" in capsys.readouterr().out
    summary = json.loads((parent / "summary.json").read_text(encoding="utf-8"))
    assert (summary["asked"], summary["done"], summary["invalid"], len(summary["series"]["outages_ms"])) == (
        5,
        4,
        1,
        3,
    )
    renamed = parent.rename(tmp_path / "kept")
    assert report(renamed, "--json") == 2
    assert json.loads(capsys.readouterr().out)["asked"] == 5


def test_parts_of_one_run_are_judged_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = drill()
    data.run.parts = ["samples-host2.jtl"]
    directory = written(tmp_path / "run", data)
    assert report(directory) == 2
    part = tmp_path / "host2"
    part.mkdir()
    SampleWriter(part / "samples-host2.jtl").close()
    (part / "samples-host2.jtl").touch()
    capsys.readouterr()
    assert report(directory, part) == 0


def test_a_damaged_access_log_is_one_clear_line(tmp_path: Path) -> None:
    directory = written(tmp_path / "run", drill())
    (directory / "access-web1.csv").write_text("when,path\n1,/\n", encoding="utf-8")
    with pytest.raises(RunDirectoryError, match=r"access-web1\.csv is not the access log"):
        report(directory)


def test_logs_and_journals_that_are_not_as_the_run_left_them_are_named_and_invalid(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = written(tmp_path / "run", drill())
    with (directory / "probes.jtl").open("ab") as file:
        file.write(b"1700000000000,5,pro")
    with (directory / "journal.lp").open("ab") as file:
        file.write(b"\x00\xff garbage\nswitchover_vrrp,node=lb1 state=")
    assert report(directory) == 2
    out = capsys.readouterr().out
    assert (
        "journal.lp has a line that is not a complete point" in out
        and "probes.jtl does not match its checksum" in out
    )


def test_a_verdict_that_cannot_be_written_is_shown_and_ends_with_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = written(tmp_path / "run", drill())
    (directory / "verdict.json.part").mkdir()
    assert report(directory) == 2
    out = capsys.readouterr().out
    assert "outage 3.01 s" in out and "cannot write" in out
    assert out.splitlines()[-1].startswith("  Report      none: ")


def test_a_run_that_could_not_be_saved_is_judged_from_memory_and_invalid(tmp_path: Path) -> None:
    data = drill()
    directory = written(tmp_path / "run", data)
    verdict = make_report(directory, run=replace(data.run, settings=data.run.settings | {"limits": ["outage=1ms"]}))
    assert [result.state for result in verdict.record.limits if result.name == "outage"] == [State.EXCEEDED]
    assert verdict.record.exit_code == 2 and "uses data in memory" in verdict.record.reasons[-1].text
