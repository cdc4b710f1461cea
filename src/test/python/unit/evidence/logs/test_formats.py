"""Logs of other tools, found by their content: rows as their documentation describes them."""

import re
from collections import Counter
from pathlib import Path

import pytest

from support.request_tables import samples_of
from switchover.evidence.log_run import load_logs
from switchover.evidence.logs.failure_rules import kind_of_failure
from switchover.evidence.requests.reader import HowToRead
from switchover.evidence.run_data import RunData
from switchover.figures.silences import find_silences
from switchover.model.errors import RunDirectoryError
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
    assert kind is FailureKind.READ_TIMEOUT


def test_k6_csv_has_the_end_of_each_request_and_a_row_per_metric(tmp_path: Path) -> None:
    good = k6_rows(str(AT_MS), 10.0, "200")
    bad = k6_rows(str(AT_MS + 1), 0.0, "0", "dial: connection refused", 1)
    data = read(tmp_path, f"{K6_HEADER}\n{good}vus,{AT_MS},5.0{',' * 16}\n{bad}")
    assert seen(data) == [(-12_000, 12_000, "200", True, ""), (-1000, 2000, "", False, "refused")]
    assert data.unread == () and data.run.warnings == [
        "result.out: durations of k6 are from the send on; connecting before it is added to them",
        "result.out: read as k6's CSV",
    ]


def test_k6_csv_is_read_by_the_names_of_its_columns_in_any_order(tmp_path: Path) -> None:
    rows = "".join(
        f"{name},{value},{AT_MS},/api,GET,404,false\n"
        for name, value in (("http_req_duration", 10.0), ("http_req_blocked", 2.0), ("http_req_failed", 1))
    )
    data = read(tmp_path, f"metric_name,metric_value,timestamp,name,method,status,expected_response\n{rows}")
    assert seen(data) == [(-12_000, 12_000, "404", False, "status")]


def test_k6_in_whole_seconds_says_so(tmp_path: Path) -> None:
    data = read(tmp_path, f"{K6_HEADER}\n{k6_rows('1767225601', 10.0, '200') * 10}")
    assert any("times are written to a second" in one for one in data.run.warnings)


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


def test_locusts_request_log(tmp_path: Path) -> None:
    header = "timestamp,request_type,name,response_time_ms,response_length,status_code,exception\n"
    rows = (
        f"{AT_US / 1e6},GET,/,12.5,123,200,\n"
        f"{AT_US / 1e6},GET,/,0.4,0,0,\"ConnectionRefusedError(111, 'Connection refused')\"\n"
        f"{AT_US / 1e6},GET,/,3.0,7,0,503 Server Error: Service Unavailable for url: /\n"
    )
    assert seen(read(tmp_path, header + rows)) == [
        (0, 12_500, "200", True, ""),
        (0, 400, "", False, "refused"),
        (0, 3000, "503", False, "status"),
    ]


@pytest.mark.parametrize(
    ("stamp", "took", "success", "expected"),
    [
        (str(AT_MS), "5", "True", (0, 5000, "200", True, "")),
        ("2026-01-01T00:00:00.250", "5", "1", (0, 5000, "200", True, "")),
        ("2026/01/01 01:00:00.250+01:00", "5", "false", (0, 5000, "200", False, "assertion")),
        ("2026-01-01T00:00:00.250", "", "", (0, 0, "200", True, "")),
    ],
)
def test_locusts_loggers_may_write_dates_and_whether_it_went_well(
    stamp: str, took: str, success: str, expected: tuple[object, ...], tmp_path: Path
) -> None:
    header = "time,request_name,response_time,response_code,success\n"
    assert seen(read(tmp_path, f"{header}{stamp},/,{took},200,{success}\n")) == [expected]


@pytest.mark.parametrize("stamp", ["soon", "1/2/26 10:00", "nan"])
def test_a_row_of_locusts_without_a_time_is_not_understood(stamp: str, tmp_path: Path) -> None:
    header = "time,request_name,response_time,response_code\n"
    data = read(tmp_path, f"{header}{AT_MS},/,5,200\n{stamp},/,5,200\n")
    assert len(data.samples) == 1 and "1 x a line of another form" in data.unread[0]


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
def test_a_tool_that_leaves_out_failures_is_not_trusted(tool: str, text: str, tmp_path: Path) -> None:
    data = read(tmp_path, text)
    assert seen(data) == [(500_000 - AT_US, 10_000, "200", True, "")]
    assert f"{tool} does not write the requests that failed" in data.unread[0]


