"""What is read from the output of other load generators, and how it is shown."""

import importlib
from xml.etree import ElementTree

import pytest

from support.checkout import CHECKOUT

with pytest.MonkeyPatch.context() as at_import:
    at_import.syspath_prepend(str(CHECKOUT / "benchmarks"))
    tools = importlib.import_module("judge_tools")
    tables = importlib.import_module("judges_tables")
    asked = importlib.import_module("judges_asked")

WRK = """
  2 threads and 10 connections
    Latency     5.03ms    2.11ms  60.23ms   86.92%
  900 requests in 15.05s, 1.20MB read
  Socket errors: connect 40, read 20, write 10, timeout 30
  Non-2xx or 3xx responses: 25
"""
HEY = """
Status code distribution:
  [200]\t900 responses
  [503]\t25 responses

Error distribution:
  [70]\tGet "http://198.18.0.50/": dial tcp 198.18.0.50:80: connect: connection refused
  [5]\tGet "http://198.18.0.50/": EOF
"""
VEGETA = """
Requests      [total, rate, throughput]         1000, 50.07, 45.06
Success       [ratio]                           90.00%
Status Codes  [code:count]                      0:75  200:900  503:25
Error Set:
503 Service Unavailable
"""
K6 = """
    http_req_duration..............: avg=1.82ms min=0s med=1.5ms max=30.1ms p(90)=2.9ms p(95)=3.6ms
      { expected_response:true }...: avg=2.05ms min=0.9ms med=1.6ms max=30.1ms p(90)=3.0ms p(95)=3.7ms
    http_req_failed................: 10.00% 100 out of 1000
    http_reqs......................: 1000   66.6/s
"""


def test_requests_without_an_answer_and_with_an_error_are_failed() -> None:
    for read, text, requests, failed in (
        (tools.read_wrk, WRK, 1000, 125),
        (tools.read_hey, HEY, 1000, 100),
        (tools.read_vegeta, VEGETA, 1000, 100),
        (tools.read_k6, K6, 1000, 100),
    ):
        account = read(text, 15.0)
        assert (account.requests, account.failed) == (requests, failed)
        assert account.told_ms == {tools.BY_SHARE: 15.0 * failed}


def test_an_output_without_any_figure_tells_nothing() -> None:
    for read in (tools.read_wrk, tools.read_hey, tools.read_vegeta, tools.read_k6):
        assert read("unable to connect", 15.0).told_ms == {tools.BY_SHARE: None}


def test_the_table_and_the_picture_set_what_was_told_against_the_wire() -> None:
    row = {"fault": "node-down", "wire_ms": 3000.0, "low_ms": 2990.0, "high_ms": 3001.0, "inside": True}
    counted = {"tool": "wrk", "requests": 1000, "failed": 500, "told_ms": {"share": 6000.0}}
    broke_off = {"tool": "ab", "requests": 10, "failed": 0, "told_ms": {"share": None}}
    result = {
        "at": "2026-01-01",
        "machine": {"cores": 2},
        "drills": 1,
        "probe_rate": 1000,
        "seconds": 15,
        "rows": [{**row, **counted}, {**row, **broke_off}],
    }
    table = tables.as_table(result)
    assert "2 of 2 inside the interval" in table
    assert "| node-down | wrk: share | 1 | 3 to 3 s | 6 to 6 s | 2.00 (2.00 to 2.00) | 50 to 50 % | 0 |" in table
    assert "| node-down | ab: share | 1 | 3 to 3 s | - | - | 0 to 0 % | 1 |" in table
    drawn = tables.draw(result)
    ElementTree.fromstring(drawn)
    assert "broke off in every drill: no figure" in drawn
    assert drawn.count("<circle") == 3


QUOTED = {
    ("wrk", WRK): [
        "Latency … 60.23ms",
        "900 requests in 15.05s",
        "Socket errors: connect 40, read 20, write 10, timeout 30",
    ],
    ("hey", HEY): ["[200] 900 responses", "[503] 25 responses", "[70] … connect: connection refused"],
    ("vegeta", VEGETA): ["Success [ratio] 90.00%", "Status Codes [code:count] 0:75 200:900 503:25"],
    ("k6", K6): ["max=30.1ms", "http_req_failed................: 10.00% 100 out of 1000"],
}


@pytest.mark.parametrize(("tool", "printed"), QUOTED, ids=lambda word: word if "\n" not in word else "")
def test_a_summary_is_quoted_word_for_word(tool: str, printed: str) -> None:
    first_page = next(one for one in asked.ASKINGS if (one.tool, one.how) == (tool, asked.FIRST_PAGE))
    quotes = first_page.quotes(printed)
    assert [quote for quote in QUOTED[tool, printed] if quote not in quotes] == []


def test_each_tool_is_asked_as_its_first_page_has_it_and_with_care() -> None:
    all_tools = {asking.tool for asking in asked.ASKINGS}
    for how in (asked.FIRST_PAGE, asked.WITH_CARE):
        assert {asking.tool for asking in asked.ASKINGS if asking.how == how} == all_tools


def test_a_tool_has_its_summary_its_log_and_both_with_care_in_one_row() -> None:
    row = {"fault": "node-down", "tool": "vegeta", "seed": 1, "wire_ms": 3000.0, "tool_exit_code": 0}
    plain = {"asked": asked.FIRST_PAGE, "printed": ["Success 100.00%"], "log": None}
    care = {
        "asked": asked.WITH_CARE,
        "printed": ["Success 80.00%"],
        "log": {"state": "inside", "said": "3,040 ms"},
    }
    made = asked.tables({"rows": [{**row, **plain, "version": "12.12.0"}, {**row, **care}]})
    assert "| vegeta | 12.12.0 | `vegeta attack " in made["commands"]
    table = made["node-down"]
    assert (
        "| vegeta | of 3,000 ms: `Success 100.00%`; exit code 0 | none | of 3,000 ms: `Success 80.00%`; exit code 0 "
        "| of 3,000 ms: 3,040 ms; 1 of 1 inside |"
    ) in table
