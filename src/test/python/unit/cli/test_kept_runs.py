"""Real drills that were kept: their verdicts stay, any two can be compared, and what must be true of each."""

import json
import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console, RenderableType

from support.kept_runs import NAMES, kept_run
from switchover.cli.main import main
from switchover.report.compare.differences import Side, compare, differing, setting_of
from switchover.report.compare.form import EVENTS, comparison
from switchover.report.documents import read_judged

FIRST = "haproxy-kill-quiet"
FIVE = ("haproxy-kill-quiet", "haproxy-kill-busy", "haproxy-kill-jmeter", "haproxy-kill-locust", "keepalived-kill")


def verdict_of(directory: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((directory / "verdict.json").read_text(encoding="utf-8"))
    return found


def figures_of(value: Any) -> Any:
    """Drop all sentences: they may be written better."""
    if isinstance(value, dict):
        texts = ("text", "cause", "remedy", "warnings", "note")
        return {key: figures_of(one) for key, one in value.items() if key not in texts}
    return [figures_of(one) for one in value] if isinstance(value, list) else value


def outage_ms(verdict: dict[str, Any], event: str = "outage") -> float:
    """As it is compared: nothing where no probe was impaired, else the longest that it can have been."""
    return 0.0 if verdict[event]["kind"] == "none" else float(verdict[event]["high_ms"])


def split_brain_ms(verdict: dict[str, Any]) -> float:
    return sum(float(overlap["duration_ms"]) for overlap in verdict["split_brain"]["overlaps"])


@pytest.fixture(scope="module")
def five(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("five")
    directories = [kept_run(name, folder) for name in FIVE]
    main(["report", *map(str, directories)])
    return directories


@pytest.mark.parametrize("name", NAMES)
def test_a_report_gives_the_verdict_that_is_kept(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = kept_run(name, tmp_path)
    kept = verdict_of(directory)
    (directory / "verdict.json").unlink()
    assert main(["report", str(directory)]) == kept["exit_code"]
    assert figures_of(verdict_of(directory)) == figures_of(kept)
    assert capsys.readouterr().err == ""


def test_five_drills_are_compared_on_screen_by_the_figures_of_their_verdicts(
    five: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *map(str, five)]) == 0
    screen = capsys.readouterr().out
    for place, directory in enumerate(five):
        assert f"{chr(ord('A') + place)}  {directory.name}" in screen
    for place, directory in enumerate(five):
        duration_ms = outage_ms(verdict_of(directory))
        figure = f"{duration_ms / 1000:,.3f} s" if duration_ms else "0 s"
        assert figure in screen, f"the outage of {FIVE[place]}"
    split_brain = split_brain_ms(verdict_of(five[-1]))
    assert f"{split_brain / 1000:,.3f} s" in screen


def test_five_drills_are_compared_as_data_by_the_figures_of_their_verdicts(
    five: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "--json", *map(str, five)]) == 0
    data = json.loads(capsys.readouterr().out)
    verdicts = [verdict_of(directory) for directory in five]
    assert [side["runs"] for side in data["sides"]] == [[verdict["run"]] for verdict in verdicts]
    figures = {(one["name"], one["phase"]): [value["value"] for value in one["values"]] for one in data["figures"]}
    assert figures["outage", None] == [outage_ms(verdict) for verdict in verdicts]
    assert figures["failback", None] == [outage_ms(verdict, "failback") for verdict in verdicts]
    assert figures["split brain", None] == [split_brain_ms(verdict) for verdict in verdicts]
    rates = [verdict["probes"]["by_phase"]["on_backup"]["rate"] for verdict in verdicts]
    assert figures["probes: rate", "on_backup"] == pytest.approx(rates, abs=0.0005)
    loads = [verdict["samples"] and verdict["samples"]["by_phase"]["on_backup"]["rate"] for verdict in verdicts]
    measured = figures["load: rate", "on_backup"]
    assert (
        [rate is None for rate in measured] == [rate is None for rate in loads] == [True, False, False, False, True]
    )
    assert measured[1:4] == pytest.approx(loads[1:4], abs=0.0005)
    assert {one["name"]: one["values"] for one in data["setting"]}["generator"] == [
        "none", "locust", "jmeter", "locust", "none",
    ]  # fmt: skip


def test_what_has_no_report_is_not_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drill, other = kept_run("haproxy-kill-locust", tmp_path), kept_run("haproxy-kill-jmeter", tmp_path)
    for named, message in ((other, "'switchover report' creates both files"), (other / "samples.jtl", "is a log: ")):
        assert main(["compare", str(drill), str(named)]) == 2
        assert message in capsys.readouterr().err
        main(["report", str(drill)])
        capsys.readouterr()


def test_a_narrow_screen_has_every_figure_and_every_finding(five: list[Path]) -> None:
    sides = [Side(directory.name, [read_judged(directory)]) for directory in five]
    setting = differing([setting_of(side.drills[0].run) for side in sides])
    shown = comparison(sides, setting, compare(sides), everything=True)
    wide = printed(shown, 400)
    for columns in (80, 120):
        narrow = printed(shown, columns)
        assert "…" not in narrow and max(map(len, narrow.splitlines())) <= columns
        assert numbers_of(narrow) == numbers_of(wide)
        for finding in ("differs", "none", "unknown"):
            assert columns < 80 or narrow.count(finding) == wide.count(finding)


def test_without_a_proved_difference_no_table_is_printed(five: list[Path]) -> None:
    sides = [Side("same", [read_judged(five[0])])] * 2
    load = [figure for figure in compare(sides) if figure.name not in EVENTS]
    shown = printed(comparison(sides, [], load), 80)
    assert load and "Figures of A" not in shown
    assert f"without a proved difference: {len(load)} figures (add --all to print them)" in shown


def printed(shown: RenderableType, columns: int) -> str:
    console = Console(width=columns, file=StringIO())
    with console.capture() as captured:
        console.print(shown)
    return captured.get()


def numbers_of(printed: str) -> list[str]:
    """Of the tables of figures, in any order."""
    return sorted(re.findall(r"[+−]?\d[\d,.]*", printed[printed.index("− A") :]))


def change_verdict(directory: Path, **values: Any) -> None:
    path = directory / "verdict.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def change_lines(path: Path, change: Callable[[list[bytes]], list[bytes]]) -> None:
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))


