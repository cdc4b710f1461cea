"""What a change cost by the balancers' own logs, in which nothing stands of a request that reached none of them."""

import json
import random
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from switchover.cli.main import main

BEGIN_S = 1_767_225_600.25
DOWN, UP = 40.0, 43.4
"""When lb1 went away, and lb2 answered; seconds after the begin."""
END = 90.0
WINDOW = ("2026-01-01T00:00:20", "2026-01-01T00:01:20")
JOINED = ("--clocks-within", "20ms")
Line = tuple[float, str]
"""When it began, and how it is written."""


def line(at_s: float, *, status: int = 200, server: str = "web/web1", path: str = "/a", took_ms: int = 3) -> Line:
    at = datetime.fromtimestamp(BEGIN_S + at_s, UTC)
    stamp = f"{at:%d/%b/%Y:%H:%M:%S}.{at.microsecond // 1000:03d}"
    return at_s, (
        f"198.18.0.1:{10_000 + int(at_s * 500)} [{stamp}] www {server} 0/0/1/2/{took_ms} {status} 1100 - - ---- "
        f'1/1/0/0/0 0/0 "GET {path} HTTP/1.1"'
    )


def arrivals(seed: int, rate: float) -> list[float]:
    """At random."""
    chance, found = random.Random(seed), [0.0]
    while found[-1] < END:
        found.append(found[-1] + chance.expovariate(rate))
    return found[1:-1]


def logs(folder: Path, lines: Iterable[Line]) -> list[str]:
    """Of lb1 up to the outage, and of lb2 after it; as options."""
    every = sorted(lines)
    statuses = []
    for name, mine in (
        ("lb1", [text for at, text in every if at < DOWN]),
        ("lb2", [text for at, text in every if at >= DOWN]),
    ):
        (folder / f"{name}.log").write_text("\n".join([*mine, ""]), encoding="utf-8")
        statuses += ["--haproxy-log", f"{name}={folder / name}.log"]
    return statuses


def report(folder: Path, lines: Iterable[Line], *window: str) -> dict[str, Any]:
    out = folder / "out"
    main(["report", "--window", *(window or WINDOW), *logs(folder, lines), *JOINED, "--out", str(out)])
    found: dict[str, Any] = json.loads((out / "verdict.json").read_text(encoding="utf-8"))
    return found


def served(times: Iterable[float]) -> list[Line]:
    return [line(at) for at in times if not DOWN <= at < UP]


@pytest.mark.parametrize("rate", [5, 40, 400])
@pytest.mark.parametrize("seed", range(3))
def test_an_outage_of_both_balancers_is_no_longer_than_their_silence(rate: float, seed: int, tmp_path: Path) -> None:
    (found,) = report(tmp_path, served(arrivals(seed, rate)))["load"]["silences"]
    assert found["outage"] is None and found["longest"]["failed"] == 0
    assert (UP - DOWN) * 1000 <= found["longest"]["high_ms"] < (UP - DOWN) * 1000 + 2 * 9000 / rate


def test_failures_prove_a_part_of_the_silence(tmp_path: Path) -> None:
    lines = [line(at, status=503 if DOWN <= at < DOWN + 0.3 else 200) for at in arrivals(1, 50)]
    (found,) = report(tmp_path, [one for one in lines if not DOWN + 0.3 <= one[0] < UP])["load"]["silences"]
    one = found["outage"]
    assert one == found["longest"] and one["by_kind"] == {"status": one["failed"]}
    assert 150 < one["low_ms"] <= 300 and one["high_ms"] >= (UP - DOWN) * 1000


def test_each_balancer_is_judged_by_itself_if_nothing_is_known_of_their_clocks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["report", "--window", *WINDOW, *logs(tmp_path, served(arrivals(1, 40))), "--json"])
    first, second = json.loads(capsys.readouterr().out)["load"]["silences"]
    assert [Path(one["file"]).name for one in (first, second)] == ["lb1.log", "lb2.log"]
    assert first["longest"]["high_ms"] > 39_000 and second["longest"]["high_ms"] > 23_000


def test_where_the_logs_end_before_the_window_that_is_said(tmp_path: Path) -> None:
    verdict = report(tmp_path, [line(at) for at in arrivals(1, 40) if at < 60])
    (said,) = [text for text in verdict["warnings"] if "nothing is known" in text]
    assert said == "the logs end at 2026-01-01 00:01:00: nothing is known of the window after that"
    assert verdict["load"]["silences"][0]["longest"]["high_ms"] > 19_000


@pytest.mark.parametrize("text", ["", "[WARNING] Server web/web1 is DOWN, reason: Layer4 timeout.\n"])
def test_the_log_of_a_backup_that_had_nothing_to_do_is_no_mistake(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    statuses = logs(tmp_path, [line(at) for at in arrivals(1, 40) if at < DOWN])
    (tmp_path / "lb2.log").write_text(text, encoding="utf-8")
    assert main(["report", "--window", *WINDOW, *statuses, "--json"]) == 0
    assert "lb2.log has no request in it" in json.loads(capsys.readouterr().out)["warnings"]
    assert main(["report", "--window", *WINDOW, *statuses[2:]]) == 2
    assert "has no request in it" in capsys.readouterr().err


def test_only_requests_of_the_window_count_and_what_a_balancer_answered_itself_does_not(tmp_path: Path) -> None:
    lines = [line(at) for at in arrivals(1, 40)]
    scrapes = [line(at, server="control/<STATS>", path="/stats") for at in range(1, 90)]
    errors = [line(50 + at / 10, server="web/<NOSRV>", status=503) for at in range(3)]
    verdict = report(tmp_path, [*served(at for at, _ in lines), *scrapes, *errors])
    inside = [at for at, _ in lines if 19.75 <= at < 79.75 and not DOWN <= at < UP]
    assert (verdict["samples"]["total"], verdict["samples"]["failed"]) == (len(inside) + 3, 3)
    assert any(
        text.startswith("60 answers that a balancer made itself without an error") for text in verdict["warnings"]
    )


@pytest.mark.parametrize(
    ("statuses", "why"),
    [
        (["--window", "now", "2026-01-01T00:00:20"], "--window: 'now' is no time: write "),
        (["--window", WINDOW[1], WINDOW[0]], "--window: 2026-01-01T00:00:20 is not after 2026-01-01T00:01:20"),
        (["--window", WINDOW[0], WINDOW[1] + "Z"], "--window: write both times with a zone, or none of them"),
        (["--window", *(f"{at}Z" for at in WINDOW)], "these logs name no zone: write the times of --window as "),
        (["--window", "2026-02-01T00:00", "2026-02-01T00:01"], "no request of the window 2026-02-01 00:00:00 to "),
        (["--window", *WINDOW, "--columns", "a"], "--columns, --time-format and --backend-from are not for a "),
        (["--window", *WINDOW, "runs"], "--window looks at balancers' logs and nothing else: name each with "),
    ],
)
def test_what_cannot_be_a_window_is_one_line(
    statuses: list[str], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", *statuses, *logs(tmp_path, served(arrivals(1, 40)))]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"switchover: {why}") and said.count("\n") == 1


def test_a_report_of_nothing_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report"]) == 2
    assert capsys.readouterr().err.startswith("switchover: name run directories, ")
    assert main(["report", "--window", *WINDOW]) == 2
    assert capsys.readouterr().err.startswith("switchover: --window looks at balancers' logs")
