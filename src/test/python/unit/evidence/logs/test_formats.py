"""Logs of other tools, found by their content: rows as their documentation describes them."""

from pathlib import Path

import pytest

from support.foreign_logs import read_log
from support.request_tables import kind_of_failure, samples_of
from switchover.evidence.log_run import load_logs
from switchover.evidence.logs import gatling, h2load, hey, k6, locust_requests, vegeta
from switchover.evidence.logs.format import Account, Format
from switchover.evidence.requests.reader import HowToRead
from switchover.evidence.run_data import RunData
from switchover.figures.silences import find_silences
from switchover.model.failure_kind import FailureKind

AT_MS = 1_767_225_600_250
AT_US = AT_MS * 1000
"""2026-01-01 00:00:00.250 UTC."""


def read(tmp_path: Path, text: str, how: HowToRead | None = None) -> RunData:
    path = tmp_path / "result.out"
    path.write_text(text, encoding="utf-8")
    return load_logs([path], how)


def seen(data: RunData) -> list[tuple[int, int, str, bool, str]]:
    """Start after `AT_US` and duration, in microseconds; code, success and kind of failure."""
    return [
        (one.start_us - AT_US, one.end_us - one.start_us, one.code, one.success, str(one.error or ""))
        for one in samples_of(data.samples)
    ]


K6_HEADER = (
    "metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,method,name,proto,scenario,"
    "service,status,subproto,tls_version,url,extra_tags,metadata"
)


def k6_rows(stamp: str, took_ms: float, status: str, error: str = "", failed: int = 0) -> str:
    tags = f",,{error},,{'false' if failed else 'true'},,GET,http://vip/,HTTP/1.1,default,,{status},,,http://vip/,,"
    metrics = [
        ("http_reqs", 1.0), ("http_req_duration", took_ms), ("http_req_blocked", 2.0), ("http_req_connecting", 1.0),
        ("http_req_failed", failed),
    ]  # fmt: skip
    return "".join(f"{name},{stamp},{value}{tags}\n" for name, value in metrics)


VIP = "http://vip/"
K6_POINT = (
    '{"metric":"http_req_duration","type":"Point","data":{"time":"2026-01-01T00:00:00Z","value":5,"tags":'
    f'{{"name":"/a","error":"reset","status":"0","url":"{VIP}","scenario":"many"}}}}}}'
)
VEGETA_ROW = (
    '{"attack":"a1","seq":0,"code":200,"timestamp":"2026-01-01T00:00:00Z","latency":5,"bytes_in":11,'
    f'"method":"GET","url":"{VIP}","error":"reset"}}'
)
LOCUST_HEADER = "timestamp,request_type,name,response_time_ms,response_length,status_code,exception"


@pytest.mark.parametrize(
    ("form", "lines", "says"),
    [
        (k6.CSV, [K6_HEADER, *k6_rows("1", 1, "0", "reset").splitlines()], (VIP, "reset", VIP, "default", 0)),
        (k6.JSON, [K6_POINT], ("/a", "reset", VIP, "many", 0)),
        (vegeta.CSV, [f"1,0,1,0,11,reset,,a1,0,GET,{VIP},"], (f"GET {VIP}", "reset", VIP, "a1", 11)),
        (vegeta.JSON, [VEGETA_ROW], (f"GET {VIP}", "reset", VIP, "a1", 11)),
        (vegeta.JSON, [VEGETA_ROW.replace('"bytes_in":11,', "")], (f"GET {VIP}", "reset", VIP, "a1", 0)),
        (vegeta.JSON, [VEGETA_ROW[: VEGETA_ROW.index(',"bytes_in"')] + "}"], (" ", "", "", "a1", 0)),
        (gatling.FORMAT, ["REQUEST\t\thome\t1\t2\tKO\treset"], ("home", "reset", "", "", 0)),
        (h2load.FORMAT, [f"{AT_US}\t200\t1"], ("h2load", "", "", "", 0)),
        (hey.HEY, ["response-time,status-code,offset", "1,200,1"], ("hey", "", "", "", 0)),
        (hey.OHA, ["request-start,request-duration,bytes,status", "1,1,12,200"], ("oha", "", "", "", 12)),
        (locust_requests.CSV, [LOCUST_HEADER, f"{AT_US},GET,home,1,7.0,0,reset"], ("home", "reset", "", "", 7)),
    ],
)
def test_label_message_url_thread_and_bytes_are_those_of_the_log(
    form: Format, lines: list[str], says: tuple[str, str, str, str, int], tmp_path: Path
) -> None:
    ((one,), account) = read_log(form, tmp_path, *lines)
    assert (one.label, one.message, one.url, one.thread, one.nbytes) == says and not account.reasons


