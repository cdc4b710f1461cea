"""A scheduled drill that is not begun: one line and exit code 2 as ever, and a row in the history that is no run."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.kept_runs import kept_run
from support.many_runs import make_run, make_runs, real_run
from support.ports import closed_port
from switchover.cli.main import main
from switchover.drill.target_lock import TargetLock
from switchover.rundir.skipped_drill import keep_skipped_drill
from switchover.target.reader import load_target

REASON = "lb1 is in use: process 7 has it for run 20261125T030000Z-lb-kill; wait until it has ended"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    yield tmp_path


@pytest.fixture
def site() -> Iterator[Path]:
    """A target that does not answer."""
    with closed_port() as port:
        yield described(port)


def described(port: int) -> Path:
    path = Path("shop.toml")
    path.write_text(
        f"""[target]
url = "http://127.0.0.1:{port}/"
[[node]]
name = "lb1"
role = "balancer"
[fault.lb-kill]
kill = ["true"]
verify_down = ["true"]
heal = ["true"]
ready = ["true"]
[fault.other]
kill = ["not-on-this-machine"]
""",
        encoding="utf-8",
    )
    return path


def drilled(site: Path, *words: str) -> int:
    return main(["drill", "--target", str(site), "--fault", "lb-kill", "--generator", "none", *words])


def listed(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    capsys.readouterr()
    main(["history", "--json"])
    runs: list[dict[str, object]] = json.loads(capsys.readouterr().out)["runs"]
    return runs


def skip(out: Path = Path("runs"), fault: str = "node-down") -> Path:
    return keep_skipped_drill(
        out, fault, {"lab": True, "url": "http://198.18.0.50/"}, REASON, ["switchover", "drill"]
    )


def test_what_prevents_it_is_kept_with_its_pair_and_fault(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert drilled(site, "--arm", "--scheduled") == 2
    said = capsys.readouterr().err
    (run,) = listed(capsys)
    assert (run["word"], run["target"], run["fault"]) == ("SKIPPED", "shop", "lb-kill")
    assert (run["trusted"], run["outage"]) == (False, None)
    assert "no answer" in str(run["reason"])
    assert said == f"switchover: {run['reason']}\n"


def test_a_part_of_another_fault_prevents_nothing(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drilled(site, "--arm", "--scheduled")
    (run,) = listed(capsys)
    assert "not-on-this-machine" not in str(run["reason"])


def test_a_run_that_goes_on_prevents_it(
    site: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("switchover.cli.drill.check_target", lambda *_: [])
    with TargetLock(load_target(site), "another"):
        assert drilled(site, "--arm", "--scheduled") == 2
    (run,) = listed(capsys)
    assert "lb1 is in use: process" in str(run["reason"]) and "for run another" in str(run["reason"])


def test_a_target_file_that_cannot_be_read_prevents_it(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site.write_text("[target]\n", encoding="utf-8")
    assert drilled(site, "--arm", "--scheduled") == 2
    (run,) = listed(capsys)
    assert (run["word"], run["target"]) == ("SKIPPED", "shop")


def test_what_is_wrong_in_the_lab_prevents_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drill", "--fault", "nonsense", "--generator", "none", "--scheduled"]) == 2
    (run,) = listed(capsys)
    assert (run["word"], run["target"], run["fault"]) == ("SKIPPED", "lab", "nonsense")


def test_a_drill_at_the_keyboard_leaves_nothing(site: Path) -> None:
    assert drilled(site) == 2
    assert not Path("runs").exists()


@pytest.mark.parametrize("columns", [80, 120])
def test_the_table_has_a_row_and_the_reason(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    make_runs(Path("runs"), 4)
    skip()
    assert main(["history"]) == 0
    out = capsys.readouterr().out
    assert out.count("SKIPPED") == 3
    assert f"node-down of lab, SKIPPED: {REASON}" in " ".join(out.split())
    assert "1 MEASURED" in out
    assert out.splitlines()[-1] == "4 runs and 1 skipped drill"


def test_it_counts_as_no_run_of_its_fault(capsys: pytest.CaptureFixture[str]) -> None:
    make_runs(Path("runs"), 4)
    skip()
    main(["history", "--json", "--fault", "node-down"])
    (group,) = json.loads(capsys.readouterr().out)["groups"]
    assert (group["runs"], group["outages"], group["words"]) == (1, 1, {"MEASURED": 1, "SKIPPED": 1})
    assert group["last_us"] == 1_700_000_000_000_000


def test_a_fault_that_was_only_ever_skipped_has_no_runs(capsys: pytest.CaptureFixture[str]) -> None:
    skip()
    assert main(["history", "--word", "skipped", "--html", "history.html"]) == 0
    assert capsys.readouterr().out.splitlines()[-2] == "0 runs and 1 skipped drill"
    assert REASON in Path("history.html").read_text(encoding="utf-8")


def test_a_spreadsheet_has_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    skip()
    assert main(["history", "--csv"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["word"], row["reason"], row["began"][:2]) == ("SKIPPED", REASON, "20")


def test_it_says_nothing_of_what_is_usual(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = kept_run("node-down", tmp_path)
    for number in range(7):
        make_run(tmp_path, number, *real_run())
    skip(tmp_path)
    main(["report", str(run), "--budget", "outage=usual", "--json"])
    note = json.loads(capsys.readouterr().out)["budgets"][0]["note"]
    assert note == "7 earlier runs that can be compared; what is usual needs 8"


@pytest.mark.parametrize("words", [["report", "DIR"], ["verify", "DIR"], ["compare", "DIR", "--history"]])
def test_other_commands_say_that_it_is_no_run(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    directory = str(skip())
    assert main([directory if word == "DIR" else word for word in words]) == 2
    said = capsys.readouterr().err
    assert "is a drill that was skipped, not a run" in said and said.count("\n") == 1


def test_a_damaged_record_is_a_damaged_run(capsys: pytest.CaptureFixture[str]) -> None:
    (skip() / "skipped.json").write_text("{}", encoding="utf-8")
    assert main(["history"]) == 0
    assert "is damaged: it has no id or no reason" in capsys.readouterr().out


def test_a_fault_that_was_not_fired_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    run, verdict = real_run()
    run["fault"]["error"] = "the baseline was not well: nothing was fired"
    make_run(Path("runs"), 0, run, verdict)
    assert main(["history"]) == 0
    assert "node-down of lab, MEASURED: the baseline was not well: nothing was fired" in " ".join(
        capsys.readouterr().out.split()
    )