def test_h2loads_log(tmp_path: Path) -> None:
    data = read(tmp_path, f"{AT_US}\t200\t1500\n{AT_US + 7}\t503\t900\n{AT_US + 9}\t-1\t20\n1\t2\n")
    assert seen(data) == [
        (0, 1500, "200", True, ""),
        (7, 900, "503", False, "status"),
        (9, 20, "", False, ""),
    ]
    assert "got no connection" in data.unread[0] and "1 x a line of another form" in data.unread[1]


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


def test_haproxys_log_is_a_load(tmp_path: Path) -> None:
    rows = [
        HAPROXY.format(server="web1", status="200", ended="----"),
        "Jan  1 00:00:00 lb1 haproxy[14389]: Server web/web1 is DOWN, reason: Layer4 connection problem.\n",
        HAPROXY.format(server="<NOSRV>", status="503", ended="SC--"),
        HAPROXY.format(server="web2", status="-1", ended="CD--"),
    ]
    data = read(tmp_path, "".join(rows))
    assert seen(data) == [
        (0, 109_000, "200", True, ""),
        (0, 109_000, "503", False, "status"),
        (0, 109_000, "", False, "reset"),
    ]
    assert [
        (one.identity.backend, one.identity.balancer, str(one.identity.answered_by))
        for one in samples_of(data.samples)
    ] == [
        ("web1", "lb1", "backend"),
        ("", "lb1", "balancer"),
        ("", "lb1", "none"),
    ]
    assert data.unread == ()


@pytest.mark.parametrize(
    ("status", "ended", "success", "error"),
    [
        ("200", "SD--", False, "truncated"),
        ("200", "sDNI", False, "truncated"),
        ("200", "DD--", False, "truncated"),
        ("200", "CD--", False, "generator"),
        ("200", "cD--", False, "generator"),
        ("200", "CL--", True, ""),
        ("200", "LR--", True, ""),
        ("500", "SD--", False, "status"),
        ("-1", "SD--", False, "reset"),
    ],
)
def test_an_answer_that_haproxy_or_its_server_cut_has_failed(
    status: str, ended: str, success: bool, error: str, tmp_path: Path
) -> None:
    line = HAPROXY.format(server="web1", status=status, ended=ended)
    named = (
        f'{{"time":"01/Jan/2026:00:00:00.250","server":"web1","status":{status},"bytes":2750,"Ta":109,'
        f'"termination_state":"{ended[:2]}","request":"GET /a HTTP/1.1"}}\n'
    )
    code = status.replace("-1", "")
    for text in (line, named):
        assert seen(read(tmp_path, text)) == [(0, 109_000, code, success, error)]


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
            "1 x a connection that went on in another protocol" in one for one in data.run.warnings
        )


def test_haproxys_clf(tmp_path: Path) -> None:
    row = (
        '10.0.1.2 - - [01/Jan/2026:01:00:00 +0100] "GET /a HTTP/1.1" 200 2750 "" "" 33317 250 "http-in" "web" "web1" '
        '10 0 30 69 109 ---- 1 1 1 1 0 0 0 "" "" "" ""\n'
    )
    assert seen(read(tmp_path, row)) == [(0, 109_000, "200", True, "")]


@pytest.mark.parametrize("prefix", ["", "www.example.org:80 "])
def test_nginxs_log_with_its_request_time_is_a_load(prefix: str, tmp_path: Path) -> None:
    row = '10.0.1.2 - - [01/Jan/2026:00:00:01 +0000] "GET /a HTTP/1.1" {} 5 "-" "curl 8.0" {}\n'
    rows = prefix + row.format(200, "10.0.0.1:80 0.500") + prefix + row.format(502, 'rt=0.750 ua="10.0.0.1:80"')
    data = read(tmp_path, rows, HowToRead(aliases={"10.0.0.1:80": "web1"}))
    assert seen(data) == [(250_000, 500_000, "200", True, ""), (0, 750_000, "502", False, "status")]
    assert {one.identity.backend for one in samples_of(data.samples)} == {"web1"} and data.unread == ()


