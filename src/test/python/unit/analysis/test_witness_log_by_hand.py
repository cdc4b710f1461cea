"""Which lines of a balancer's log are of a run, and what is told where they say nothing of it."""

import calendar
import gzip
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from support.request_tables import run_data
from switchover.analysis import witness_log
from switchover.analysis.logs.account import Account
from switchover.analysis.run_data import RunData
from switchover.analysis.witness_log import (
    UNREADABLE,
    WitnessLog,
    add_witnesses,
    hints_of_aliases,
    parse_witness,
    read_witness,
)
from switchover.model.errors import RunDirectoryError
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.damaged_lines import CUT_OFF
from synthetic import pair_run, sample

AT_US = 1_767_225_600_000_000
"""2026-01-01 00:00:00 UTC."""
SECOND_US = 1_000_000
START_US, END_US = AT_US + 250_000, AT_US + 10_250_000
QUARTER_US = 900 * SECOND_US


def json_line(at_us: int | None = START_US, server: str = "web1", path: str = "/a", status: int = 200) -> str:
    at = "" if at_us is None else f', "time": {at_us / SECOND_US:.6f}'
    return f'{{"srv": "{server}", "status": {status}, "path": "{path}"{at}}}'


def haproxy(at_us: int, server: str = "web1", path: str = "/a", status: str = "200") -> str:
    at = time.gmtime(at_us // SECOND_US)
    stamp = f"{at.tm_mday:02}/{calendar.month_abbr[at.tm_mon]}/{at.tm_year}:{time.strftime('%H:%M:%S', at)}"
    return (
        f"10.0.1.2:33317 [{stamp}.{at_us % SECOND_US // 1000:03}] http-in web/{server} 0/0/30/69/99 {status} 2750 "
        f'- - ---- 1/1/1/1/0 0/0 "GET {path} HTTP/1.1"'
    )


def nginx(second: int, upstream: str = "10.0.0.1:80", path: str = "/a") -> str:
    at = f"01/Jan/2026:00:00:{second:02} +0000"
    return f'10.0.1.2 - - [{at}] "GET {path} HTTP/1.1" 200 5 "-" "curl" upstream={upstream}'


def log_of(folder: Path, *lines: str, kind: str = "HAProxy", node: str = "") -> WitnessLog:
    path = folder / f"{kind}.log"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return WitnessLog(kind, path, node)


def read(
    log: WitnessLog, account: Account | None = None, aliases: Mapping[str, str] | None = None
) -> dict[str, dict[str, int]]:
    found = read_witness(log, START_US, END_US, aliases or {}, account or Account())
    return {server: dict(counts) for server, counts in found.items()}


@pytest.mark.parametrize("kind", ["HAProxy", "Nginx"])
def test_lines_of_json_are_read_in_either_log_and_what_is_no_answer_is_left_out(kind: str, tmp_path: Path) -> None:
    account = Account()
    with_queries = [json_line(path=f"/b?x={number}") for number in range(3)]
    lines = [json_line(), *with_queries, json_line(), "hello", "{}", json_line(server="web2")]
    found = read(log_of(tmp_path, *lines, kind=kind), account)
    assert found == {"web1": {"/a": 2, "/b": 3}, "web2": {"/a": 1}}
    assert account.reasons == {UNREADABLE: 2}


def test_a_line_of_haproxys_that_tells_of_servers_is_no_request_and_can_be_read(tmp_path: Path) -> None:
    account = Account()
    event = "[WARNING] Server web/web1 is DOWN, reason: Layer4 timeout."
    aborted = haproxy(START_US, status="-1")
    log = log_of(tmp_path, event, haproxy(START_US), aborted, event, '{"x": "Server web/web1 is DOWN, reason: L4"}')
    assert read(log, account) == {"web1": {"/a": 1}}
    assert account.reasons == {UNREADABLE: 1}


def test_only_a_first_line_with_names_is_a_header(tmp_path: Path) -> None:
    header, row = "time,server,status,path", f"{START_US // 1000},web1,200,/a"
    account = Account()
    assert read(log_of(tmp_path, header, row, row, "1,2"), account) == {"web1": {"/a": 2}}
    assert account.reasons == {UNREADABLE: 1}
    account = Account()
    assert read(log_of(tmp_path, header, row, header, row), account) == {"web1": {"/a": 2}}, "logs put together"
    assert not account.reasons
    assert read(log_of(tmp_path, json_line(), header, row), account) == {"web1": {"/a": 1}}
    assert account.reasons == {UNREADABLE: 2}
    brackets = "time,server,status,path,[more]"
    assert read(log_of(tmp_path, brackets, json_line())) == {"web1": {"/a": 1}}
    braces = "time,server,status,path,{more}"
    assert read(log_of(tmp_path, braces, json_line())) == {"web1": {"/a": 1}}


@pytest.mark.parametrize(
    ("at_us", "is_of_the_run"),
    [
        (START_US, True),
        (START_US - 1, False),
        (AT_US, True),
        (AT_US - SECOND_US, False),
        (END_US + SECOND_US, True),
        (END_US + SECOND_US + 1, False),
        (None, True),
    ],
)
def test_a_line_is_of_the_run_that_may_have_been_written_in_its_time(
    at_us: int | None, is_of_the_run: bool, tmp_path: Path
) -> None:
    """A time of whole seconds may mean the end of each, and a line is written when its answer has gone."""
    lines = [json_line(START_US + 1, path="/in"), json_line(at_us, path="/it")]
    found = read(log_of(tmp_path, *lines))
    assert found == {"web1": {"/in": 1} | ({"/it": 1} if is_of_the_run else {})}


def test_what_is_exactly_a_second_before_the_run_is_of_it_where_seconds_are_whole(tmp_path: Path) -> None:
    log = log_of(tmp_path, json_line(AT_US - SECOND_US))
    assert read_witness(log, AT_US, END_US, {}, Account()) == {"web1": Counter({"/a": 1})}
    with pytest.raises(RunDirectoryError):
        read_witness(log, AT_US + 1, END_US, {}, Account())


@pytest.mark.parametrize(("quarters", "times"), [(-56, 1), (-4, 1), (0, 1), (1, 1), (23, 1), (56, 1), (5, 300)])
def test_the_zone_of_times_without_one_is_that_in_which_most_lines_are_of_the_run(
    quarters: int, times: int, tmp_path: Path
) -> None:
    inside = [haproxy(START_US + quarters * QUARTER_US + number * SECOND_US, path="/in") for number in range(5)]
    outside = [haproxy(START_US + (quarters - 5) * QUARTER_US, path="/out") for _ in range(4)]
    zoned = json_line(START_US, path="/zoned")
    found = read(log_of(tmp_path, *outside * times, zoned, *inside * times))
    assert found == {"web1": {"/in": 5 * times, "/zoned": 1}}


def test_of_several_zones_it_is_utc_then_the_machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of an hour, and two lines that lie two hours apart: each zone has one of them."""

    def found(*hours: int) -> set[str]:
        lines = [haproxy(AT_US + hour * 4 * QUARTER_US + 5_000, path=f"/{hour}") for hour in hours]
        log = log_of(tmp_path, *lines)
        return set(read_witness(log, AT_US, AT_US + QUARTER_US, {}, Account())["web1"])

    assert found(-2, 0, 3) == {"/0"}
    monkeypatch.setenv("TZ", "XXX-3")
    time.tzset()
    try:
        assert found(-2, 0, 3) == {"/0"}
        assert found(-2, 3) == {"/3"}
        whole_second = [haproxy(AT_US, path="/utc"), haproxy(START_US + 12 * QUARTER_US, path="/local")]
        assert read(log_of(tmp_path, *whole_second)) == {"web1": {"/utc": 1}}
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    ("begun", "offset_s"), [((2026, 3, 29, 1, 50, 0), 80 * 60), ((2026, 10, 25, 0, 50, 0), 20 * 60)]
)
def test_the_machines_zone_at_the_time_of_the_run_need_not_lie_quarters_of_an_hour_from_utc(
    begun: tuple[int, ...], offset_s: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its clocks went to summer time, or back, ten minutes before."""
    start_us = calendar.timegm(begun) * SECOND_US
    log = log_of(tmp_path, json_line(start_us, path="/zoned"), haproxy(start_us + offset_s * SECOND_US))
    monkeypatch.setenv("TZ", "XXX-0:20YYY-1:20,M3.5.0,M10.5.0")
    time.tzset()
    try:
        found = read_witness(log, start_us, start_us + SECOND_US, {}, Account())
    finally:
        monkeypatch.undo()
        time.tzset()
    assert found == {"web1": {"/zoned": 1, "/a": 1}}


def test_names_of_servers_are_those_of_the_target_and_a_log_may_be_a_nodes(tmp_path: Path) -> None:
    lines = [nginx(1), nginx(2, "10.0.0.1:80, 10.0.0.2:80"), nginx(3, "-")]
    aliases = {"10.0.0.1:80": "web1", "lb1": "proxy"}
    assert read(log_of(tmp_path, *lines, kind="Nginx", node="lb1"), aliases=aliases) == {
        "web1": {"/a": 1},
        "10.0.0.2:80": {"/a": 1},
        "proxy": {"/a": 1},
    }
    assert read(log_of(tmp_path, *lines, kind="Nginx"))[""] == {"/a": 1}
    assert read(log_of(tmp_path, haproxy(START_US, "<NOSRV>", status="503"))) == {"": {"/a": 1}}
    assert read(log_of(tmp_path, nginx(1, "-"), kind="Nginx", node="web9")) == {"web9": {"/a": 1}}


def refused(log: WitnessLog) -> str:
    with pytest.raises(RunDirectoryError) as caught:
        read(log)
    return str(caught.value)


def test_what_says_nothing_of_the_run_is_one_clear_line(tmp_path: Path) -> None:
    log = log_of(tmp_path, "hello")
    assert refused(log) == f"{log.path} has no line of HAProxy's log that could be read"
    log = log_of(tmp_path, nginx(1, "-"), kind="Nginx")
    assert refused(log) == (
        f"{log.path} names no server: log $upstream_addr behind the combined format, or say whose log it is with "
        f"--nginx-log NODE={log.path}"
    )
    log = log_of(tmp_path, *[json_line(AT_US - 10**12)] * 1_001)
    assert refused(log) == f"none of the 1,001 lines of {log.path} is of the time of the run"


def test_a_packed_log_is_unpacked_and_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    path, account = tmp_path / "a.log.gz", Account()
    path.write_bytes(gzip.compress(f"{json_line()}\n{json_line()}".encode()))
    assert read(WitnessLog("HAProxy", path), account) == {"web1": {"/a": 1}}
    assert (account.reasons, account.damage) == ({CUT_OFF: 1}, [])
    path.write_bytes(gzip.compress(f"{json_line()}\n{json_line()}\n".encode(), compresslevel=0)[:-20])
    assert read(WitnessLog("HAProxy", path), account) == {"web1": {"/a": 1}}
    assert account.damage == ["a.log.gz: the gzip file is cut off: what comes behind is missing"]


@pytest.mark.parametrize("error", [OSError(28, "no room"), OSError("no room")])
def test_a_log_that_cannot_be_unpacked_is_one_clear_line(
    error: OSError, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: Path, folder: Path, account: Account) -> Path:
        folders.append(folder)
        raise error

    folders: list[Path] = []
    monkeypatch.setattr(witness_log, "unpack", fail)
    log = log_of(tmp_path, json_line())
    assert refused(log) == f"cannot unpack {log.path} into {folders[0]}: no room"
    assert folders[0].name.startswith("switchover-") and not folders[0].exists()


def test_a_log_is_called_by_its_kind_and_its_name() -> None:
    assert str(WitnessLog("Nginx", Path("/var/log/a.log"))) == "Nginx's log a.log"
    assert parse_witness("HAProxy", "lb1=b/a=1.log") == WitnessLog("HAProxy", Path("b/a=1.log"), "lb1")
    assert parse_witness("HAProxy", "logs/a=1.log") == WitnessLog("HAProxy", Path("logs/a=1.log"), "")
    assert parse_witness("HAProxy", "a.log") == WitnessLog("HAProxy", Path("a.log"), "")


def answered(**backends: int) -> RunData:
    run = pair_run()
    run.plan.start_us, run.plan.end_us = START_US, END_US
    run.target |= {"aliases": {"10.0.0.1:80": "web1", "10.0.0.2:80": "other"}}
    samples = [
        sample(START_US + number, END_US, identity=Identity(name, "lb1", AnsweredBy.BACKEND))
        for name, times in backends.items()
        for number in range(times)
    ]
    return run_data(run, samples=samples)


def test_a_run_has_what_its_logs_say_by_log_and_what_could_not_be_read(tmp_path: Path) -> None:
    data = replace(answered(web1=2, web2=1), ignored={"before": 3})
    data.run.warnings.append("before")
    (tmp_path / "b").mkdir()
    servers = ("10.0.0.1:80", "10.0.0.1:80", "10.0.0.2:80")
    one = log_of(tmp_path, *(json_line(server=server) for server in servers), "hello")
    other = log_of(tmp_path / "b", nginx(1, "10.0.0.9:80"), nginx(2, "10.0.0.8:80"), "hello", kind="Nginx")
    found = add_witnesses(data, [one, other], {"10.0.0.2:80": "web2"})
    assert found.balancer_logs == {
        "HAProxy's log HAProxy.log": {"web1": Counter({"/a": 2}), "web2": Counter({"/a": 1})},
        "Nginx's log Nginx.log": {"10.0.0.9:80": Counter({"/a": 1}), "10.0.0.8:80": Counter({"/a": 1})},
    }
    assert found.ignored == {UNREADABLE: 2, "before": 3}
    assert found.run.warnings[0] == "before" and len(found.run.warnings) == 2
    assert found.run.warnings[1].startswith("Nginx's log Nginx.log names 10.0.0.8:80, 10.0.0.9:80, which no sample")
    assert data.run.warnings == ["before"] and data.balancer_logs == {}
    assert add_witnesses(data, [], {}) is data


@pytest.mark.parametrize("missing", ["start_us", "end_us"])
def test_of_a_run_without_an_end_no_line_is_said_to_be(missing: str, tmp_path: Path) -> None:
    data = answered(web1=1)
    setattr(data.run.plan, missing, None)
    log = log_of(tmp_path, json_line())
    with pytest.raises(RunDirectoryError) as caught:
        add_witnesses(data, [log], {})
    assert str(caught.value) == (f"the run has no start or no end: nothing says which lines of {log.path} are its")


WHICH = "the log names a, b, which no sample does; the samples name web1, web2: which is which? say it with --alias "


@pytest.mark.parametrize(
    ("backends", "logged", "hint"),
    [
        ({"web1": 3, "web2": 2}, {"web1": 3, "web2": 1}, None),
        ({"web1": 3}, {"web1": 3, "": 2}, None),
        ({"web1": 3}, {"web1": 3, "a": 2}, None),
        ({"web1": 3, "web2": 2}, {"web1": 5}, None),
        (
            {"web1": 3, "web2": 2},
            {"b": 3, "a": 2},
            "the log names a, b, which no sample does; the samples name web1, web2: the numbers of answers agree "
            "with --alias web1=b --alias web2=a",
        ),
        ({"web1": 3, "web2": 3}, {"a": 3, "b": 3}, f"{WHICH}NAME=ADDRESS"),
        ({"web1": 3, "web2": 2}, {"a": 3, "b": 9}, f"{WHICH}NAME=ADDRESS"),
    ],
)
def test_names_are_matched_by_their_numbers_where_these_say_who_is_who(
    backends: dict[str, int], logged: dict[str, int], hint: str | None
) -> None:
    servers = {name: Counter({"/": 1, "/a": number - 1}) for name, number in logged.items()}
    data = answered(**backends)
    assert hints_of_aliases(data, "the log", servers) == ([hint] if hint else [])