@pytest.mark.parametrize(
    ("form", "header", "row", "codes"),
    [
        (k6.CSV, "metric_name,timestamp,metric_value,status", "http_req_duration,1,1,{}", "-199 200 399 -400"),
        (vegeta.CSV, "", f"1,{{}},1,0,11,,,a1,0,GET,{VIP},", "-199 200 399 -400"),
        (hey.HEY, "response-time,status-code,offset", "1,{},1", "-199 200 399 -400"),
        (hey.OHA, "request-start,request-duration,bytes,status", "1,1,12,{}", "-199 200 399 -400"),
        (h2load.FORMAT, "", "1767225600250000\t{}\t1", "200 399 -400"),
        (gatling.FORMAT, "", "REQUEST\t\thome\t1\t2\tKO\tfound {}", "-200 -503"),
        (locust_requests.CSV, LOCUST_HEADER, "1,GET,/,1,,{},", "200 399 -400 -500"),
        (locust_requests.CSV, LOCUST_HEADER, "1,GET,/,1,,,{} Client Error: x", "-404"),
    ],
)
def test_good_are_the_statuses_below_400(form: Format, header: str, row: str, codes: str, tmp_path: Path) -> None:
    """In `codes`, a minus sign marks a failure."""
    rows = [row.format(code.removeprefix("-")) for code in codes.split()]
    found, account = read_log(form, tmp_path, *filter(None, [header]), *rows)
    assert [f"{'' if one.success else '-'}{one.code}" for one in found] == codes.split() and not account.reasons
    assert {one.nbytes for one in found} <= {0, 11, 12}
    assert form is not k6.CSV or {one.label + one.message + one.url + one.thread for one in found} == {""}


@pytest.mark.parametrize(
    "thrown",
    [
        "java.net.SocketException: Socket closed",
        "java.io.InterruptedIOException: Connection has been shut down",
        "org.apache.http.impl.execchain.RequestAbortedException: Request aborted",
    ],
)
def test_a_request_that_jmeters_sample_timeout_cut_has_failed(thrown: str) -> None:
    name, message = thrown.split(": ")
    kind = kind_of_failure(f"Non HTTP response code: {name}", f"Non HTTP response message: {message}")
    assert kind == FailureKind.READ_TIMEOUT


def test_k6_csv_has_the_end_of_each_request_and_a_row_per_metric(tmp_path: Path) -> None:
    good = k6_rows(str(AT_MS), 10.0, "200")
    bad = k6_rows(str(AT_MS + 1), 0.0, "0", "dial: connection refused", 1)
    data = read(tmp_path, f"{K6_HEADER}\n{good}vus,{AT_MS},5.0{',' * 16}\n{bad}")
    assert seen(data) == [(-12_000, 12_000, "200", True, ""), (-1000, 2000, "", False, "refused")]
    assert data.unread == () and data.run.warnings == [
        "result.out: k6 measures durations from the time of sending, so the report adds the connection time",
        "result.out: read as k6's CSV",
    ]


