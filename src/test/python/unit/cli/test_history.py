"""`switchover history`: on a screen of any width, as data, and one line for what is wrong."""

from pathlib import Path

import pytest

from support.many_runs import make_run, make_runs, real_run
from switchover.cli.main import main
from switchover.verdict.record import Status


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_runs(tmp_path, 12)
    return tmp_path


@pytest.mark.parametrize("columns", [80, 120])
def test_a_table_fits_the_screen_and_cuts_nothing(
    folder: Path, columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main(["history", str(folder), "--last", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= columns
    assert "…" not in "".join(lines)
    assert lines[-1] == "12 runs, the last 2 runs are listed"
    assert sum("3 of 3" in line for line in lines) == 4


def test_what_is_odd_is_told_first_and_the_other_runs_are_there(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "month-000" / "run-000001" / "run.json").write_bytes(b"")
    assert main(["history", str(folder), str(folder / "month-000"), "--last", "0"]) == 0
    out = capsys.readouterr().out
    assert "run-000001 is damaged: run.json: " in out
    assert out.count("is counted once") == 11
    assert out.splitlines()[-1].startswith("13 runs")


def test_a_damaged_run_does_not_pass_for_one_that_was_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "month-000" / "run-000001" / "run.json").write_bytes(b"")
    assert main(["history", str(folder), "--target", "labb"]) == 0
    out = capsys.readouterr().out
    assert "none of 11 runs matches the options; damaged runs may match\n" in out
    assert "median outage" not in out and out.splitlines()[-1] == "1 run"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--since", "soon"], "'soon' is not a time: write 2026-11-24, or 2026-11-24T16:30 (UTC)"),
        (["--last", "-1"], "'-1' is not a number of runs"),
    ],
)
def test_a_wrong_option_is_one_line(
    folder: Path, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main(["history", str(folder), *options])
    except SystemExit as ended:
        code = int(str(ended.code))
    assert code == 2
    assert said in capsys.readouterr().err


def test_since_is_a_date(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", str(folder), "--since", "2026-01-01"]) == 2
    assert capsys.readouterr().out == "none of 12 runs matches the options\nno runs\n"


def test_names_from_outside_are_never_commands_to_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_run(tmp_path, 0, *real_run(), fault="\x1b]0;owned\x07[red]")
    assert main(["history", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out and "\x07" not in out


def test_each_target_file_has_a_row_with_its_last_drill_and_what_was_usual_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs, runs = tmp_path / "pairs", tmp_path / "runs"
    pairs.mkdir()
    for name in ("shop", "till"):
        (pairs / f"{name}.toml").write_text('[target]\nurl = "http://198.18.0.50/"\n')
    run, verdict = real_run()
    for number, url, status in (
        *((number, "http://198.18.0.50/", Status.PASSED) for number in range(9)),
        (20, "http://198.18.0.50/", Status.DRY_RUN),
        (21, "http://198.18.0.50/", Status.NOT_FIRED),
        (22, "http://198.18.0.99/", Status.PASSED),
    ):
        run["target"] = {"url": url, "file": str(pairs / "shop.toml")}
        make_run(runs, number, run, verdict, fault="lb-kill", status=status)
    assert main(["history", str(runs), "--targets", str(pairs)]) == 0
    shop, till = [line for line in capsys.readouterr().out.splitlines() if "shop " in line or "till " in line]
    assert shop.split()[:7] == ["shop", "2023-11-15", "06:13", "lb-kill", "PASSED", "3.00", "s"]
    assert shop.rstrip().endswith(" 3.00 s")
    assert till.split() == ["till", "never", "-", "-", "-"]
    assert main(["history", str(runs), "--targets", str(runs)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
