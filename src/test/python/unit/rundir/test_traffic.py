"""Traffic per second: the vectors, and the form of the histogram, which HdrHistogram defines."""

import re
import zlib
from base64 import b64decode
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.contract import named
from support.examples import examples
from switchover.rundir.histogram import (
    HIGHEST_US,
    decode,
    encode,
    highest_of,
    index_of,
    percentiles_us,
)
from switchover.rundir.points import parse_point
from switchover.rundir.traffic import Traffic

HDR = re.compile(r'hdr="([^"]*)"')


def comparable(line: str) -> dict[str, Any]:
    """The line with its histogram decoded: compression may differ between libraries, its content may not."""
    encoded = HDR.search(line)
    assert encoded is not None
    counts = sorted((highest_of(index), count) for index, count in decode(encoded[1]).items())
    return {"line": HDR.sub('hdr="*"', line), "hdr": [list(pair) for pair in counts]}


@pytest.mark.parametrize("case", named("traffic.json", "cases"))
def test_traffic_is_counted_as_agreed(case: dict[str, Any]) -> None:
    traffic = Traffic(case["measurement"], case["run"], case["worker"])
    for step in case["steps"]:
        if "add" in step:
            add = step["add"]
            traffic.add(add["end_us"], add["latency_us"], add["bytes"], add["tags"])
        else:
            assert [comparable(line) for line in traffic.flush(step["flush"])] == step["lines"]
    assert traffic.too_late == case["too_late"]


@pytest.mark.parametrize("case", named("traffic.json", "histograms"))
def test_histograms_of_either_language_are_read(case: dict[str, Any]) -> None:
    counts = sorted((highest_of(index), count) for index, count in decode(case["base64"]).items())
    assert [list(pair) for pair in counts] == case["counts"]


@pytest.mark.parametrize("case", named("traffic.json", "histograms"))
def test_histograms_are_written_like_those_of_the_library(case: dict[str, Any]) -> None:
    def content(encoded: str) -> bytes:
        return zlib.decompress(b64decode(encoded)[8:])

    counts = {index_of(value_us): count for value_us, count in case["counts"]}
    assert content(encode(counts)) == content(case["base64"])


@settings(max_examples=examples(200))
@given(st.integers(0, HIGHEST_US))
def test_buckets_are_those_of_the_hdr_histogram(value_us: int) -> None:
    width_us = 1 << max(0, value_us.bit_length() - 8)
    highest_us = value_us // width_us * width_us + width_us - 1
    assert highest_of(index_of(value_us)) == highest_us
    assert index_of(min(highest_us, HIGHEST_US)) == index_of(value_us)
    if highest_us < HIGHEST_US:
        assert index_of(highest_us + 1) == index_of(value_us) + 1


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(st.sampled_from(["web1", "web2"]), st.integers(0, 3), st.integers(-5, 10**9)), max_size=30))
def test_many_requests_together_are_the_same_as_one_by_one(requests: list[tuple[str, int, int]]) -> None:
    single, together = Traffic("m", "r"), Traffic("m", "r")
    groups: dict[tuple[str, int], list[int]] = {}
    for backend, second, latency_us in requests:
        single.add(second * 1_000_000, latency_us, 10, {"backend": backend})
        groups.setdefault((backend, second), []).append(latency_us)
    for (backend, second), latencies_us in groups.items():
        series = together.series({"backend": backend})
        together.add_all(series, second, latencies_us, 10 * len(latencies_us))
    assert together.flush(1 << 62) == single.flush(1 << 62)


def test_buckets_wait_as_long_as_told() -> None:
    traffic = Traffic("m", "r", keep_s=3)
    for second in range(10):
        traffic.add(second * 1_000_000, 5, 1, {})
    traffic.flush(10_000_000)
    assert traffic.open_from_s == 7
    traffic.add(6_999_999, 5, 1, {})
    assert traffic.too_late == 1
    traffic.add(7_000_000, 5, 1, {})
    (line,) = traffic.flush(10_000_000)
    assert parse_point(line).fields["count"] == 2


@settings(max_examples=examples(100))
@given(st.lists(st.integers(0, 255), min_size=1, max_size=300), st.integers(1, 100))
def test_percentile_is_the_smallest_value_that_so_many_do_not_exceed(values: list[int], percent: int) -> None:
    counts: dict[int, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    (found,) = percentiles_us(counts, [percent])
    assert 100 * sum(value <= found for value in values) >= percent * len(values)
    assert 100 * sum(value < found for value in values) < percent * len(values)
