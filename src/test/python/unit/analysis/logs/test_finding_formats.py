"""Which format a file is read by: its beginning tells, and JMeter's CSV is none of them."""

import pytest

from switchover.analysis.logs import find_format
from switchover.analysis.logs.format import Head


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ('<testResults version="1.2">', "JMeter's XML"),
        ("1767225600250000\t200\t1500", "h2load's log"),
        ('1.1.1.1 - - [01/Jan/2026:00:00:01 +0000] "GET / HTTP/1.1" 200 5', "an access log"),
        ('{"time":"2026-01-01T00:00:01Z","status":200}', "a balancer's log in JSON"),
        ("timestamp,name,response_time_ms,exception", "Locust's request log"),
    ],
)
def test_a_file_is_read_by_the_format_that_claims_its_beginning(line: str, name: str) -> None:
    found = find_format(Head((line,)))
    assert found is not None and found.name == name


@pytest.mark.parametrize("line", ["", "timeStamp,elapsed,label,responseCode,success", "hello"])
def test_jmeters_csv_and_what_is_no_log_have_no_format(line: str) -> None:
    assert find_format(Head((line,))) is None
