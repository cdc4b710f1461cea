"""Balancers' own logs: their lines, which of them are of a run, and what they say against the samples."""

import calendar
import gzip
import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from support.request_tables import run_data
from support.zstd import compress_zstd
from switchover.cli.main import main
from switchover.evidence import source_log
from switchover.evidence.logs.access import parse_access
from switchover.evidence.logs.account import Account
from switchover.evidence.logs.haproxy import parse_haproxy
from switchover.evidence.logs.logged_request import LoggedRequest
from switchover.evidence.logs.named import csv_parser, parse_json_answer
from switchover.evidence.run_data import RunData
from switchover.evidence.source_log import (
    UNREADABLE,
    SourceLog,
    add_sources,
    parse_source,
    read_source,
)
from switchover.model.errors import RunDirectoryError
from switchover.model.identity import AnsweredBy, Identity
from synthetic import pair_run, sample

AT_US = 1_767_225_600_000_000
"""2026-01-01 00:00:00 UTC."""
SECOND_US = 1_000_000
START_US, END_US = AT_US + 250_000, AT_US + 10_250_000
QUARTER_US = 900 * SECOND_US


HAPROXY = (
    "Jan  1 00:00:00 lb1 haproxy[14389]: 10.0.1.2:33317 [01/Jan/2026:00:00:00.250] http-in web/{server} "
    '10/0/30/69/109 {status} 2750 - - ---- 1/1/1/1/0 0/0 {{1wt.eu}} {{}} "GET {path} HTTP/1.1"'
)
NGINX = (
    '10.0.1.2 - - [01/Jan/2026:00:00:00 +0000] "GET {path} HTTP/1.1" 200 5 "-" "curl 1.2.3.4:80 \\"x\\"" {upstream}'
)


def full_haproxy(server: str = "web1", path: str = "/a?b=1", status: str = "200") -> bytes:
    return HAPROXY.format(server=server, path=path, status=status).encode()


def full_nginx(upstream: str, path: str = "/a") -> bytes:
    return NGINX.format(upstream=upstream, path=path).encode()


def answer(found: LoggedRequest | None) -> tuple[str, str, int | None, bool]:
    assert found is not None
    return found.identity.backend, found.url, found.logged_us, found.zoned


def test_haproxys_line_names_the_server_that_answered() -> None:
    assert answer(parse_haproxy(full_haproxy())) == ("web1", "/a?b=1", START_US, False)
    assert answer(parse_haproxy(full_haproxy(server="<NOSRV>", status="503"))) == ("", "/a?b=1", START_US, False)
    aborted = parse_haproxy(full_haproxy(status="-1"))
    assert aborted is not None and aborted.code == ""