def test_of_several_times_in_nginxs_log_the_longest_is_the_requests(tmp_path: Path) -> None:
    row = '10.0.1.2 - - [01/Jan/2026:00:00:01 +0000] "GET /a HTTP/1.1" 200 5 "-" "curl 8.0" 0.100 0.500 0.001\n'
    assert seen(read(tmp_path, row)) == [(250_000, 500_000, "200", True, "")]


def test_haproxys_log_in_json_is_a_load(tmp_path: Path) -> None:
    row = (
        '<134>Jan  1 00:00:00 lb1 haproxy[7]: {{"time":"01/Jan/2026:00:00:00.250","server":"{server}",'
        '"status":{status},"bytes":2750,"Ta":109,"termination_state":"{ended}","request":"GET /a?b=1 HTTP/1.1"}}\n'
    )
    rows = [
        row.format(server="web1", status=200, ended="--"),
        "Jan  1 00:00:00 lb1 haproxy[14389]: Server web/web1 is DOWN, reason: Layer4 connection problem.\n",
        row.format(server="<NOSRV>", status=503, ended="SC"),
        row.format(server="web2", status=-1, ended="CD"),
    ]
    data = read(tmp_path, "".join(rows))
    assert seen(data) == [
        (0, 109_000, "200", True, ""),
        (0, 109_000, "503", False, "status"),
        (0, 109_000, "", False, "reset"),
    ]
    assert [(one.label, one.identity.backend, one.identity.balancer) for one in samples_of(data.samples)] == [
        ("/a", "web1", "lb1"),
        ("/a", "", "lb1"),
        ("/a", "", "lb1"),
    ]
    assert data.unread == () and any("name no zone" in one for one in data.run.warnings)


def test_nginxs_log_in_json_is_a_load(tmp_path: Path) -> None:
    row = (
        '{{"time":"2026-01-01T00:00:01+00:00","msec":{at},"request_time":{took},"status":"{status}",'
        '"upstream_addr":"{server}","upstream_header_time":"{header}","request":"GET /a HTTP/1.1",'
        '"body_bytes_sent":5}}\n'
    )
    rows = [
        row.format(at="1767225600.750", took="0.500", status=200, server="10.0.0.1:80", header="0.4"),
        row.format(at="1767225600.500", took="0.250", status=502, server="10.0.0.1:80, 10.0.0.2:80", header="-, -"),
        row.format(at="1767225600.260", took="0.010", status=499, server="10.0.0.2:80", header="-"),
    ]
    data = read(tmp_path, "".join(rows), HowToRead(aliases={"10.0.0.1:80": "web1"}))
    assert seen(data) == [
        (0, 500_000, "200", True, ""),
        (0, 250_000, "502", False, "status"),
        (0, 10_000, "", False, "reset"),
    ]
    assert [(one.identity.backend, str(one.identity.answered_by)) for one in samples_of(data.samples)] == [
        ("web1", "backend"),
        ("", "balancer"),
        ("", "none"),
    ]
    assert data.unread == () and data.run.warnings == ["result.out: read as a balancer's log in JSON"]


def test_a_log_in_json_without_durations_is_not_trusted(tmp_path: Path) -> None:
    data = read(tmp_path, '{"time":"2026-01-01T00:00:01+00:00","status":200,"request":"GET / HTTP/1.1"}\n')
    assert "no duration" in data.unread[0]


def test_an_access_log_without_durations_is_not_trusted(tmp_path: Path) -> None:
    data = read(tmp_path, '10.0.1.2 - - [01/Jan/2026:00:00:01 +0000] "GET /a HTTP/1.1" 200 5 "-" "curl"\n')
    assert "no duration" in data.unread[0]


JTL = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,URL"
XML = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<testResults version="1.2">\n'
    '<sample t="30" ts="{0}" s="true" lb="visit" rc="200" rm="Number of samples in transaction : 1, number of '
    'failing samples : 0" tn="u 1-1">\n'
    '  <httpSample t="20" lt="15" ct="3" ts="{0}" s="false" lb="home" rc="503" rm="Busy" tn="u 1-1" na="4">\n'
    '    <httpSample t="9" ts="{0}" s="true" lb="style.css" rc="200"/>\n'
    "    <java.net.URL>http://vip/</java.net.URL>\n  </httpSample>\n</sample>\n"
    '<httpSample t="{1}" ts="{0}" s="true" lb="home" rc="200" rm="OK"/>\n</testResults>\n'
)