@pytest.mark.parametrize("name", ["keepalived-kill", "haproxy-kill-locust", "haproxy-kill-jmeter"])
def test_a_real_run_holds(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = kept_run(name, tmp_path)
    assert main(["verify", str(directory)]) == 0
    assert capsys.readouterr().out == f"{directory}: all files are unchanged since the run\n"


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        (lambda run: (run / "journal.lp").write_bytes(b""), "journal.lp ends"),
        (lambda run: (run / "journal.lp").unlink(), "journal.lp is missing"),
        (
            lambda run: change_lines(run / "probes.jtl", lambda lines: lines[:-3]),
            "probes.jtl contains 633 requests, but the run recorded 636 requests",
        ),
        (lambda run: change_verdict(run, schema="x"), "verdict.json: Expected"),
        (lambda run: change_verdict(run, run="another"), "verdict.json: run differs from the other files"),
        (lambda run: change_verdict(run, failback=None), "verdict.json: failback differs from the other"),
    ],
)
def test_each_invariant_that_does_not_hold_is_one_line(
    damage: Callable[[Path], object], line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = kept_run("keepalived-kill", tmp_path)
    damage(directory)
    assert main(["verify", str(directory)]) == 1
    assert [one for one in capsys.readouterr().out.splitlines() if one.startswith(line)]


def test_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = kept_run("keepalived-kill", tmp_path)
    change_verdict(directory, run="x")
    assert main(["verify", "--json", str(directory)]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["holds"] is False
    assert len(found["violations"]) == 1


def test_what_cannot_be_read_ends_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
