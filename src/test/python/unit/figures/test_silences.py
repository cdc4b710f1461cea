"""The silences of a log and the outage among them: cases by hand, and worlds whose truth is known."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from support.log_worlds import World
from support.request_tables import table_of, tables_of
from switchover.evidence.log_run import load_logs
from switchover.evidence.run_data import LogScope
from switchover.figures.silences import CUT_US, figure_of, find_silences, longest_gap
from switchover.model.failure_kind import FailureKind
from switchover.model.interval import Interval
from switchover.rundir.sample_log import Sample
from switchover.verdict.record import Silence, Silences
from synthetic import SECOND, refused, sample

WORLDS = 60


def asked(start_s: float, end_s: float, how: str = "good", label: str = "home") -> Sample:
    error = {"failed": FailureKind.REFUSED, "unsent": FailureKind.GENERATOR}.get(how)
    ends = [7 + round(at * SECOND) for at in (start_s, end_s)]
    return sample(*ends, success=how == "good", error=error)._replace(label=label)


def good(*ends_s: float) -> list[Sample]:
    return [asked(end_s - 0.0005, end_s) for end_s in ends_s]


def failed(*starts_s: float) -> list[Sample]:
    return [asked(start_s, start_s + 0.0005, "failed") for start_s in starts_s]


def every(step_s: float, from_s: float, to_s: float) -> list[float]:
    return [from_s + step_s * at for at in range(round((to_s - from_s) / step_s))]


AROUND = good(*every(0.01, 0.01, 2), *every(0.01, 5, 8))
"""Nothing is good from 1.99 s to 5 s."""


def found_in(samples: Sequence[Sample], scope: LogScope | None = None) -> Silences:
    (found,) = find_silences(table_of(samples), scope or LogScope())
    return found


def length_s(silence: Silence) -> tuple[float, float | None]:
    """As the log has it: without what it cuts off."""
    return _seconds(Interval(silence.low_ms, silence.high_ms))


def figure_s(silences: Silences) -> tuple[float, float | None]:
    return _seconds(figure_of(silences))


def _seconds(length: Interval) -> tuple[float, float | None]:
    low = 0.0 if not length.low else length.low / 1000 + CUT_US / SECOND
    return round(low, 4), None if length.high is None else round(length.high / 1000 - CUT_US / SECOND, 4)


@pytest.mark.parametrize(
    ("more", "low_s"),
    [
        pytest.param([], 0, id="nothing failed"),
        pytest.param([asked(1.98, 5 + at / 1000) for at in range(9)], 0, id="all waited"),
        pytest.param(failed(2, 3, 4, 4.5), 2.4995, id="failures prove the time between them"),
        pytest.param([asked(2, 3, "failed"), *failed(3.5, 4)], 1, id="from the end of the first failed request"),
        pytest.param([asked(2, 3.5, "failed"), asked(3.4, 4, "failed")], 0, id="no time between them"),
        pytest.param(failed(2), 0, id="one failure"),
        pytest.param(failed(2, 4), 0, id="two of 501 in a row: (2/501)² · 501 is above 0.001"),
        pytest.param([*failed(2), asked(4.9, 6, "failed")], 0, id="of two, one ended after the silence"),
        pytest.param(
            [asked(1, 2.5, "failed"), *failed(3, 3.3, 3.7, 4)], 0.3995, id="of five, one was sent before the silence"
        ),
        pytest.param([asked(at, at, "unsent") for at in (2, 3, 4)], 0, id="generator errors are no evidence"),
        pytest.param([*failed(2, 4), *failed(*every(0.011, 6, 8))], 0, id="chance gives two failures in a row"),
    ],
)
def test_an_outage_is_as_long_as_its_failures_prove_and_no_longer_than_its_silence(
    more: list[Sample], low_s: float
) -> None:
    found = found_in([*AROUND, *more])
    assert found.longest.duration_ms == 3_010
    assert length_s(found.longest) == (low_s, 3.01)
    assert (found.outage, found.more) == (found.longest if low_s else None, 0)
    assert figure_s(found) == length_s(found.longest) and found.recovered


def test_the_start_and_the_end_of_the_log_are_edges_of_silences() -> None:
    late = found_in([asked(0, 3), *good(3.1, 3.2)])
    assert (length_s(late.longest), late.longest.in_progress) == ((0, 3), 1)
    early = found_in([*good(0.1, 0.2), asked(0.3, 9, "unsent")])
    assert length_s(early.longest) == (0, 8.8) and early.recovered
    assert found_in([*AROUND, asked(1.5, 1.99, "failed")]).longest.failed == 0, "it ended before the silence"
    assert found_in([asked(0, 0, "failed"), *good(3)]).longest.failed == 1


def test_a_log_that_ends_in_an_outage_has_no_high_end() -> None:
    found = found_in([*good(*every(0.01, 0.01, 2)), *failed(3, 4, 5)])
    assert found.outage is not None and not found.recovered
    assert length_s(found.outage) == (1.9995, None) and figure_s(found) == (1.9995, None)


def test_a_log_without_a_good_response_is_one_silence_however_many_failed() -> None:
    found = found_in(failed(*every(0.05, 0, 600)))
    assert found.outage is not None and not found.recovered
    assert length_s(found.outage) == (599.9495, None) and found.outage.failed == 12_000


def test_the_outage_is_the_silence_with_the_largest_low_end_and_not_the_longest() -> None:
    gone = [*AROUND, *good(*every(0.01, 18, 22), *every(0.01, 23, 25)), *failed(2, 2.5, 3, 4, 4.5)]
    gone += failed(22, 22.2, 22.5, 22.7, 22.9)
    found = found_in(gone)
    assert found.outage is not None and found.outage.from_us == 7 + round(1.99 * SECOND)
    assert (length_s(found.longest), found.more) == ((0, 10.01), 1)
    assert figure_s(found) == (1.4995, 10.01), "a limit is held against what cannot be excluded, too"


def test_failures_beside_an_outage_that_chance_explains_prove_nothing() -> None:
    """One of 40 requests fails by itself: a failure at either edge may be one of these."""
    beside = [*AROUND, *failed(*every(0.25, 5.1, 8))]
    assert length_s(found_in([*beside, *failed(2, 2.2, 2.6, 3, 3.4, 3.8, 4.2)]).longest) == (1.5995, 3.01)


def test_coarse_times_make_the_interval_wider() -> None:
    rows = [asked(at, at + 0.003, "failed" if 20 <= at < 25 else "good") for at in range(60) for _ in range(5)]
    coarse = [one._replace(start_us=one.start_us - 7, end_us=one.end_us - 7) for one in rows]
    assert figure_s(found_in(rows)) == (3.997, 6)
    assert figure_s(found_in(coarse)) == (2.997, 7)


def test_files_are_judged_one_by_one_unless_their_clocks_are_known() -> None:
    first = [*good(*every(0.01, 0.01, 2), *every(0.01, 5, 8)), *failed(2, 3, 4, 4.5)]
    second = [*good(*every(0.01, 1.01, 5), *every(0.01, 8, 11)), *failed(5, 6, 7, 7.5)]
    both = tables_of(first, second)
    found = find_silences(both, LogScope({"empty": [2], "a": [0], "b": [1]}))
    assert [(one.file, figure_s(one)) for one in found] == [("a", (2.4995, 3.01)), ("b", (2.4995, 3.01))]
    (joined,) = find_silences(both, LogScope(bound_us=50_000))
    assert joined.longest.duration_ms == 10 and joined.outage is None, "one answers while the other is away"
    (wider,) = find_silences(table_of(first), LogScope(bound_us=50_000))
    assert figure_s(wider) == (2.4495, 3.06)


def test_labels_are_measured_on_request() -> None:
    """The log of a label is as long as the whole log."""
    others = [asked(at, at + 0.001, label="it's") for at in every(0.1, 0, 8)]
    samples = table_of([*AROUND, *others])
    assert [one.label for one in find_silences(samples, LogScope())] == [None]
    whole, home, other = find_silences(samples, LogScope(by_label=True))
    assert (whole.label, home.label, other.label) == (None, "home", "it's")
    assert [length_s(one.longest)[1] for one in (whole, home, other)] == [0.1, 3.01, 0.1]


@pytest.mark.parametrize("seed", range(WORLDS))
def test_the_interval_contains_the_truth(seed: int, tmp_path: Path) -> None:
    world = World.of(seed)
    data = load_logs(world.write(tmp_path))
    assert world.untrue(find_silences(data.samples, data.scope)) == []


@pytest.mark.parametrize(
    ("samples", "since_us", "until_us", "gap"),
    [
        ([sample(0, 10), sample(5, 20), refused(30), sample(40, 95), sample(96, 100)], 0, 100, (20, 95)),
        ([sample(0, 10), sample(80, 90), sample(91, 99)], 90, 100, (90, 99)),  # one that ended before
        ([sample(0, 10), refused(50)], 20, 100, (10, 100)),  # one that never ended
        ([sample(0, 10), sample(0, 20), sample(0, 30)], 10, 30, (10, 20)),  # the first of equal ones
        ([sample(0, 10)], 50, 51, (10, 51)),
        ([sample(0, 10)], 50, 50, None),
        ([refused(50)], 0, 100, None),
        ([], 0, 100, None),
    ],
)
def test_the_longest_gap_of_a_load_is_between_two_good_answers(
    samples: Sequence[Sample], since_us: int, until_us: int, gap: tuple[int, int] | None
) -> None:
    found = longest_gap(table_of(samples), since_us, until_us)
    assert (found and (found.from_us, found.to_us)) == gap
