"""Sample logs that somebody else's load generator wrote: what can be read is judged, the rest is told in one line."""

import json
import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from support.checkout import CHECKOUT
from support.request_tables import samples_of
from switchover.cli.main import main
from switchover.evidence.log_run import load_logs
from switchover.evidence.requests.reader import HowToRead
from switchover.evidence.run_data import LogScope
from switchover.model.interval import Span
from switchover.rundir.run_directory import write_run
from switchover.rundir.sample_log import SampleWriter
from switchover.verdict.reasons import make_reason
from synthetic import SECOND, pair_run, steady

FIXTURES = CHECKOUT / "src" / "test" / "resources" / "jtl"
HEAD = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,URL,server"
BASE_MS = 1_767_225_600_000


def row(number: int, *, code: str = "200", server: str = "web1", message: str = "OK") -> str:
    good = str(code == "200").lower()
    return (
        f"{BASE_MS + number},20,home,{code},{message},tg 1-{number % 3},{good},http://10.0.0.{number % 3}/a,{server}"
    )


ROWS = [row(number, server=f"web{number % 3 + 1}") for number in range(9)]


def log(path: Path, *lines: str | bytes, end: bytes = b"\n") -> Path:
    path.write_bytes(b"\n".join(line.encode() if isinstance(line, str) else line for line in lines) + end)
    return path


def report(capsys: pytest.CaptureFixture[str], *statuses: object) -> tuple[int, str, str]:
    code = main(["report", *map(str, statuses)])
    said = capsys.readouterr()
    return code, " ".join(said.out.split()), said.err


