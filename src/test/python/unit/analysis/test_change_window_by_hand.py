"""Which requests of balancers' logs are of a window, what is known at its edges, and what is refused."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from support.request_tables import samples_of
from switchover.analysis.change_window import ChangeWindow, load_window, parse_window
from switchover.analysis.logs.format import HEAD_BYTES
from switchover.analysis.requests.reader import HowToRead
from switchover.analysis.run_data import RunData
from switchover.analysis.silences import LogScope
from switchover.analysis.source_log import SourceLog
from switchover.model.errors import RunDirectoryError, UsageError
from switchover.model.interval import Span

SECOND = 1_000_000
BEGIN_US = 1_767_225_600 * SECOND
"""2026-01-01 00:00:00 UTC."""
WINDOW = ChangeWindow(Span(BEGIN_US + 20 * SECOND, BEGIN_US + 80 * SECOND), zoned=True)
TIMES = "2026-01-01 00:00:20 to 2026-01-01 00:01:20"
EVENT = "[WARNING] Server web/web1 is DOWN, reason: Layer4 timeout."


def line(at_s: float, status: int = 200, server: str = "web1", took_ms: int = 3, **more: Any) -> str:
    return json.dumps(
        {
            "time": (BEGIN_US + round(at_s * SECOND)) / SECOND,
            "status": status,
            "server": server,
            "ta": took_ms,
            **more,
        }
    )


def haproxy(at_s: float) -> str:
    """It names no zone."""
    stamp = f"{datetime.fromtimestamp(BEGIN_US / SECOND + at_s, UTC):%d/%b/%Y:%H:%M:%S}.000"
    return f'10.0.0.1:3 [{stamp}] in web/web1 0/0/1/2/3 200 99 - - ---- 1/1/0/0/0 0/0 "GET / HTTP/1.1"'


def log(folder: Path, name: str, *lines: str, node: str = "") -> SourceLog:
    path = folder / f"{name}.log"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return SourceLog("HAProxy", path, node)


def starts(data: RunData) -> list[float]:
    return [(one.start_us - BEGIN_US) / SECOND for one in samples_of(data.samples)]


def notes(data: RunData) -> list[str]:
    """Without how each log was read."""
    return [text for text in data.run.warnings if not text.endswith(": read as a balancer's log in JSON")]


def about(*times_s: float) -> list[str]:
    """So that nothing is said of where the logs begin and end."""
    return [line(at) for at in (20, *times_s, 79.9)]


@pytest.mark.parametrize(
    ("from_text", "to_text", "zoned"),
    [
        ("2026-01-01T00:00:20", "2026-01-01T00:01:20", False),
        ("2026-01-01T01:00:20+01:00", "2026-01-01T00:01:20Z", True),
    ],
)
def test_a_window_is_two_times_with_a_zone_or_without(from_text: str, to_text: str, zoned: bool) -> None:
    found = parse_window(from_text, to_text)
    assert found == ChangeWindow(WINDOW.span, zoned) and str(found) == TIMES


@pytest.mark.parametrize(
    ("times", "why"),
    [
        (("now", "2026-01-01T00:00"), "'now' is no time: write 2026-11-24T02:00 or 2026-11-24T02:00:30+01:00"),
        (("2026-01-01T00:00", "9"), "'9' is no time: write 2026-11-24T02:00 or 2026-11-24T02:00:30+01:00"),
        (("2026-01-01T00:00", "2026-01-01T00:01Z"), "write both times with a zone, or none of them"),
        (("2026-01-01T00:00Z", "2026-01-01T00:01"), "write both times with a zone, or none of them"),
        (("2026-01-01T00:00", "2026-01-01T00:00"), "2026-01-01T00:00 is not after 2026-01-01T00:00"),
        (("2026-01-01T00:00", "2026-01-01T00:00:00.000001"), None),
    ],
)
def test_times_that_are_no_window_are_one_clear_line(times: tuple[str, str], why: str | None) -> None:
    if why is None:
        assert parse_window(*times).span.duration_us == 1
        return
    with pytest.raises(UsageError) as caught:
        parse_window(*times)
    assert str(caught.value) == f"--window: {why}"


def test_requests_that_began_in_the_window_count(tmp_path: Path) -> None:
    data = load_window(WINDOW, [log(tmp_path, "a", *map(line, (19.999, 20, 50, 79.999, 80, 81)))])
    assert starts(data) == [20, 50, 79.999]
    assert (data.run.id, notes(data), data.unread) == (f"window {TIMES}", [], ())
    assert data.scope == LogScope(window=WINDOW.span)


def test_answers_that_a_balancer_made_itself_count_only_where_they_are_errors(tmp_path: Path) -> None:
    def own(*times_s: float) -> list[str]:
        return [line(at, 302, "<NOSRV>") for at in times_s]

    error = line(50, 503, "<NOSRV>")
    log_of = log(tmp_path, "a", *own(1), line(20), *own(30), line(40), error, line(79.9), *own(90))
    said = "that a balancer made itself without an error (redirects, statistics) say nothing of the service and are"
    data = load_window(WINDOW, [log_of])
    assert starts(data) == [20, 40, 50, 79.9]
    assert notes(data) == [f"1 answer {said.replace('say', 'says').replace('are', 'is')} left out"]
    data = load_window(
        WINDOW, [log(tmp_path, "a", line(20), *own(*(30 + at / 100 for at in range(1_000))), line(79.9))]
    )
    assert notes(data) == [f"1,000 answers {said} left out"]


def test_a_log_is_of_its_node_where_its_lines_do_not_say_more(tmp_path: Path) -> None:
    def lines(at_s: float) -> list[str]:
        return [line(at_s), line(at_s + 1, balancer="proxy")]

    logs = [log(tmp_path, "a", *lines(30)), log(tmp_path, "b", *lines(40), node="lb1")]
    logs += [log(tmp_path, "c", *lines(50), node="lb'2")]
    found = [one.identity.balancer for one in samples_of(load_window(WINDOW, logs).samples)]
    assert found == ["", "proxy", "lb1", "proxy", "lb'2", "proxy"]


@pytest.mark.parametrize(
    ("times_s", "said"),
    [
        ((21, 78.997), []),
        ((21.001, 79.9), ["begin at 2026-01-01 00:00:21: nothing is known of the window before that"]),
        ((20, 78.996), ["end at 2026-01-01 00:01:18: nothing is known of the window after that"]),
    ],
)
def test_where_the_logs_do_not_reach_is_said(times_s: tuple[float, ...], said: list[str], tmp_path: Path) -> None:
    found = notes(load_window(WINDOW, [log(tmp_path, "a", *map(line, times_s))]))
    assert found == [f"the logs {text}" for text in said]


def test_a_window_without_a_request_names_the_time_of_the_logs(tmp_path: Path) -> None:
    with pytest.raises(RunDirectoryError) as caught:
        load_window(WINDOW, [log(tmp_path, "a", line(5), line(100, took_ms=4_000), line(30, 302, "<NOSRV>"))])
    assert str(caught.value) == (
        f"no request of the window {TIMES} is in the logs, which are of 2026-01-01 00:00:05 to 2026-01-01 00:01:44: "
        "a window begins well before the change and ends well after it"
    )


IDLE: list[Iterable[str]] = [[], ["", "  "], [EVENT, "", EVENT]]


@pytest.mark.parametrize("lines", IDLE)
def test_a_log_that_has_no_request_is_left_out_and_said(lines: Iterable[str], tmp_path: Path) -> None:
    idle, other = log(tmp_path, "b", *lines), log(tmp_path, "a", *about())
    data = load_window(WINDOW, [idle, other])
    assert notes(data) == ["b.log has no request in it"]
    assert data.run.warnings[0].startswith("a.log: read as")
    first = log(tmp_path, "c")
    with pytest.raises(RunDirectoryError) as caught:
        load_window(WINDOW, [first, idle])
    assert str(caught.value) == f"{first.path} has no request in it, and neither has any other of these logs"


def test_what_may_have_requests_is_read(tmp_path: Path) -> None:
    """What is not there is told by who reads it."""
    other = log(tmp_path, "a", *about())
    for events in ((EVENT,) * (2 * HEAD_BYTES // len(EVENT)), (EVENT + " " * (HEAD_BYTES - len(EVENT) - 1),)):
        assert notes(load_window(WINDOW, [log(tmp_path, "b", *events), other])) == ["b.log has no request in it"]
    for lines in (("hello", EVENT), ("hello" * HEAD_BYTES, EVENT)):
        with pytest.raises(RunDirectoryError, match=r"b\.log"):
            load_window(WINDOW, [log(tmp_path, "b", *lines), other])
    unreadable = Path("/proc/self/mem")  # its first byte belongs to nobody
    for path, said in ((tmp_path / "c.log", "no such file"), (unreadable, f"cannot read {unreadable}")):
        with pytest.raises(RunDirectoryError, match=said):
            load_window(WINDOW, [SourceLog("HAProxy", path), other])


def test_a_window_with_a_zone_is_refused_where_the_logs_name_none(tmp_path: Path) -> None:
    logs = [log(tmp_path, "a", *map(haproxy, (20, 79)))]
    assert starts(load_window(ChangeWindow(WINDOW.span, zoned=False), logs)) == [20, 79]
    assert len(load_window(ChangeWindow(WINDOW.span, zoned=False), [log(tmp_path, "b", *about())]).samples) == 2
    with pytest.raises(UsageError) as caught:
        load_window(WINDOW, logs)
    assert str(caught.value) == (
        "these logs name no zone: write the times of --window as the logs have them, without a zone, too"
    )


def test_the_logs_are_read_as_the_user_says(tmp_path: Path) -> None:
    columns = ("start_us", "end_us", "success", "balancer", "backend", "answered_by", "thread", "label")
    damaged = log(tmp_path, "a", *about(), "hello", *about(30))
    how = HowToRead(aliases={"web1": "one"})
    data = load_window(WINDOW, [damaged], how, columns)
    assert data.samples.columns == columns and len(data.unread) == 1
    assert data.samples.rows("SELECT DISTINCT backend FROM {requests}") == [("one",)]
    assert load_window(WINDOW, [damaged], tolerate=True).unread == ()