def test_xml_tells_transactions_requests_and_their_parts_apart(tmp_path: Path) -> None:
    data = read(tmp_path, XML.format(AT_MS, 7))
    assert Counter(seen(data)) == {
        (0, 20_000, "503", False, "status"): 1,
        (0, 7000, "200", True, ""): 1,
    }
    assert samples_of(data.samples)[0].url == "http://vip/" and samples_of(data.samples)[0].users == 4
    assert data.unread == ()
    many = read(tmp_path, XML.format(AT_MS, 7).replace('rm="OK"', 'rm="OK" sc="3"'))
    assert len(many.samples) == 1 and "1 x a line of another form" in many.unread[0]
    said = " ".join(data.run.warnings)
    assert "1 Transaction Controllers are not counted" in said and "1 parts of requests" in said


def test_xml_that_was_cut_off_is_read_as_far_as_it_goes_and_not_trusted(tmp_path: Path) -> None:
    whole = XML.format(AT_MS, 7)
    data = read(tmp_path, whole[: whole.index("</testResults>") - 30])
    assert len(data.samples) == 1 and "damaged or cut off" in data.unread[0]


def test_xml_in_utf_16_is_read(tmp_path: Path) -> None:
    path = tmp_path / "result.out"
    path.write_bytes(XML.format(AT_MS, 7).replace("UTF-8", "UTF-16").encode("utf-16"))
    assert len(load_logs([path]).samples) == 2


def test_xml_without_messages_cannot_tell_transactions_from_requests(tmp_path: Path) -> None:
    text = re.sub('rm="Number[^"]*"', "", XML.format(AT_MS, 7))
    assert "may be Transaction Controllers" in read(tmp_path, text).unread[0]


def test_damage_that_leaves_nothing_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunDirectoryError, match=r"no sample that could be read.*damaged or cut off"):
        read(tmp_path, XML.format(AT_MS, 7)[:100])


def test_xml_that_is_no_jmeters_is_refused(tmp_path: Path) -> None:
    bomb = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><testResults><sample lb="&b;"/></testResults>'
    with pytest.raises(RunDirectoryError, match="declares entities"):
        read(tmp_path, bomb)


def transactions(*rows: str) -> str:
    return "\n".join([JTL, *rows, ""])


def test_a_part_of_a_request_is_not_counted_apart(tmp_path: Path) -> None:
    """JMeter 5.6.3 writes a row of the whole and behind it one of each redirect and each embedded resource, which may
    have parts, too. A request that has such a name by its plan is none of these."""

    def row(at_ms: int, took_ms: int, label: str, thread: str = "u 1-1") -> str:
        return f"{AT_MS + at_ms},{took_ms},{label},200,OK,{thread},text,true,http://vip/"

    whole = [row(0, 50, "home"), row(0, 20, "home-0"), row(20, 30, "home-1"), row(20, 10, "home-1-0")]
    others = [
        row(0, 20, "home-2", "u 1-2"),
        row(50, 20, "home-2"),
        row(70, 20, "cart"),
        row(90, 0, "cart-7"),
        row(90, 20, "home-0"),
    ]
    data = read(tmp_path, transactions(*whole, *others))
    assert Counter(one.label for one in samples_of(data.samples)) == {
        "home": 1,
        "home-0": 1,
        "home-2": 2,
        "cart": 1,
        "cart-7": 1,
    }
    assert data.run.warnings == [
        "result.out: 3 parts of requests (redirects, embedded resources) are not counted apart"
    ]
    said = '"Number of samples in transaction : 1, number of failing samples : 0"'
    data = read(tmp_path, transactions(*whole, f"{AT_MS},50,visit,200,{said},u 1-1,,true,null"))
    assert len(data.samples) == 1 and data.unread == ()