def verdict_of(directory: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((directory / "verdict.json").read_text(encoding="utf-8"))
    return found


def test_a_log_without_our_columns_is_judged_as_a_load_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = log(tmp_path / "theirs.jtl", HEAD, *ROWS, row(9, code="503"))
    code, said, _ = report(capsys, path)
    assert code == 0 and "1 of 10" in said
    verdict = verdict_of(tmp_path / "theirs-report")
    assert verdict["outage"] is None and verdict["samples"]["by_answered_by"] == {"unknown": 10}
    assert (tmp_path / "theirs-report" / "report.html").exists()


def outage_rows() -> list[str]:
    """Ten seconds at 100 requests a second, of which those from 4 s to 6 s were answered 503."""
    return [row(at * 10, code="503" if 400 <= at < 600 else "200") for at in range(1000)]


def test_its_outage_is_told_first_on_the_page_and_in_the_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = log(tmp_path / "theirs.jtl", HEAD, *outage_rows())
    _, said, _ = report(capsys, path, "--out", tmp_path / "out")
    assert "Outage 2.01 s (1.938–2.012) from 2026-01-01 00:00:04.010 UTC; 200 failed: status 200" in said
    (found,) = verdict_of(tmp_path / "out")["load"]["silences"]
    assert found["outage"] == found["longest"] and found["recovered"]
    one = found["outage"]
    assert (one["low_ms"], one["high_ms"], one["by_kind"]) == (1938.0, 2012.0, {"status": 200})
    assert "Time without a good response" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("rows", "code", "said"),
    [
        pytest.param(
            [row(at, code="503") for at in range(7, 600_007, 500)],
            1,
            "Why " + make_reason("log_not_recovered", figure="a.jtl", low_ms=599_478).text,
            id="all failed",
        ),
        pytest.param(
            [row(at) for at in (*range(7, 20_007, 100), *range(166_907, 180_007, 100))],
            0,
            "Longest time without a good response 147.01 s (nothing failed; 0 requests in progress)",
            id="nothing was sent",
        ),
        pytest.param(
            [row(at) for at in range(0, 3_000, 20)]
            + [row(3_000 + at).replace(",20,", ",3600,") for at in range(12)]
            + [row(6_650 + at) for at in range(0, 3_000, 20)],
            0,
            "Longest time without a good response 3.61 s (nothing failed; 12 requests in progress)",
            id="all waited",
        ),
    ],
)
def test_a_log_is_judged_by_its_silences(
    rows: list[str], code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found, text, _ = report(capsys, log(tmp_path / "a.jtl", HEAD, *rows))
    assert (found, said in text) == (code, True), text


def test_the_outage_of_a_label_is_printed_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    others = [row(at * 10 + 5).replace("home", "cart") for at in range(1000)]
    path = log(tmp_path / "a.jtl", HEAD, *sorted([*outage_rows(), *others]))
    _, said, _ = report(capsys, path)
    assert "(home)" not in said and "Longest time without a good response 0.03 s" in said
    _, said, _ = report(capsys, path, "--by-label")
    assert "outage 2.01 s" in said and "(home)" in said
    assert "0.03 s (nothing failed; 1 request in progress) (cart)" in said


def test_a_limit_is_kept_if_each_file_keeps_it_and_exceeded_if_one_exceeds_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    away, well = (
        log(tmp_path / "a.jtl", HEAD, *outage_rows()),
        log(tmp_path / "b.jtl", HEAD, *map(row, range(0, 9_000, 9))),
    )
    for limit, code, status in (("3s", 0, "PASSED"), ("2s", 2, "INCONCLUSIVE"), ("1s", 1, "FAILED")):
        for logs in ((away, well), (well, away)):
            found, said, _ = report(capsys, *logs, "--limit", f"outage={limit}")
            assert (found, said.startswith(status)) == (code, True)
            assert "(a.jtl)" in said and "(b.jtl)" in said, "files are printed one by one"


def test_a_window_of_a_log_is_judged_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its edges are edges of silences, though the first request in it began 3 s later."""
    path = log(tmp_path / "a.jtl", HEAD, *map(row, range(0, 9000, 100)))
    begin = datetime.fromtimestamp(BASE_MS / 1000, UTC)
    window = ["--window", (begin - timedelta(seconds=3)).isoformat(), (begin + timedelta(seconds=4)).isoformat()]
    assert report(capsys, path, *window)[0] == 0
    load = verdict_of(tmp_path / "a-report")["load"]
    assert verdict_of(tmp_path / "a-report")["samples"]["total"] == 40
    assert 3000 <= load["silences"][0]["longest"]["duration_ms"] <= 3100
    for wrong, why in [
        (("2001-01-01T00:00", "2001-01-02T00:00"), "no request began from 2001"),
        (("2001-01-02T00:00", "2001-01-01T00:00"), "is not after"),
        (("yesterday", "today"), "write 2026-11-24T02:00"),
    ]:
        code, _, error = report(capsys, path, "--window", *wrong)
        assert code == 2 and why in error


def test_a_log_that_is_named_twice_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = log(tmp_path / "a.jtl", HEAD, *ROWS)
    for second in (path, tmp_path / "." / "a.jtl"):
        code, _, error = report(capsys, path, second)
        assert code == 2 and "would be counted twice" in error
    one = report(capsys, log(tmp_path / "b.jtl", HEAD, "1,2"))[2]
    assert "b.jtl has no readable request: 1 x wrong number of columns" in one


def test_a_report_may_go_elsewhere_than_into_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = tmp_path / "run"
    directory.mkdir()
    write_run(directory, pair_run(probe_rate=100.0))
    writer = SampleWriter(directory / "probes.jtl")
    for one in steady(0, 30 * SECOND, 10_000):
        writer.write(one)
    writer.close()
    before = sorted(directory.iterdir())
    report(capsys, directory, "--out", tmp_path / "out")
    assert sorted(directory.iterdir()) == before and (tmp_path / "out" / "report.html").exists()


def repeated(number: int, *lines: str) -> list[str]:
    return [line for _ in range(number) for line in lines]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([HEAD, *ROWS, "1,2,3"], "1 x wrong number of columns"),
        ([HEAD, *ROWS, ROWS[0] + ",more"], "1 x wrong number of columns"),
        ([HEAD, *ROWS, "", "", ROWS[0]], ""),
        ([HEAD, *ROWS, HEAD, *ROWS], "1 x repeated header"),
        ([HEAD, *ROWS, row(3, message='"never closed'), *ROWS], "line 11 has a quote without an end"),
        ([HEAD, *ROWS, row(3, message='"closed" too early'), *ROWS], "line 11 has a quote without an end"),
        ([HEAD, *ROWS, row(3, message='"two\nlines"'), *ROWS], ""),
        ([HEAD, *ROWS, row(3).replace(",20,", ",twenty,")], "1 x a number cannot be read"),
        ([HEAD, *ROWS, row(3).replace(",20,", ",,")], "1 x a number cannot be read"),
        ([HEAD, *ROWS, row(3).replace(",20,", ",-20,")], "impossible times"),
        ([HEAD, *ROWS, row(3).replace(str(BASE_MS + 3), "9" * 18)], "impossible times"),
        ([HEAD, *ROWS, row(3).replace(str(BASE_MS + 3), "2026/01/01 00:00:00")], "1 x a number cannot be read"),
        ([HEAD, *ROWS, row(3).replace(",true,", ",maybe,")], "1 x success is neither true nor false"),
        ([HEAD, *ROWS, row(3).encode().replace(b"home", b"h\xff\xfe\x00me")], "1 x not UTF-8"),
        ([HEAD, *ROWS, "x" * (3 << 20), *ROWS], "line 11 has a quote without an end, or is too long"),
        ([line + "\r" for line in (HEAD, *ROWS)], ""),
        (["\ufeff" + HEAD, *ROWS], ""),
        ([HEAD, *ROWS, "\0" * 100_000 + ROWS[0], *ROWS], "1 x a number cannot be read"),
        ([HEAD, *ROWS, *repeated(300, "<sample/>")], "300 x wrong number of columns"),
    ],
)
def test_a_damaged_log_is_read_as_far_as_it_goes(
    lines: list[str | bytes], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = log(tmp_path / "a.jtl", *lines)
    code, out, error = report(capsys, path)
    invalid = said not in ("", "1 x repeated header")
    assert (code, error) == (2 if invalid else 0, "")
    assert said in out
    assert ("of the bytes of the logs could not be read" in out) == (invalid and " x " in said)
    assert verdict_of(tmp_path / "a-report")["samples"]["total"] >= len(ROWS)


def test_run_directories_and_logs_are_not_mixed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = log(tmp_path / "a.jtl", HEAD, *ROWS)
    assert "not both" in report(capsys, path, tmp_path)[2]
    assert "are for request logs" in report(capsys, tmp_path, "--clocks-within", "1s")[2]


WRITTEN = ("log-option", "simple-data-writer", "summary-report", "view-results-tree", "xml")
"""What JMeter 5.6.3 wrote of one test: by `-l`, and by three listeners with other columns each."""


@pytest.mark.parametrize("name", WRITTEN)
def test_what_jmeters_listeners_write_is_read(name: str, tmp_path: Path) -> None:
    text = (FIXTURES / f"{name}.jtl").read_text(encoding="utf-8")
    path = tmp_path / f"{name}.jtl"
    path.write_text(re.sub(r"\bserver\b(?=[\"=,\n])", "backend", text), encoding="utf-8")
    data = load_logs([path])
    counted = Counter(
        (sample.label, sample.success, sample.identity.answered_by.value) for sample in samples_of(data.samples)
    )
    assert counted == {
        ("home", True, "backend"): 8,
        ('search, "all"', False, "backend"): 8,
        ("asserted", False, "backend"): 8,
        ("refused", False, "none"): 8,
    }
    few = name == "summary-report"
    assert {str(one.error) for one in samples_of(data.samples) if one.label == "refused"} == {
        "unreachable" if few else "refused"
    }
    assert bool(data.unread) == few, "without them a transaction cannot be told"
    assert all("Transaction Controllers" in one or "XML" in one for one in data.run.warnings)


def test_what_takes_long_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = log(tmp_path / "a.jtl", HEAD, *ROWS)
    assert report(capsys, path)[2] == ""
    monkeypatch.setattr("switchover.report.make_report.LARGE_BYTES", 1)
    _, said, error = report(capsys, path)
    assert error == "reading 0.0 GB of sample logs\n" and "reading" not in said


def test_several_logs_are_judged_separately_within_one_window_unless_the_bound_of_their_clocks_is_known(
    tmp_path: Path,
) -> None:
    paths = [log(tmp_path / name, HEAD, *ROWS) for name in ("a.jtl", "b.jtl")]
    window = Span((BASE_MS - 1) * 1000, (BASE_MS + 99) * 1000)
    scope = load_logs(paths, HowToRead(by_label=True, window=window)).scope
    assert scope == LogScope({"a.jtl": [0], "b.jtl": [1]}, 0, by_label=True, window=window)
    scope = load_logs(paths, HowToRead(clocks_within_us=7, window=window)).scope
    assert scope == LogScope({}, 7, by_label=False, window=window)
