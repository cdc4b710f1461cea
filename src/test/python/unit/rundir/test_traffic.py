"""Traffic per second, the histogram that HdrHistogram defines, and what a load says of itself."""

import re
import zlib
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.contract import named
from support.examples import examples
from switchover.model.errors import RunDirectoryError
from switchover.rundir.histogram import (
    HIGHEST_US,
    decode,
    encode,
    highest_of,
    index_of,
    percentiles_us,
)
from switchover.rundir.load_facts import ENDED, LOAD_FILE, LoadFacts, merge_load, read_load, write_load
from switchover.rundir.points import parse_point
from switchover.rundir.run_directory import Run, read_run, write_run
from switchover.rundir.run_records import RunSettings
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


WORKER = {"worker": "w1", "host": "h", "part": "samples-w1.jtl", "samples": 7, "joined": "start", "ended": "stopped"}


def facts() -> LoadFacts:
    return LoadFacts(
        state=ENDED,
        parts=["journal-locust.lp", "samples-w1.jtl"],
        workers=[WORKER],
        clocks=[{"node": "w1", "when": "start", "offset_us": 3, "bound_us": 9}],
        settings={"users": 50},
        warnings=["Shopper waits for ever"],
    )


def test_what_was_written_is_read(tmp_path: Path) -> None:
    write_load(tmp_path, facts())
    assert read_load(tmp_path) == facts()


def test_a_load_that_has_told_nothing_yet_is_none(tmp_path: Path) -> None:
    assert read_load(tmp_path) is None


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"state": 9}', "\x00"])
def test_a_damaged_description_is_one_line(tmp_path: Path, content: str) -> None:
    (tmp_path / LOAD_FILE).write_text(content)
    with pytest.raises(RunDirectoryError, match="does not describe a load"):
        read_load(tmp_path)


def test_the_run_takes_over_what_the_load_said(tmp_path: Path) -> None:
    write_load(tmp_path, facts())
    run = Run(
        id="r", name="r", parts=["journal.lp"], warnings=["before"], settings=RunSettings.of({"generator": "none"})
    )
    merge_load(run, tmp_path)
    assert run.parts == ["journal.lp", LOAD_FILE, "journal-locust.lp", "samples-w1.jtl"]
    assert [worker.written for worker in run.workers] == [WORKER]
    assert run.warnings == ["before", "Shopper waits for ever"]
    assert run.settings.written == {"generator": "locust", "load": {"users": 50, "state": ENDED}}
    assert [clock.written for clock in run.clocks] == facts().clocks
    write_run(tmp_path, run)
    assert read_run(tmp_path) == run


@pytest.mark.parametrize("content", [None, "nonsense"])
def test_a_load_that_told_nothing_that_can_be_read_is_a_missing_part(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / LOAD_FILE).write_text(content)
    run = Run(id="r", name="r")
    merge_load(run, tmp_path)
    assert run.parts == [LOAD_FILE]
    assert run.settings.written["load"] == {"state": None}
    assert bool(run.warnings) is (content is not None)
