"""A change window by counters that Prometheus scraped: whatever it does not see, the truth is within its interval."""

import json
import random
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from math import inf, nan
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.ports import closed_port
from switchover.analysis.counter_window import CountedWindow, measure_counters
from switchover.cli.main import main
from switchover.model.interval import Interval, Span
from switchover.report.counter_window import lines
from switchover.telemetry.stored_counters import StoredCounter

SECOND = 1_000_000
BEGIN = 1_767_225_600 * SECOND
END_S = 300
WINDOW = Span(BEGIN + 60 * SECOND, BEGIN + 240 * SECOND)


def scraped(
    node: str, answers_s: Sequence[float], *, every_s: float, phase_s: float, gone_s: float = 999, back_s: float = 0
) -> StoredCounter:
    """The count of a node that is not scraped while it is gone, and begins again from 0 behind that."""
    samples, at = [], phase_s
    while at < END_S:
        if not gone_s <= at < back_s:
            since = back_s if at >= back_s else 0.0
            samples.append((BEGIN + round(at * SECOND), float(sum(since <= one <= at for one in answers_s))))
        at += every_s
    return StoredCounter(node, "2xx", samples)


@given(
    st.integers(0, 10_000),
    st.sampled_from([1.0, 5.0, 15.0]),
    st.floats(70, 150),
    st.floats(0.05, 60),
    st.booleans(),
)
def test_the_longest_time_without_a_good_answer_is_within_the_interval(
    seed: int, every_s: float, down_s: float, length_s: float, is_killed: bool
) -> None:
    chance, up_s = random.Random(seed), down_s + length_s
    answers, at = [], 0.0
    while at < END_S:
        at += chance.expovariate(4)
        if not down_s <= at < up_s:
            answers.append(at)
    first, second = [at for at in answers if at < down_s], [at for at in answers if at >= up_s]
    gone_s, back_s = (down_s, up_s + 40) if is_killed else (999.0, 0.0)
    phases = [chance.uniform(0, every_s) for _ in range(2)]
    found = measure_counters(
        [
            scraped("lb1", first, every_s=every_s, phase_s=phases[0], gone_s=gone_s, back_s=back_s),
            scraped("lb2", second, every_s=every_s, phase_s=phases[1]),
        ],
        WINDOW,
    )
    assert found is not None and found.outage.high is not None
    gaps = [(before, after) for before, after in pairwise(answers) if after > 60 and before < 240]
    truth_us = max(after - before for before, after in gaps) * SECOND
    assert found.outage.low <= truth_us + 1 and truth_us <= found.outage.high + 1


def test_a_count_that_stands_still_everywhere_is_certain_silence() -> None:
    answers = [at / 10 for at in range(3000) if not 100 <= at / 10 < 130]
    found = measure_counters([scraped("lb1", answers, every_s=5, phase_s=0)], WINDOW)
    assert found is not None
    assert (found.outage.low, found.outage.high) == (25 * SECOND, 35 * SECOND)
    assert (found.usual_us, found.scrape_us) == (10 * SECOND, 5 * SECOND)


def test_a_service_that_does_not_come_back_has_no_end() -> None:
    found = measure_counters([scraped("lb1", [at / 10 for at in range(1000)], every_s=5, phase_s=0)], WINDOW)
    assert found is not None
    assert (found.outage.high, found.within.to_us) == (None, WINDOW.to_us)
    assert found.outage.low >= 135 * SECOND


def test_a_silence_that_the_counters_begin_in_is_no_longer_at_least_than_at_most() -> None:
    answers = [at / 10 for at in range(1000, 3000)]
    found = measure_counters([scraped("lb1", answers, every_s=5, phase_s=0)], WINDOW)
    assert found is not None
    assert (found.outage.low, found.outage.high, found.within) == (95 * SECOND, None, seconds(0, 100))
    told = "at least 95,000 ms, from before the counters begin, until 2026-01-01 00:01:40 UTC at the latest"
    assert lines(found)[1] == f"without a good answer  {told}"