@pytest.mark.parametrize(
    ("upstream", "server"),
    [
        ("10.0.0.1:80", "10.0.0.1:80"),
        ('"10.0.0.1:80, 10.0.0.2:80" 0.001', "10.0.0.2:80"),
        ("upstream=10.0.0.1:80 : 10.0.0.3:8080 rt=0.1", "10.0.0.3:8080"),
        ("[2001:db8::1]:80", "[2001:db8::1]:80"),
        ("unix:/run/app.sock", "unix:/run/app.sock"),
        ('"2001:0db8:85a3::8a2e:0370:7334"', ""),
        ('"2001:0db8:85a3::8a2e:0370:7334" 10.0.0.1:80', "10.0.0.1:80"),
        ("upstream:10.0.0.1:80 host=shop.example.org:443", "10.0.0.1:80"),
        ("host=shop.example.org:443 [2001:db8::1]:80 rt=0.1", "[2001:db8::1]:80"),
        ("-", ""),
        ("", ""),
    ],
)
def test_nginxs_line_names_the_last_upstream(upstream: str, server: str) -> None:
    assert answer(parse_access(full_nginx(upstream))) == (server, "/a", START_US // 1_000_000 * 1_000_000, True)


@pytest.mark.parametrize(
    "line",
    [
        b'{"server_name": "web1", "status": 200, "request": "GET /a HTTP/1.1", "timestamp": 1767225600.25}',
        b'<134>1 lb1 haproxy: {"srv": "web1", "status_code": "200", "path": "/a", "time": "2026-01-01T00:00:00.25Z"}',
        b'{"upstream_addr": "web0, web1", "status": 200, "uri": "/a", "time": "2026-01-01T01:00:00.25+01:00"}',
    ],
)
def test_a_line_of_json_is_read_by_its_names(line: bytes) -> None:
    assert answer(parse_json_answer(line)) == ("web1", "/a", START_US, True)


def test_lines_under_a_header_are_read_by_its_names() -> None:
    parse = csv_parser(b"Time,Server,Status,Path")
    assert parse is not None and answer(parse(b'1767225600250,web1,200,"/a"')) == ("web1", "/a", START_US, True)
    assert csv_parser(b"Time,Client,Path") is None


@pytest.mark.parametrize("line", [b"", b"hello", b"{", b"{}", b"[]", b'{"status": 200}', b"\xff\xfe\x00", b'"' * 99])
def test_another_line_cannot_be_read_and_says_so(line: bytes) -> None:
    assert parse_haproxy(line) is None and parse_access(line) is None
    with pytest.raises(ValueError):
        parse_json_answer(line)


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


def log_of(folder: Path, *lines: str, kind: str = "HAProxy", node: str = "") -> SourceLog:
    path = folder / f"{kind}.log"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return SourceLog(kind, path, node)


def read(
    log: SourceLog, account: Account | None = None, aliases: Mapping[str, str] | None = None
) -> dict[str, dict[str, int]]:
    found = read_source(log, START_US, END_US, aliases or {}, account or Account())
    return {server: dict(counts) for server, counts in found.items()}


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
    assert read_source(log, AT_US, END_US, {}, Account()) == {"web1": Counter({"/a": 1})}
    with pytest.raises(RunDirectoryError):
        read_source(log, AT_US + 1, END_US, {}, Account())


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
        found = read_source(log, start_us, start_us + SECOND_US, {}, Account())
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


def refused(log: SourceLog) -> str:
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
    assert refused(log).startswith(f"none of the 1,001 lines of {log.path} is of the time of the run")


@pytest.mark.parametrize("error", [OSError(28, "no room"), OSError("no room")])
def test_a_log_that_cannot_be_unpacked_is_one_clear_line(
    error: OSError, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: Path, folder: Path, account: Account) -> Path:
        folders.append(folder)
        raise error

    folders: list[Path] = []
    monkeypatch.setattr(source_log, "unpack", fail)
    log = log_of(tmp_path, json_line())
    assert refused(log) == f"cannot unpack {log.path} into {folders[0]}: no room"
    assert folders[0].name.startswith("switchover-") and not folders[0].exists()


def test_a_log_is_called_by_its_kind_and_its_name() -> None:
    assert str(SourceLog("Nginx", Path("/var/log/a.log"))) == "Nginx's log a.log"
    assert parse_source("HAProxy", "lb1=b/a=1.log") == SourceLog("HAProxy", Path("b/a=1.log"), "lb1")
    assert parse_source("HAProxy", "logs/a=1.log") == SourceLog("HAProxy", Path("logs/a=1.log"), "")
    assert parse_source("HAProxy", "a.log") == SourceLog("HAProxy", Path("a.log"), "")


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
    found = add_sources(data, [one, other], {"10.0.0.2:80": "web2"})
    assert found.balancer_logs == {
        "HAProxy's log HAProxy.log": {"web1": Counter({"/a": 2}), "web2": Counter({"/a": 1})},
        "Nginx's log Nginx.log": {"10.0.0.9:80": Counter({"/a": 1}), "10.0.0.8:80": Counter({"/a": 1})},
    }
    assert found.ignored == {UNREADABLE: 2, "before": 3}
    assert found.run.warnings[0] == "before" and len(found.run.warnings) == 2
    assert found.run.warnings[1].startswith("Nginx's log Nginx.log names 10.0.0.8:80, 10.0.0.9:80, which no sample")
    assert data.run.warnings == ["before"] and data.balancer_logs == {}
    assert add_sources(data, [], {}) is data


@pytest.mark.parametrize("missing", ["start_us", "end_us"])
def test_of_a_run_without_an_end_no_line_is_said_to_be(missing: str, tmp_path: Path) -> None:
    data = answered(web1=1)
    setattr(data.run.plan, missing, None)
    log = log_of(tmp_path, json_line())
    with pytest.raises(RunDirectoryError) as caught:
        add_sources(data, [log], {})
    assert str(caught.value) == (f"the run has no start or no end: nothing says which lines of {log.path} are its")


WHICH = "the log names a, b, which no sample does; the samples name web1, web2: which is which? say it with --alias "


def test_a_balancers_log_takes_part_in_accounting(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "theirs.jtl"
    head = "timeStamp,elapsed,label,responseCode,success,URL,server"
    rows = [f"{START_US // 1000},100,home,200,true,http://h/a?b=1,web{number % 2 + 1}" for number in range(10)]
    log.write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    lines = [full_haproxy(f"web{number % 2 + 1}") for number in range(9)]
    (tmp_path / "haproxy.log").write_bytes(b"\n".join([*lines, full_haproxy("web1", path="/health"), b""]))
    statuses = ["report", str(log), "--backend-from", "server:(.+)", "--haproxy-log", str(tmp_path / "haproxy.log")]
    assert main(statuses) == 0
    capsys.readouterr()
    found = json.loads((tmp_path / "theirs-report" / "verdict.json").read_text(encoding="utf-8"))["accounting"]
    compared = [line for line in found["lines"] if line["name"] == "answers in a balancer's log"]
    assert [(line["node"], line["client"], line["source"], line["unaccounted"]) for line in compared] == [
        ("web1", 5, 5, 0),
        ("web2", 5, 4, 1),
    ]
    assert {line["said_by"] for line in compared} == {"HAProxy's log haproxy.log"}


@pytest.mark.parametrize("pack", [gzip.compress, compress_zstd])
@pytest.mark.parametrize(("kind", "line"), [("HAProxy", full_haproxy()), ("Nginx", full_nginx("10.0.0.1:80"))])
def test_a_compressed_log_is_known_by_its_content(
    pack: Callable[[bytes], bytes], kind: str, line: bytes, tmp_path: Path
) -> None:
    path, account = tmp_path / "a.log", Account()
    path.write_bytes(pack((line + b"\n") * 3000))
    aliases = {"10.0.0.1:80": "web1"}
    read_whole = read_source(SourceLog(kind, path), START_US, START_US + 1_000_000, aliases, account)
    assert {server: counts.total() for server, counts in read_whole.items()} == {"web1": 3000}
    assert account.damage == [] and account.total == 0
    path.write_bytes(path.read_bytes()[:-6])
    assert read_source(SourceLog(kind, path), START_US, START_US + 1_000_000, aliases, account)
    assert "cut off" in account.damage[0] and "a.log" in account.damage[0]