def test_a_transaction_is_no_request(tmp_path: Path) -> None:
    request = f"{AT_MS},20,home,200,OK,u 1-1,text,true,http://vip/"
    whole = (
        f'{AT_MS},50,visit,200,"Number of samples in transaction : 2, number of failing samples : 0",u 1-1,,true,null'
    )
    data = read(tmp_path, transactions(request, request, whole))
    assert len(data.samples) == 2 and data.unread == ()
    assert data.run.warnings == ["result.out: 1 rows of Transaction Controllers are not counted"]
    with pytest.raises(RunDirectoryError, match="2 rows of Transaction Controllers are not counted"):
        read(tmp_path, transactions(whole, whole))


def test_a_transaction_counts_flow_control_actions_which_make_no_sample(tmp_path: Path) -> None:
    """JMeter 5.6.3: a request and a pause are two samples by the message."""
    said = '"Number of samples in transaction : 2, number of failing samples : 0"'
    rows = [
        f"{AT_MS + at_ms},{row}"
        for at_ms in (0, 50)
        for row in ("20,home,200,OK,u 1-1,text,true,http://vip/", f"40,visit,200,{said},u 1-1,,true,null")
    ]
    data = read(tmp_path, transactions(*rows))
    assert len(data.samples) == 2 and data.unread == ()


def test_a_transaction_that_jmeter_tells_twice_says_nothing_of_its_requests(tmp_path: Path) -> None:
    """As JMeter 5.6.3 writes it when the time of a thread group is over."""
    said = '"Number of samples in transaction : 1, number of failing samples : 0"'
    request = f"{AT_MS},20,home,200,OK,u 1-1,text,true,http://vip/"
    again = f"{AT_MS + 50},0,visit,200,{said},,,true,null"
    data = read(tmp_path, transactions(request, f"{AT_MS},50,visit,200,{said},u 1-1,,true,null", again))
    assert len(data.samples) == 1 and data.unread == ()
    assert data.run.warnings == ["result.out: 2 rows of Transaction Controllers are not counted"]


@pytest.mark.parametrize(
    ("columns", "known"),
    [("responseMessage", True), ("dataType,URL", True), ("URL", False), ("responseCode,label", False)],
)
def test_a_log_in_which_controllers_cannot_be_told_from_requests_says_so(
    columns: str, *, known: bool, tmp_path: Path
) -> None:
    data = read(tmp_path, f"timeStamp,elapsed,success,{columns}\n{AT_MS},20,true{',x' * len(columns.split(','))}\n")
    assert any("Transaction Controllers cannot be told" in one for one in data.run.warnings) is not known


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
@pytest.mark.parametrize("label", ["home", '"a;b,c\t|"'])
def test_other_delimiters(delimiter: str, label: str, tmp_path: Path) -> None:
    header = delimiter.join(["timeStamp", "elapsed", "label", "success"])
    row = delimiter.join([str(AT_MS), "20", label, "true"])
    data = read(tmp_path, f"{header}\n{row}\n")
    assert [one.label for one in samples_of(data.samples)] == [label.strip('"')] and data.unread == ()


def test_a_log_without_a_header_needs_its_columns(tmp_path: Path) -> None:
    text = f"{AT_MS},20,home,200,OK,u,text,true,,5,5,1,3,http://vip/,10,0,1\n"
    with pytest.raises(RunDirectoryError, match=r"--columns, such as timeStamp,elapsed,label,") as raised:
        read(tmp_path, text)
    columns = tuple(str(raised.value).rpartition(" ")[2].split(","))
    (found,) = samples_of(read(tmp_path, text, HowToRead(columns=columns)).samples)
    assert (found.start_us, found.users, found.url) == (AT_US, 3, "http://vip/")
    with pytest.raises(RunDirectoryError, match="--columns lacks success"):
        read(tmp_path, text, HowToRead(columns=("timeStamp", "elapsed")))


THROWN = "Non HTTP response code:"