def counted(samples: dict[int, int], node: str = "lb1", code: str = "2xx") -> StoredCounter:
    """What each scrape found, by the second of it."""
    return StoredCounter(node, code, [(BEGIN + at_s * SECOND, float(value)) for at_s, value in samples.items()])


def seconds(from_s: float, to_s: float) -> Span:
    return Span(BEGIN + round(from_s * SECOND), BEGIN + round(to_s * SECOND))


def measured(*counters: StoredCounter, window: Span | None = None) -> CountedWindow:
    found = measure_counters(counters, window or seconds(0, 30))
    assert found is not None
    return found


def test_between_two_pairs_of_scrapes_nothing_may_have_come_from_the_first_scrape_to_the_last() -> None:
    found = measured(counted({0: 0, 5: 1, 10: 1, 12: 2, 17: 3}), window=seconds(0, 17))
    assert (found.within, found.outage.high, found.outage.low) == (seconds(0, 12), 12 * SECOND, 5 * SECOND)
    found = measured(counted({0: 0, 5: 1, 10: 2, 22: 3}), window=seconds(0, 22))
    assert (found.within, found.outage.low, found.usual_us) == (seconds(5, 22), 0, 13_500_000)


def test_what_a_node_is_seldom_asked_for_hides_nothing_that_another_tells() -> None:
    """lb2 has its next answer by 13 s at the latest, whenever the one of lb1 came."""
    seldom, often = counted({3: 0, 60: 1}), counted({0: 0, 4: 1, 9: 1, 13: 2}, "lb2")
    assert measured(seldom, often, window=seconds(0, 10)).within == seconds(0, 13)


def test_two_nodes_that_are_scraped_at_one_time_say_it_once() -> None:
    both = counted({0: 0, 5: 1, 20: 1, 25: 2}), counted({0: 0, 10: 1}, "lb2")
    assert measured(*both).usual_us == 25 * SECOND


def test_of_one_pair_of_scrapes_the_answer_came_somewhere_between_them() -> None:
    found = measured(counted({0: 0, 5: 3}), window=seconds(1, 4))
    assert (found.within, found.outage, found.usual_us) == (seconds(0, 5), Interval(0, 5 * SECOND), 5 * SECOND)


@pytest.mark.parametrize(("to_s", "is_back"), [(25, True), (25.000001, False)])
def test_three_scrapes_behind_the_last_answer_the_service_is_not_seen_to_come_back(
    to_s: float, is_back: bool
) -> None:
    counter = counted({0: 0, 5: 1, 10: 2, 15: 2, 20: 2, 25: 2, 30: 2})
    found = measured(counter, window=seconds(0, to_s))
    assert found.outage.high == (10 * SECOND if is_back else None)
    assert found.within == (seconds(0, 10) if is_back else seconds(5, to_s))


def test_every_node_has_to_be_silent_and_errors_break_no_silence() -> None:
    lb1 = [counted({0: 0, 5: 1, 10: 1, 20: 1, 25: 2}), counted({0: 0, 10: 0, 20: 9, 25: 9}, code="5xx")]
    assert measured(*lb1).outage.low == 15 * SECOND
    assert measured(*lb1, counted({0: 0, 12: 4, 30: 4}, "lb2")).outage.low == 8 * SECOND


def test_failed_answers_of_all_series_are_counted_by_their_class_where_both_scrapes_are_in_the_window() -> None:
    good = counted({0: 0, 5: 1, 30: 9})
    errors = [counted({0: 0, 5: 2, 35: 8}, node, "5xx") for node in ("lb1", "lb2")]
    others = [
        counted({0: 1, 30: 8}, code="4xx"),
        counted({0: 0, 30: 5}, code="1xx"),
        counted({0: 3, 30: 3}, code="x"),
    ]
    found = measured(good, *errors, *others)
    assert (found.good, dict(found.failed), found.nodes) == (9, {"4xx": 7, "5xx": 4}, ["lb1", "lb2"])
    restarted = measured(counted({0: 100, 5: 103, 10: 7, 30: 8}))
    assert restarted.good == 3 + 7 + 1