def test_k6_in_whole_seconds_says_so(tmp_path: Path) -> None:
    data = read(tmp_path, f"{K6_HEADER}\n{k6_rows('1767225601', 10.0, '200') * 10}")
    assert any("times in the log have a resolution of a second" in one for one in data.run.warnings)
    assert [k6._time_us(f"{10**digits}") for digits in (11, 14, 17)] == [10**14] * 3, "ms, µs and ns"
    assert [k6._time_us(f"{10**digits - 1}") // 10**11 for digits in (11, 14)] == [10**6 - 1, 10**6 - 1]


def test_k6_json(tmp_path: Path) -> None:
    def point(metric: str, value: float) -> str:
        tags = '{"method":"GET","name":"/","status":"503","expected_response":"false","url":"http://vip/"}'
        time = "2026-01-01T01:00:00.250123456+01:00"
        data = f'{{"time":"{time}","value":{value},"tags":{tags}}}'
        return f'{{"metric":"{metric}","type":"Point","data":{data}}}\n'

    declared = '{"type":"Metric","data":{"name":"http_reqs","type":"counter"},"metric":"http_reqs"}\n'
    rows = point("http_reqs", 1) + point("http_req_duration", 5) + point("http_req_failed", 1)
    data = read(tmp_path, declared + rows + point("http_req_duration", 6) + point("http_req_failed", 1))
    assert seen(data) == [(-4877, 5000, "503", False, "status"), (-5877, 6000, "503", False, "status")]
    assert {(one.label, one.thread, one.url) for one in samples_of(data.samples)} == {("/", "", "http://vip/")}


def test_locusts_request_log(tmp_path: Path) -> None:
    rows = (
        f"{AT_US / 1e6},GET,/,12.5,123,200,\n"
        f"{AT_US / 1e6},GET,/,0.4,0,0,\"ConnectionRefusedError(111, 'Connection refused')\"\n"
        f"{AT_US / 1e6},GET,/,3.0,7,0,503 Server Error: Service Unavailable for url: /\n"
    )
    assert seen(read(tmp_path, f"{LOCUST_HEADER}\n{rows}")) == [
        (0, 12_500, "200", True, ""),
        (0, 400, "", False, "refused"),
        (0, 3000, "503", False, "status"),
    ]


def test_a_row_of_locusts_without_a_time_is_not_understood(tmp_path: Path) -> None:
    data = read(tmp_path, f"{LOCUST_HEADER}\n{AT_US / 1e6},GET,/,5,0,200,\nnan,GET,/,5,0,200,\n")
    assert len(data.samples) == 1 and "1 x a line in another format" in data.unread[0]


def test_vegeta(tmp_path: Path) -> None:
    row = '{at},{code},2500000,0,11,"{error}",,a,{n},GET,http://vip/,'
    text = row.format(at=AT_US * 1000, code=200, error="", n=0) + "\n"
    text += row.format(at=AT_US * 1000 + 5_000_000, code=0, error="dial tcp: connection refused", n=1) + "\n"
    expected = [(0, 2500, "200", True, ""), (5000, 2500, "", False, "refused")]
    assert seen(read(tmp_path, text)) == expected
    one = (
        '{{"attack":"","seq":{n},"code":{code},"timestamp":"2026-01-01T00:00:00.25{n}00000Z","latency":2500000,'
        '"bytes_out":0,"bytes_in":11,"error":"{error}","body":null,"method":"GET","url":"http://vip/","headers":null}}\n'
    )
    text = one.format(n=0, code=200, error="") + one.format(n=5, code=0, error="connect: connection refused")
    assert seen(read(tmp_path, text)) == expected


def test_a_text_that_is_no_unicode_does_not_end_the_reading(tmp_path: Path) -> None:
    data = read(tmp_path, VEGETA_ROW.replace(VIP, f"{VIP}\\ud800") + "\n")
    assert [one.url for one in samples_of(data.samples)] == [f"{VIP}?"] and not data.unread


def test_bytes_that_are_no_unicode_do_not_end_the_reading(tmp_path: Path) -> None:
    path, rows = (
        tmp_path / "log",
        {gatling.FORMAT: "REQUEST\t\tcaf\xe9\t1\t2\tOK\t", vegeta.CSV: "1,200,1,0,11,,,a,0,GET,/caf\xe9,"},
    )
    for form, row in rows.items():
        path.write_bytes(f"{row}\n".encode("latin-1"))
        assert [one.label.rpartition("/")[2] for one in form.read(path, Account())] == ["caf\ufffd"]


def test_rows_of_vegeta_may_be_in_any_order(tmp_path: Path) -> None:
    row = "{at},200,2500000,0,11,,,a,{n},GET,http://vip/,\n"
    text = row.format(at=(AT_US + 60_000_000) * 1000, n=1) + row.format(at=AT_US * 1000, n=0)
    data = read(tmp_path, text)
    assert len(data.samples) == 2 and not data.unread


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        (
            "hey",
            "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n"
            "0.0100,0.0010,0.0000,0.0000,0.0089,0.0001,200,0.5000\n",
        ),
        (
            "oha",
            "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n"
            "0.5,0.0001,0.001,0.009,0.01,12,200\n",
        ),
    ],
)
def test_a_tool_that_leaves_out_failures_is_invalid(tool: str, text: str, tmp_path: Path) -> None:
    data = read(tmp_path, text)
    assert seen(data) == [(500_000 - AT_US, 10_000, "200", True, "")]
    assert f"{tool} does not log failed requests" in data.unread[0]