@pytest.mark.parametrize(
    ("code", "message", "kind"),
    [
        (f"{THROWN} org.apache.http.conn.HttpHostConnectException", "Connection refused", "refused"),
        (f"{THROWN} java.net.SocketException", "Connection reset", "reset"),
        (f"{THROWN} java.net.SocketTimeoutException", "Read timed out", "read_timeout"),
        (f"{THROWN} org.apache.http.conn.ConnectTimeoutException", "connect timed out", "connect_timeout"),
        (f"{THROWN} java.net.BindException", "Address already in use", "generator"),
        (f"{THROWN} org.apache.http.NoHttpResponseException", "failed to respond", "truncated"),
        (f"{THROWN} java.lang.Odd", "", "protocol"),
        ("503", "Service Unavailable", "status"),
        ("200", "OK", "assertion"),
        ("", "", ""),
    ],
)  # fmt: skip
def test_why_a_request_failed_is_read_from_code_and_message(
    code: str, message: str, kind: str, tmp_path: Path
) -> None:
    text = f"timeStamp,elapsed,label,responseCode,responseMessage,success\n{AT_MS},5,a,{code},{message},false\n"
    assert [str(one.error or "") for one in samples_of(read(tmp_path, text).samples)] == [kind]


JSON_ROW = '{"time":"2026-01-01T00:00:00.250Z","status":200,"Ta":5}\n'
NESTED = '{"a":' * 50_000 + "\n"
K6_POINT = (
    '{{"type":"Point","metric":"http_req_duration","data":{{"time":"2026-01-01T00:00:01Z","value":{},'
    '"tags":{{"status":"200"}}}}}}\n'
)
VEGETA_ROW = '{"attack":"","seq":1,"code":200,"timestamp":"2026-01-01T00:00:01Z","latency":1000000}\n'