class Answers(BaseHTTPRequestHandler):
    """A Prometheus that has one answer."""

    answer: Any = None
    asked: str = ""

    def do_GET(self) -> None:
        type(self).asked = self.path
        body = self.answer if isinstance(self.answer, bytes) else json.dumps(self.answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Nothing on the screen."""


@pytest.fixture
def url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def matrix(*counters: StoredCounter) -> dict[str, Any]:
    series = [
        {
            "metric": {"instance": one.node, "code": one.code, "server": "web1"},
            "values": [[at / 1e6, f"{value:g}"] for at, value in one.samples],
        }
        for one in counters
    ]
    return {"status": "success", "data": {"resultType": "matrix", "result": series}}


TIMES = ("2026-01-01T00:01", "2026-01-01T00:04")


def test_prometheus_is_asked_for_the_raw_samples_and_what_they_say_is_printed(
    url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = [at / 10 for at in range(3000) if not 100 <= at / 10 < 130]
    errors = [at / 10 for at in range(1280, 1300)]
    failed = scraped("lb1", errors, every_s=5, phase_s=0)
    Answers.answer = matrix(
        scraped("lb1", answers, every_s=5, phase_s=0), StoredCounter("lb1", "5xx", failed.samples)
    )
    assert main(["report", "--window", *TIMES, "--prometheus", url]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "window 2026-01-01 00:01:00 to 2026-01-01 00:04:00 UTC, by HAProxy's counters of 1 node, scraped every 5.0 s",
        "without a good answer  at least 25,000 ms, at most 35,000 ms, after 2026-01-01 00:01:35 UTC; "
        "these counters never tell less than 10,000 ms",
        "good answers           1,500",
        "failed                 20: 5xx 20",
    ]
    (query,) = parse_qs(urlsplit(Answers.asked).query)["query"]
    assert query == "haproxy_server_http_responses_total[780s]"
    assert main(["report", "--window", *TIMES, "--prometheus", url, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["outage"]["high_ms"] == 35_000


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (matrix(), "has no haproxy_server_http_responses_total of that time"),
        (matrix(StoredCounter("lb1", "2xx", [(BEGIN, 1.0)])), "no good answer was counted in this window"),
        (b"nonsense", "did not answer as Prometheus does"),
        ({"data": []}, "did not answer as Prometheus does"),
        ({"data": {"result": [{"metric": {}, "values": [["x", 1]]}]}}, "did not answer as Prometheus does"),
        ({"data": {"result": [{"metric": {}, "values": [[1e999, "1"]]}]}}, "did not answer as Prometheus does"),
        (matrix(StoredCounter("lb1", "2xx", [(BEGIN, 1.0), (BEGIN + 1, nan)])), "did not answer as Prometheus does"),
        (matrix(StoredCounter("lb1", "2xx", [(BEGIN, 1.0), (BEGIN + 1, inf)])), "did not answer as Prometheus does"),
    ],
)
def test_what_is_no_count_of_the_window_is_one_line(
    answer: Any, why: str, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Answers.answer = answer
    assert main(["report", "--window", *TIMES, "--prometheus", url]) == 2
    said = capsys.readouterr().err
    assert why in said and said.count("\n") == 1


def test_a_server_that_is_away_and_options_of_other_reports_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with closed_port() as port:
        away = f"http://127.0.0.1:{port}"
        for words in (
            ["--window", *TIMES, "--prometheus", away],
            ["--window", *TIMES, "--prometheus", away, "--haproxy-log", "a.log"],
            ["--prometheus", away],
        ):
            assert main(["report", *words]) == 2
            assert capsys.readouterr().err.count("\n") == 1
