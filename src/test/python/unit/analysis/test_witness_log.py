"""Balancers' own logs: their lines, and what they say against the samples."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from backports import zstd

from switchover.analysis.logs.access import parse_access
from switchover.analysis.logs.account import Account
from switchover.analysis.logs.haproxy import parse_haproxy
from switchover.analysis.logs.logged_request import LoggedRequest
from switchover.analysis.logs.named import csv_parser, parse_json_answer
from switchover.analysis.witness_log import WitnessLog, parse_witness, read_witness
from switchover.cli.main import main
from switchover.model.errors import RunDirectoryError

AT_US = 1_767_225_600_250_000
"""2026-01-01 00:00:00.250 UTC."""
HAPROXY = (
    "Jan  1 00:00:00 lb1 haproxy[14389]: 10.0.1.2:33317 [01/Jan/2026:{hour:02}:00:00.250] http-in web/{server} "
    '10/0/30/69/109 {status} 2750 - - ---- 1/1/1/1/0 0/0 {{1wt.eu}} {{}} "GET {path} HTTP/1.1"'
)
NGINX = (
    '10.0.1.2 - - [01/Jan/2026:00:00:00 +0000] "GET {path} HTTP/1.1" 200 5 "-" "curl 1.2.3.4:80 \\"x\\"" {upstream}'
)


def haproxy(server: str = "web1", path: str = "/a?b=1", status: str = "200", hour: int = 0) -> bytes:
    return HAPROXY.format(server=server, path=path, status=status, hour=hour).encode()


def nginx(upstream: str, path: str = "/a") -> bytes:
    return NGINX.format(upstream=upstream, path=path).encode()


def answer(found: LoggedRequest | None) -> tuple[str, str, int | None, bool]:
    assert found is not None
    return found.identity.backend, found.url, found.logged_us, found.zoned


def test_haproxys_line_names_the_server_that_answered() -> None:
    assert answer(parse_haproxy(haproxy())) == ("web1", "/a?b=1", AT_US, False)
    assert answer(parse_haproxy(haproxy(server="<NOSRV>", status="503"))) == ("", "/a?b=1", AT_US, False)
    aborted = parse_haproxy(haproxy(status="-1"))
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
    assert answer(parse_access(nginx(upstream))) == (server, "/a", AT_US // 1_000_000 * 1_000_000, True)


@pytest.mark.parametrize(
    "line",
    [
        b'{"server_name": "web1", "status": 200, "request": "GET /a HTTP/1.1", "timestamp": 1767225600.25}',
        b'<134>1 lb1 haproxy: {"srv": "web1", "status_code": "200", "path": "/a", "time": "2026-01-01T00:00:00.25Z"}',
        b'{"upstream_addr": "web0, web1", "status": 200, "uri": "/a", "time": "2026-01-01T01:00:00.25+01:00"}',
    ],
)
def test_a_line_of_json_is_read_by_its_names(line: bytes) -> None:
    assert answer(parse_json_answer(line)) == ("web1", "/a", AT_US, True)


def test_lines_under_a_header_are_read_by_its_names() -> None:
    parse = csv_parser(b"Time,Server,Status,Path")
    assert parse is not None and answer(parse(b'1767225600250,web1,200,"/a"')) == ("web1", "/a", AT_US, True)
    assert csv_parser(b"Time,Client,Path") is None


@pytest.mark.parametrize("line", [b"", b"hello", b"{", b"{}", b"[]", b'{"status": 200}', b"\xff\xfe\x00", b'"' * 99])
def test_another_line_cannot_be_read_and_says_so(line: bytes) -> None:
    assert parse_haproxy(line) is None and parse_access(line) is None
    with pytest.raises(ValueError):
        parse_json_answer(line)


def read(path: Path, *lines: bytes, kind: str = "HAProxy", node: str = "") -> dict[str, dict[str, int]]:
    path.write_bytes(b"\n".join(lines) + b"\n")
    found = read_witness(WitnessLog(kind, path, node), AT_US, AT_US + 1_000_000, {"10.0.0.1:80": "web1"}, Account())
    return {server: dict(counts) for server, counts in found.items()}


def test_only_lines_of_the_time_of_the_run_count(tmp_path: Path) -> None:
    late = haproxy().replace(b":00:00.250]", b":00:09.250]")
    assert read(tmp_path / "a.log", haproxy(), late, haproxy("web2")) == {"web1": {"/a": 1}, "web2": {"/a": 1}}


@pytest.mark.parametrize("hour", [0, 1, 9])
def test_the_zone_of_haproxys_times_is_found(hour: int, tmp_path: Path) -> None:
    assert read(tmp_path / "a.log", haproxy(hour=hour)) == {"web1": {"/a": 1}}


def test_an_address_has_the_name_that_the_target_gives_it(tmp_path: Path) -> None:
    assert read(tmp_path / "a.log", nginx("10.0.0.1:80"), kind="Nginx") == {"web1": {"/a": 1}}


def test_a_log_that_names_no_server_is_its_nodes(tmp_path: Path) -> None:
    assert read(tmp_path / "a.log", nginx(""), kind="Nginx", node="web2") == {"web2": {"/a": 1}}
    with pytest.raises(RunDirectoryError, match="--nginx-log NODE="):
        read(tmp_path / "a.log", nginx(""), kind="Nginx")
    assert parse_witness("Nginx", "web1=/var/log/a") == WitnessLog("Nginx", Path("/var/log/a"), "web1")
    assert parse_witness("Nginx", "/var/a=b/log") == WitnessLog("Nginx", Path("/var/a=b/log"))


def test_what_says_nothing_of_the_run_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(RunDirectoryError, match="has no line of HAProxy's log"):
        read(tmp_path / "a.log", b"hello")
    with pytest.raises(RunDirectoryError, match=r"none of the 1 lines of .* is of the time of the run"):
        read(tmp_path / "a.log", haproxy().replace(b"2026:", b"2025:"))


def test_a_balancers_log_takes_part_in_reconciliation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "theirs.jtl"
    head = "timeStamp,elapsed,label,responseCode,success,URL,server"
    rows = [f"{AT_US // 1000},100,home,200,true,http://h/a?b=1,web{number % 2 + 1}" for number in range(10)]
    log.write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    lines = [haproxy(f"web{number % 2 + 1}") for number in range(9)]
    (tmp_path / "haproxy.log").write_bytes(b"\n".join([*lines, haproxy("web1", path="/health"), b""]))
    words = ["report", str(log), "--backend-from", "server:(.+)", "--haproxy-log", str(tmp_path / "haproxy.log")]
    assert main(words) == 0
    capsys.readouterr()
    found = json.loads((tmp_path / "theirs-report" / "verdict.json").read_text(encoding="utf-8"))["reconciliation"]
    compared = [line for line in found["lines"] if line["name"] == "answers in a balancer's log"]
    assert [(line["node"], line["client"], line["witness"], line["unexplained"]) for line in compared] == [
        ("web1", 5, 5, 0),
        ("web2", 5, 4, 1),
    ]
    assert {line["said_by"] for line in compared} == {"HAProxy's log haproxy.log"}


def test_where_names_differ_and_counts_say_who_is_who_the_option_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head = "timeStamp,elapsed,label,responseCode,dataType,success,URL,server"
    names = ["web1", "web1", "web1", "web2", "web2"]
    rows = [f"{AT_US // 1000},100,home,200,text,true,http://h/a,{name}" for name in names]
    log = tmp_path / "theirs.jtl"
    log.write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    port = {"web1": 28101, "web2": 28102}
    lines = [nginx(f"127.0.0.1:{port[name]}") for name in names]
    (tmp_path / "nginx.log").write_bytes(b"\n".join([*lines, b""]))
    words = ["report", str(log), "--backend-from", "server:(.+)", "--nginx-log", str(tmp_path / "nginx.log")]
    assert main(words) == 0
    written = tmp_path / "theirs-report" / "verdict.json"
    hint = "--alias web1=127.0.0.1:28101 --alias web2=127.0.0.1:28102"
    assert json.loads(written.read_text(encoding="utf-8"))["warnings"] == [
        "Nginx's log nginx.log names 127.0.0.1:28101, 127.0.0.1:28102, which no sample does; the samples name "
        f"web1, web2: the numbers of answers agree with {hint}"
    ]
    assert main([*words, *hint.split()]) == 0
    capsys.readouterr()
    verdict = json.loads(written.read_text(encoding="utf-8"))
    compared = [line for line in verdict["reconciliation"]["lines"] if "balancer's log" in line["name"]]
    assert [(line["node"], line["client"], line["witness"]) for line in compared] == [("web1", 3, 3), ("web2", 2, 2)]
    assert verdict["warnings"] == []


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
@pytest.mark.parametrize(("kind", "line"), [("HAProxy", haproxy()), ("Nginx", nginx("10.0.0.1:80"))])
def test_a_compressed_log_is_known_by_its_content(
    pack: Callable[[bytes], bytes], kind: str, line: bytes, tmp_path: Path
) -> None:
    path, account = tmp_path / "a.log", Account()
    path.write_bytes(pack((line + b"\n") * 3000))
    aliases = {"10.0.0.1:80": "web1"}
    read_whole = read_witness(WitnessLog(kind, path), AT_US, AT_US + 1_000_000, aliases, account)
    assert {server: counts.total() for server, counts in read_whole.items()} == {"web1": 3000}
    assert account.damage == [] and account.total == 0
    path.write_bytes(path.read_bytes()[:-6])
    assert read_witness(WitnessLog(kind, path), AT_US, AT_US + 1_000_000, aliases, account)
    assert "cut off" in account.damage[0] and "a.log" in account.damage[0]
