"""HAProxy's statistics of any version, by column name, whole or not at all, and the generations of its counters."""

import socket
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.servers import answers, answers_page, tcp_server
from switchover.model.errors import TelemetryError
from switchover.target.telemetry_sources import HttpPage, TcpSocket
from switchover.telemetry.haproxy import (
    HaproxyReader,
    Snapshot,
    counters_fell,
    parse_answer,
    stats_page,
)

ORDERED_1_4 = (
    "pxname,svname,qcur,qmax,scur,smax,slim,stot,bin,bout,dreq,dresp,ereq,econ,eresp,wretr,wredis,status,weight,act,"
    "bck,chkfail,chkdown,lastchg,downtime,qlimit,pid,iid,sid,throttle,lbtot,tracked,type,rate,rate_lim,rate_max,"
    "check_status,check_code,check_duration,hrsp_1xx,hrsp_2xx,hrsp_3xx,hrsp_4xx,hrsp_5xx,hrsp_other,hanafail,req_rate,"
    "req_rate_max,req_tot,cli_abrt,srv_abrt"
)
ADDED_1_8 = (
    ",comp_in,comp_out,comp_byp,comp_rsp,lastsess,last_chk,last_agt,qtime,ctime,rtime,ttime,agent_status,agent_code,"
    "agent_duration,check_desc,agent_desc,check_rise,check_fall,check_health,agent_rise,agent_fall,agent_health,addr,"
    "cookie,mode,algo,conn_rate,conn_rate_max,conn_tot,intercepted,dcon,dses"
)
ADDED_2_6 = (
    ",wrew,connect,reuse,cache_lookups,cache_hits,srv_icur,src_ilim,qtime_max,ctime_max,rtime_max,ttime_max,eint,"
    "idle_conn_cur,safe_conn_cur,used_conn_cur,need_conn_est,uweight,agg_server_status,agg_server_check_status,"
    "agg_check_status,-,ssl_sess,ssl_reused_sess,ssl_failed_handshake,h2_headers_rcvd"
)
ADDED_3_X = ADDED_2_6.replace(",-,", ",srid,sess_other,h1sess,h2sess,h3sess,req_other,h1req,h2req,h3req,proto,-,")
HEADERS = {
    "1.4": ORDERED_1_4,
    "1.8": ORDERED_1_4 + ADDED_1_8,
    "2.6": ORDERED_1_4 + ADDED_1_8 + ADDED_2_6,
    "3.x": ORDERED_1_4 + ADDED_1_8 + ADDED_3_X,
}
INFO = "Name: HAProxy\nVersion: 2.6.12-1+deb12u4\nPid: 7698\nUptime: 0d 0h00m01s\nUptime_sec: 1\nCumReq: 12\n"


def row(header: str, **values: object) -> str:
    return ",".join(str(values.get(name, "")) for name in header.split(",")) + ",\n"


def table(header: str, *rows: str) -> str:
    return f"# {header},\n{''.join(rows)}\n"


def small_table(answered: int = 5, header: str = HEADERS["2.6"]) -> str:
    return table(
        header,
        row(header, pxname="web", svname="FRONTEND", type=0, status="OPEN", req_tot=answered, stot=answered),
        row(header, pxname="web", svname="s1", type=2, status="UP", hrsp_2xx=answered, cookie="42", check_code=200),
        row(header, pxname="web", svname="BACKEND", type=1, status="UP", hrsp_2xx=answered),
    )


def answer(answered: int = 5, pid: int = 7, start: int | None = 1000, uptime: int = 1) -> bytes:
    started = "" if start is None else f"Start_time_sec: {start}\n"
    return f"Name: HAProxy\nPid: {pid}\nUptime_sec: {uptime}\n{started}\n{small_table(answered)}".encode()