@pytest.mark.parametrize(
    ("text", "good"),
    [
        (JSON_ROW * 9 + NESTED, 9),
        (JSON_ROW * 9 + JSON_ROW.replace('"Ta":5', f'"Ta":{"9" * 400}'), 9),
        (K6_POINT.format(5) * 9 + NESTED, 9),
        (K6_POINT.format(5) * 9 + K6_POINT.format("NaN") + K6_POINT.format("Infinity"), 9),
        (VEGETA_ROW * 9 + NESTED, 9),
    ],
)
def test_a_line_of_json_without_sense_is_left_out_and_told(text: str, good: int, tmp_path: Path) -> None:
    data = read(tmp_path, text)
    assert len(data.samples) == good and "could not be understood" in data.unread[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" * 100_000 + "\n", "no format is known"),
        (NESTED, "no format is known"),
        ("a\rb,c\n", "no format is known"),
        ("timestamp,name,response_time,success", "no sample that could be read"),
    ],
)
def test_what_no_format_can_begin_with_is_one_clear_line(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "result.out"
    path.write_bytes(text.encode())
    with pytest.raises(RunDirectoryError, match=said):
        load_logs([path])


@pytest.mark.parametrize(("good", "bad"), [("true", "false"), ("TRUE", "FALSE"), ("True", "False"), ("1", "0")])
def test_success_is_a_word_or_a_digit_in_any_case(good: str, bad: str, tmp_path: Path) -> None:
    rows = "".join(f"{AT_MS + at},5,home,{code},OK,u,text,{success},http://vip/\n" for at, code, success in
                   [(0, "200", good), (1, "503", bad)])  # fmt: skip
    data = read(tmp_path, f"{JTL}\n{rows}")
    assert seen(data) == [(0, 5000, "200", True, ""), (1000, 5000, "503", False, "status")] and data.unread == ()
    xml = read(tmp_path, XML.format(AT_MS, 7).replace('s="true"', f's="{good}"').replace('s="false"', f's="{bad}"'))
    assert len(xml.samples) == 2


TCP = (
    "Jan  1 00:00:00 lb1 haproxy[14387]: 10.0.1.2:33313 [01/Jan/2026:00:00:00.250] fnt bck/{server} {times} {size} "
    "{ended} 0/0/0/0/{retries} 0/0\n"
)


def test_haproxys_tcp_log_has_sessions(tmp_path: Path) -> None:
    rows = [
        TCP.format(server="web1", times="0/0/109", size=212, ended="--", retries=0),
        TCP.format(server="web1", times="0/0/109", size=212, ended="cD", retries="+1"),
        TCP.format(server="<NOSRV>", times="-1/-1/3", size=0, ended="SC", retries=3),
        TCP.format(server="web2", times="0/-1/5001", size=0, ended="sC", retries=3),
    ]
    data = read(tmp_path, "".join(rows))
    assert seen(data) == [
        (0, 109_000, "", True, ""),
        (0, 109_000, "", True, ""),
        (0, 3000, "", False, "refused"),
        (0, 5_001_000, "", False, "connect_timeout"),
    ]
    assert [one.identity.backend for one in samples_of(data.samples)] == ["web1", "web1", "", ""]
    assert any("4 lines are TCP sessions" in text for text in data.run.warnings) and data.unread == ()


TRAEFIK = (
    '{{"ClientAddr":"10.0.0.9:5","DownstreamContentSize":5,"DownstreamStatus":{status},"Duration":109000000,'
    '"OriginStatus":{origin},"RequestMethod":"GET","RequestPath":"/a?b=1","RouterName":"web@file",'
    '"ServiceAddr":"10.0.0.1:80","StartUTC":"2026-01-01T00:00:00.250000999Z","entryPointName":"web","level":"info",'
    '"msg":"","time":"2026-01-01T00:00:00Z"}}\n'
)


def test_traefiks_log_in_json(tmp_path: Path) -> None:
    rows = [TRAEFIK.format(status=status, origin=origin) for status, origin in ((200, 200), (502, 0), (499, 0))]
    data = read(tmp_path, "".join(rows))
    assert seen(data) == [
        (0, 109_000, "200", True, ""),
        (0, 109_000, "502", False, "status"),
        (0, 109_000, "", False, "reset"),
    ]
    assert [(one.identity.backend, str(one.identity.answered_by)) for one in samples_of(data.samples)] == [
        ("10.0.0.1:80", "backend"),
        ("", "balancer"),
        ("", "none"),
    ]
    assert data.unread == () and data.run.warnings == ["result.out: read as a balancer's log in JSON"]


def test_traefiks_common_log_names_the_begin(tmp_path: Path) -> None:
    row = '10.0.0.9 - - [01/Jan/2026:00:00:01 +0000] "GET /a HTTP/1.1" 200 5 "-" "-" 7 "web@file" '
    data = read(tmp_path, row + '"http://10.0.0.1:80" 25ms\n')
    assert seen(data) == [(750_000, 25_000, "200", True, "")] and data.unread == ()


def test_caddys_and_envoys_logs_in_json(tmp_path: Path) -> None:
    caddy = (
        '{"level":"info","ts":1767225600.750,"logger":"http.log.access","msg":"handled request","request":{"method":'
        '"GET","host":"vip","uri":"/a"},"bytes_read":0,"user_id":"","duration":0.5,"size":5,"status":200}\n'
    )
    envoy = (
        '{"start_time":"2026-01-01T00:00:00.250Z","method":"GET","path":"/a","response_code":503,"duration":500,'
        '"upstream_host":"10.0.0.1:80","bytes_sent":5}\n'
    )
    data = read(tmp_path, caddy + envoy)
    assert seen(data) == [(0, 500_000, "200", True, ""), (0, 500_000, "503", False, "status")]
    assert [str(one.identity.answered_by) for one in samples_of(data.samples)] == ["unknown", "backend"]


def test_what_caddy_logs_beside_requests_is_passed_over(tmp_path: Path) -> None:
    event = 'caddy  | {"level":"info","ts":1767225600.1,"msg":"server running","name":"srv0","protocols":["h1"]}\n'
    request = (
        'caddy  | {"level":"info","ts":1767225600.750,"msg":"handled request","request":{"uri":"/a"},"duration":0.5,'
        '"size":5,"status":200,"resp_headers":{"Date":["Thu, 01 Jan 2026 00:00:00 GMT"]}}\n'
    )
    data = read(tmp_path, event * 9 + request * 3 + event)
    assert len(data.samples) == 3 and data.unread == ()


def test_a_gap_between_the_good_responses_of_hey_is_its_longest_silence(tmp_path: Path) -> None:
    rows = [f"0.0100,0,0,0,0,0.0090,200,{at / 20 + (4.15 if at >= 200 else 0):.4f}" for at in range(400)]
    header = "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset"
    data = read(tmp_path, "\n".join([header, *rows, ""]))
    (found,) = find_silences(data.samples, data.scope)
    assert "failures are not known" in data.unread[0]
    assert found.longest.high_ms is not None and 4_200 <= found.longest.high_ms <= 4_310
