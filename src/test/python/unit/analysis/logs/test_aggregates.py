"""Results without a time for each request: each kind is known by its beginning, and told apart from logs."""

import pytest

from switchover.analysis.logs.aggregates import find_refusal
from switchover.analysis.logs.format import Head

NO_TIMES = "has no time for each request, so neither an outage nor a rate can be told from it"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["Type,Name,Request Count,Failure Count,Median"], f"is Locust's table of statistics and {NO_TIMES}"),
        (["This is ApacheBench, Version 2.3"], f"is what ab prints and {NO_TIMES}"),
        (["Running 10s test @ http://vip/"], f"is what wrk or wrk2 prints and {NO_TIMES}"),
        (['{"sampleCount":5,', '"errorPct":0}'], "is JMeter's statistics.json"),
        (["", "Summary:", "  Requests/sec: 5", "Response time histogram:"], "is what hey prints"),
        (["Result", "\ufffdAttack Timestamp Latency"], "is what 'vegeta attack' writes for itself"),
        (["\0\0\0\0\x063.13.1"], "is Gatling's binary log (since 3.13), which only Gatling can read"),
        (["x"] * 198 + ['{"metrics":{}', ' "root_group":{}}'], "is k6's summary"),
    ],
)
def test_a_result_without_a_time_for_each_request_is_known_by_its_beginning(lines: list[str], said: str) -> None:
    reason = find_refusal(Head(tuple(lines)))
    assert reason is not None and reason.startswith(said)


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["timeStamp,elapsed,success"],
        ["", "This is ApacheBench, Version 2.3"],
        ["Summary:", "  Requests/sec: 5"],
        ['"metrics" "root', '_group"'],
        ["x"] * 199 + ['{"metrics":{}', ' "root_group":{}}'],
        ["Result", "Attack Timestamp Latency"],
        ["\ufffdResult Attack", "Timestamp"],
        ["\ufffdResult Attack", "Timestamp", "Latency"],
        ["\0\0\0\x01\x063.13.1"],
        ["\0\0\0\0\x064.13.1"],
        ["x\0\0\0\0\x063.13.1"],
    ],
)
def test_anything_else_is_none_of_them(lines: list[str]) -> None:
    assert find_refusal(Head(tuple(lines))) is None