def test_h2loads_log(tmp_path: Path) -> None:
    data = read(tmp_path, f"{AT_US}\t200\t1500\n{AT_US + 7}\t503\t900\n{AT_US + 9}\t-1\t20\n1\t2\n")
    assert seen(data) == [
        (0, 1500, "200", True, ""),
        (7, 900, "503", False, "status"),
        (9, 20, "", False, ""),
    ]
    assert "got no connection" in data.unread[0] and "1 x a line in another format" in data.unread[1]


@pytest.mark.parametrize(
    "rows",
    [
        "REQUEST\t\thome\t{0}\t{1}\tOK\t\nREQUEST\t\thome\t{0}\t{1}\tKO\tstatus.find.is(200), but found 503\n",
        "REQUEST\t1\t\thome\t{0}\t{1}\tOK\t \nREQUEST\t2\t\thome\t{0}\t{1}\tKO\tstatus.find.is(200), found 503\n",
    ],
)
def test_gatlings_text_log_of_several_versions(rows: str, tmp_path: Path) -> None:
    start = f"RUN\tcomputerdatabase.Basic\tbasic\t{AT_MS}\t \t3.9.5\nUSER\tVisitors\tSTART\t{AT_MS}\n"
    data = read(tmp_path, start + rows.format(AT_MS, AT_MS + 20))
    assert seen(data) == [(0, 20_000, "200", True, ""), (0, 20_000, "503", False, "status")]


HAPROXY = (
    "Jan  1 00:00:00 lb1 haproxy[14389]: 10.0.1.2:33317 [01/Jan/2026:00:00:00.250] http-in web/{server} "
    '10/0/30/69/109 {status} 2750 - - {ended} 1/1/1/1/0 0/0 {{1wt.eu}} {{}} "GET /a?b=1 HTTP/1.1"\n'
)


def test_a_kind_of_failure_that_the_log_shows_comes_before_its_status(tmp_path: Path) -> None:
    data = read(tmp_path, HAPROXY.format(server="web1", status="200", ended="SD--"))
    assert [kind for *_, kind in seen(data)] == ["truncated"]


def test_a_connection_that_goes_on_as_a_websocket_is_no_request(tmp_path: Path) -> None:
    row = '10.0.1.2 - - [01/Jan/2026:00:00:01 +0000] "GET /ws HTTP/1.1" {} 5 "-" "curl 8.0" 0.500\n'
    for text in (
        HAPROXY.format(server="web1", status="101", ended="cD--")
        + HAPROXY.format(server="web1", status="200", ended="----"),
        row.format(101) + row.format(200),
    ):
        data = read(tmp_path, text)
        assert [(code, success) for _, _, code, success, _ in seen(data)] == [("200", True)]
        assert data.unread == () and any(
            "1 connections that switched to another protocol" in one for one in data.run.warnings
        )


def test_a_gap_between_the_good_responses_of_hey_is_its_longest_silence(tmp_path: Path) -> None:
    rows = [f"0.0100,0,0,0,0,0.0090,200,{at / 20 + (4.15 if at >= 200 else 0):.4f}" for at in range(400)]
    header = "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset"
    data = read(tmp_path, "\n".join([header, *rows, ""]))
    (found,) = find_silences(data.samples, data.scope)
    assert "failures are unknown" in data.unread[0]
    assert found.longest.high_ms is not None and 4_200 <= found.longest.high_ms <= 4_310