@pytest.mark.parametrize("version", HEADERS)
def test_columns_are_found_by_name_in_every_version(version: str) -> None:
    snapshot = parse_answer((INFO + "\n" + small_table(5, HEADERS[version])).encode())
    frontend, server, backend = snapshot.rows
    assert frontend.key == ("web", "FRONTEND", "frontend")
    assert server.key == ("web", "s1", "server")
    assert backend.key == ("web", "BACKEND", "backend")
    assert (server.status, server.numbers["hrsp_2xx"], server.numbers["check_code"]) == ("UP", 5, 200)
    assert snapshot.info == {"Pid": 7698, "Uptime_sec": 1, "CumReq": 12}
    assert snapshot.version == "2.6.12"
    assert snapshot.frontend_total("req_tot") == 5


def test_empty_field_is_no_figure_and_text_is_no_number() -> None:
    server = parse_answer(small_table().encode()).rows[1]
    assert "qcur" not in server.numbers
    assert "cookie" not in server.numbers
    assert "-" not in server.numbers and "" not in server.numbers


def test_column_order_does_not_matter() -> None:
    header = "pxname,hrsp_2xx,type,svname"
    (server,) = parse_answer(table(header, row(header, pxname="p", svname="s", hrsp_2xx=3, type=2)).encode()).rows
    assert (server.key, dict(server.numbers)) == (("p", "s", "server"), {"hrsp_2xx": 3, "type": 2})


def test_row_shorter_than_the_header_lacks_the_last_columns_only() -> None:
    (server,) = parse_answer(b"# pxname,svname,qcur,stot,\np,s,1\n\n").rows
    assert dict(server.numbers) == {"qcur": 1}


def test_row_longer_than_the_header_has_no_names_for_the_rest() -> None:
    (server,) = parse_answer(b"# pxname,svname,qcur,\np,s,1,,9,9,9\n\n").rows
    assert dict(server.numbers) == {"qcur": 1}


def test_quoted_field_may_hold_commas_quotes_and_newlines() -> None:
    header = "pxname,svname,check_desc,stot"
    text = table(header, 'p,s,"a ""b"", c\nd",7,\n')
    (server,) = parse_answer(text.encode()).rows
    assert server.numbers["stot"] == 7


def test_number_beyond_64_bits_is_no_figure() -> None:
    (server,) = parse_answer(b"# pxname,svname,bin,bout,\np,s,99999999999999999999,9223372036854775808,\n\n").rows
    assert dict(server.numbers) == {}


@given(st.integers(min_value=0, max_value=len(answer()) - 1))
def test_table_cut_off_anywhere_yields_nothing(length: int) -> None:
    with pytest.raises(TelemetryError):
        parse_answer(answer()[:length])


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (b"", "no answer"),
        (b"\n\n", "no answer"),
        (b"Permission denied\n\n", "level user"),
        (b"Unknown command: 'show'. Please enter one of the following\n", "Unknown command"),
        (b"\x00\xff\x1b[31m garbage", "no HAProxy statistics"),
        (b"<html><body>login</body></html>", "no HAProxy statistics"),
        (b'# pxname,svname,last_chk,\np,s,"open\n\n', "cannot be read"),
    ],
)
def test_anything_else_is_one_line_that_says_what_came(said: bytes, message: str) -> None:
    with pytest.raises(TelemetryError, match=message) as caught:
        parse_answer(said)
    assert str(caught.value).isprintable()


@given(st.binary(max_size=500), st.booleans())
def test_no_garbage_raises_anything_but_our_error(garbage: bytes, page: bool) -> None:
    for text in (garbage, b"# pxname,svname,stot,\n" + garbage + b"\n\n"):
        try:
            snapshot = parse_answer(text, page=page)
        except TelemetryError:
            continue
        assert all(abs(value) < 2**63 for each in snapshot.rows for value in each.numbers.values())


@given(st.lists(st.integers(min_value=0, max_value=2**62), min_size=1, max_size=5))
def test_numbers_come_back_as_they_were_written(counts: list[int]) -> None:
    header = HEADERS["2.6"]
    rows = [row(header, pxname="p", svname=f"s{n}", type=2, hrsp_2xx=count) for n, count in enumerate(counts)]
    parsed = parse_answer(table(header, *rows).encode())
    assert [each.numbers["hrsp_2xx"] for each in parsed.rows] == counts


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("http://lb1/stats", "http://lb1/stats;csv"),
        ("http://lb1/stats;csv", "http://lb1/stats;csv"),
        ("http://lb1/stats;csv;norefresh", "http://lb1/stats;csv;norefresh"),
        ("http://u:p@lb1:8404/haproxy?stats", "http://u:p@lb1:8404/haproxy?stats;csv"),
    ],
)
def test_page_is_asked_for_as_csv(url: str, asked: str) -> None:
    assert stats_page(HttpPage(url)) == HttpPage(asked)


def generations(*said: bytes, times: list[float] | None = None) -> list[str]:
    """The generations that a reader finds in answers given one after the other."""
    left = list(said)

    def behave(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(65536)
        connection.sendall(left.pop(0))

    with tcp_server(behave) as port:
        reader = HaproxyReader(TcpSocket("127.0.0.1", port))
        return [reader.read(now).generation for now in times or [0.0] * len(said)]


def test_generation_is_pid_and_start_time() -> None:
    assert generations(answer(5), answer(9)) == ["7-1000", "7-1000"]


def test_new_pid_or_start_time_begins_an_generation() -> None:
    assert generations(answer(5), answer(0, pid=8), answer(0, pid=8, start=1001)) == ["7-1000", "8-1000", "8-1001"]


def test_falling_counter_begins_an_generation_of_the_same_process() -> None:
    assert generations(answer(5), answer(4), answer(6), answer(0)) == ["7-1000", "7-1000.2", "7-1000.2", "7-1000.3"]


def test_start_time_that_is_not_told_follows_from_the_uptime() -> None:
    said = [answer(n, start=None, uptime=uptime) for n, uptime in ((1, 10), (2, 11), (3, 11))]
    assert generations(*said, times=[1010.4, 1011.6, 1012.0]) == ["7-1000"] * 3
    said = [answer(1, start=None, uptime=10), answer(0, start=None, uptime=1)]
    assert generations(*said, times=[1010.0, 1012.0]) == ["7-1000", "7-1011"]


def test_page_knows_an_generation_by_falling_counters_alone() -> None:
    left = [small_table(5).rstrip("\n") + "\n", small_table(6).rstrip("\n") + "\n", small_table(1)]

    def behave(connection: socket.socket, over: threading.Event) -> None:
        answers_page(left.pop(0).encode())(connection, over)

    with tcp_server(behave) as port:
        reader = HaproxyReader(HttpPage(f"http://127.0.0.1:{port}/stats"))
        assert [reader.read(0.0).generation for _ in range(3)] == ["page", "page", "page.2"]


def test_gauge_that_falls_ends_no_generation() -> None:
    header = "pxname,svname,scur,lastchg,stot"

    def snapshot(scur: int, lastchg: int) -> Snapshot:
        return parse_answer(table(header, row(header, pxname="p", svname="s", scur=scur, lastchg=lastchg)).encode())

    assert not counters_fell(snapshot(5, 100), snapshot(0, 0))


def test_server_that_is_new_or_gone_ends_no_generation() -> None:
    header = "pxname,svname,stot"
    one = parse_answer(table(header, row(header, pxname="p", svname="a", stot=5)).encode())
    other = parse_answer(table(header, row(header, pxname="p", svname="b", stot=1)).encode())
    assert not counters_fell(one, other)


def test_error_names_the_source() -> None:
    with (
        tcp_server(answers(b"Permission denied\n\n")) as port,
        pytest.raises(TelemetryError, match=rf"tcp://.*:{port}"),
    ):
        HaproxyReader(TcpSocket("127.0.0.1", port)).read(0.0)
