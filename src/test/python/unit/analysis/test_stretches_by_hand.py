"""Stretches of small loads, each counted by hand: what is usual, what counts, and how long it was. Milliseconds."""

from collections.abc import Iterable

import pytest

from support.request_tables import table_of
from switchover.analysis import stretches
from switchover.analysis.clock_jumps import Jump
from switchover.analysis.silence import WindowEdges
from switchover.analysis.stretches import Stretch, Stretches, find_stretches
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity
from switchover.model.interval import Interval
from switchover.rundir.sample_log import Sample
from synthetic import sample

BEGIN_US = 1_767_225_600_017_000


def asked(from_ms: float, to_ms: float, *, label: str = "a", error: FailureKind | None = None) -> Sample:
    one = sample(at_us(from_ms), at_us(to_ms), success=error is None, error=error)
    return one._replace(label=label)


def at_us(at_ms: float) -> int:
    return BEGIN_US + round(at_ms * 1000)


def failed(*at_ms: float) -> list[Sample]:
    """Refused within 2 ms."""
    return [asked(at, at + 2, error=FailureKind.REFUSED) for at in at_ms]


def answered(
    number: int, *, hole_ms: float = 0, hole_after: int = 50, took_ms: float = 10, label: str = "a"
) -> list[Sample]:
    """One request each 100 ms from 0 on; behind so many of them nothing is answered for `hole_ms` longer."""
    begins = [100 * at + (hole_ms if at >= hole_after else 0) for at in range(number)]
    return [asked(begin, begin + took_ms, label=label) for begin in begins]


def whole(samples: Iterable[Sample], **facts: object) -> Stretches:
    found = find_stretches(table_of(samples), **facts)[0]  # type: ignore[arg-type]
    assert (found.column, found.name) == ("", "")
    return found


def one_of(samples: Iterable[Sample], **facts: object) -> Stretch:
    (one,) = whole(samples, **facts).found
    return one


def milliseconds(one: Stretch) -> tuple[float, float, float, float | None]:
    """Where it begins and ends, and its length."""
    low, high = one.length.low / 1000, None if one.length.high is None else one.length.high / 1000
    return (one.from_us - BEGIN_US) / 1000, (one.to_us - BEGIN_US) / 1000, low, high


@pytest.mark.parametrize(
    ("number", "limit_us"), [(20, 300_000), (123, 300_000), (124, 300_104), (400, 325_536), (1000, 345_433)]
)
def test_what_counts_is_three_times_the_usual_and_more_where_there_are_many(number: int, limit_us: int) -> None:
    """Of 1,000 answers `(ln 1000 + 9) / ln 100` times as long."""
    found = whole(answered(number))
    assert (found.usual_us, found.limit_us, found.found) == (100_000, limit_us, ())


@pytest.mark.parametrize(("hole_ms", "is_found"), [(200, False), (200.001, True)])
def test_a_stretch_counts_where_it_is_longer_than_that(hole_ms: float, is_found: bool) -> None:
    """From one good answer to the next there are 100 ms more."""
    assert bool(whole([*answered(100, hole_ms=hole_ms), *failed(5000, 5200)]).found) is is_found


@pytest.mark.parametrize(("number", "usual_us"), [(399, 140_000), (400, 100_000), (19, None), (20, 100_000)])
def test_the_usual_is_what_one_in_a_hundred_exceeds(number: int, usual_us: int | None) -> None:
    """Four stretches are longer, by 40 ms; of fewer than twenty answers there is no spacing to speak of."""
    samples = answered(number)
    for place in (60, 90, 120, 150) if number > 20 else ():
        samples[place:] = [moved(one, 40) for one in samples[place:]]
    found = find_stretches(table_of(samples))
    assert [one.usual_us for one in found] == ([] if usual_us is None else [usual_us])


def test_an_outage_is_between_its_failures_at_least_and_between_two_answers_at_most() -> None:
    one = one_of([*answered(100, hole_ms=2000), *failed(5100, 5600, 6700)])
    assert milliseconds(one) == (4910, 7010, 6700 - 5102, 2100)
    assert (one.failed, one.by_kind, one.silent) == (3, {"refused": 3}, False)
    assert one.bound_us == 2_100_000 - 1_598_000


def test_its_failures_are_told_by_their_kinds_the_most_common_first() -> None:
    reset = [one._replace(error=FailureKind.RESET) for one in failed(5300, 5400)]
    one = one_of([*answered(100, hole_ms=2000), *failed(5100), *reset])
    assert list(one.by_kind.items()) == [("reset", 2), ("refused", 1)]


def test_where_no_answer_came_any_more_it_is_open_from_the_last_request_on() -> None:
    one = one_of([*answered(100), *failed(10_100, 11_000, 12_500)])
    assert milliseconds(one) == (9910, 12_500, 12_500 - 10_102, None)
    assert one.bound_us == 2_590_000 - 2_398_000


def test_what_was_sent_before_it_and_failed_late_is_one_of_its_failures_where_it_is_open() -> None:
    one = one_of([*answered(100), *failed(10_100), asked(12_500, 19_000, error=FailureKind.READ_TIMEOUT)])
    assert one.failed == 2 and milliseconds(one)[:2] == (9910, 12_500)


def test_before_the_first_answer_it_is_from_the_first_request_on() -> None:
    one = one_of([*failed(-3000, -500), *answered(100)])
    assert milliseconds(one) == (-3000, 10, 2498, 3010)


def test_where_nothing_was_sent_nothing_is_known() -> None:
    assert whole(answered(100, hole_ms=9000)).found == ()


def test_failures_at_one_end_of_a_long_silence_say_nothing_of_it() -> None:
    """They show 102 ms and what the spacing explains, which is no more than that."""
    assert whole([*answered(100, hole_ms=9000), *failed(5000, 5100)]).found == ()
    one = one_of([*answered(100, hole_ms=9000), *failed(5000, 5400)])
    assert milliseconds(one) == (4910, 14_010, 398, 9100)


@pytest.mark.parametrize(("last_ms", "is_found"), [(5208, False), (5208.001, True)])
def test_failures_count_where_they_show_more_than_the_spacing_explains(last_ms: float, is_found: bool) -> None:
    """From the last answer at 4,910 ms to the end of the last failure."""
    assert bool(whole([*answered(100, hole_ms=9000), *failed(5000, last_ms)]).found) is is_found


def test_failures_of_a_window_say_no_more_of_an_end_that_is_not_known() -> None:
    unsent = asked(15_000, 15_001, error=FailureKind.GENERATOR)
    edges = WindowEdges(at_us(-90), None)
    assert whole([*answered(100), *failed(10_100), unsent], window=edges).found == ()
    assert one_of([*answered(100), *failed(10_100, 10_400), unsent], window=edges).length == Interval(298_000, None)


def test_who_waits_for_the_first_answer_of_a_log_shows_nothing() -> None:
    assert whole([*[asked(-3000, 10)] * 5, *answered(100)]).found == ()


def test_what_failures_show_is_more_where_others_waited_all_the_time() -> None:
    """By the failures alone 250 ms are open; kernels asked in vain until its end, so that twice the spacing is."""
    waiting = [asked(4910, 4910 + 2 * 2100 + 1000, error=FailureKind.READ_TIMEOUT)] * 5
    one = one_of([*answered(100, hole_ms=2000), *failed(5010, 6862), *waiting])
    assert milliseconds(one) == (4910, 7010, 2100 - 200, 2100)


def test_where_the_clock_was_set_back_an_outage_may_have_been_longer() -> None:
    samples = [*answered(100, hole_ms=2000), *failed(5100, 5600, 6700)]
    jump = Jump(0, at_us(6000), 700_000)
    assert one_of(samples, jumps=[jump]).length == Interval(1_598_000, 2_100_000 + 700_000 + 100_000)
    assert whole(samples, jumps=[jump]).limit_us == 300_000 + 700_000 + 100_000
    elsewhere = Jump(0, at_us(9000), 600_000)
    assert one_of(samples, jumps=[elsewhere]).length == Interval(1_598_000, 2_100_000)
    assert whole(samples, jumps=[elsewhere, jump]).limit_us == 1_100_000


def test_of_several_the_longest_is_named_and_all_are_in_the_order_of_time() -> None:
    samples = answered(300, hole_ms=2000, hole_after=30)
    samples[70:] = [moved(one, 3000) for one in samples[70:]]
    found = whole([*samples, *failed(3100, 4900, 9100, 11_900)])
    assert [milliseconds(one)[0] for one in found.found] == [2910, 8910]
    assert found.longest == found.found[1]
    assert whole(answered(100)).longest is None


def moved(one: Sample, by_ms: int) -> Sample:
    return one._replace(start_us=one.start_us + by_ms * 1000, end_us=one.end_us + by_ms * 1000)


def test_an_open_one_is_as_long_as_is_known_of_it() -> None:
    found = whole([*answered(300, hole_ms=2000), *failed(5100, 6900, 32_100, 35_000)])
    assert [one.length.high for one in found.found] == [2_100_000, None]
    assert found.longest == found.found[1]


def test_users_who_wait_show_an_outage_until_their_kernels_have_asked_again_in_vain() -> None:
    """Five requests of 4,990 ms wait for 2 s each, and a kernel sent again after a second: half of the rest is shown,
    and twice the spacing around it is open, too."""
    waiting = [asked(4990, 7010, label="a") for _ in range(5)]
    samples = [one for one in answered(100, hole_ms=2000) if one.end_us != at_us(7010)]
    one = one_of([*samples, *waiting])
    assert milliseconds(one) == (4910, 7010, 510 - 200, 2100)
    assert (one.failed, one.by_kind, one.silent) == (0, {}, False)


def test_of_all_requests_a_third_has_to_wait_and_of_those_of_a_label_two() -> None:
    """Ten users ask for `b` together, and two of them wait for it, while nothing else is sent."""
    users = [asked(4900, 4905, label="b")._replace(thread=f"user {user}") for user in range(10)]
    quick = [one._replace(label="b") for one in answered(50)]
    waiting = [asked(4906, 7020, label="b")._replace(thread=f"user {user}") for user in range(2)]
    later = [one._replace(label="b") for one in answered(100, hole_ms=2000)[50:]]
    others = [moved(one, -60_000) for one in answered(140)]
    found = find_stretches(table_of([*others, *quick, *users, *waiting, *later]))
    assert [(one.column, one.name) for one in found] == [("", ""), ("label", "b")]
    assert found[0].found == () and [milliseconds(one)[0] for one in found[1].found] == [4910]


def test_an_outage_in_between_and_a_wait_at_the_end_are_two() -> None:
    samples = [one for one in answered(300, hole_ms=2000) if one.end_us != at_us(7010)]
    waiting = [asked(4990, 7010)] * 5
    at_end = [asked(31_950, to, error=FailureKind.READ_TIMEOUT) for to in (38_900, 39_000, 39_100)]
    assert [milliseconds(one)[:2] for one in whole([*samples, *waiting, *at_end]).found] == [
        (4910, 7010),
        (31_910, 39_000),
    ]


def test_a_time_in_which_nothing_was_sent_hides_no_outage_behind_it() -> None:
    samples = answered(300, hole_ms=3000, hole_after=30)
    samples[70:] = [moved(one, 2000) for one in samples[70:]]
    assert [milliseconds(one)[0] for one in whole([*samples, *failed(10_000, 11_500)]).found] == [9910]


def test_a_request_that_took_as_long_as_the_outage_leaves_open_how_long_it_was() -> None:
    slow = asked(4920, 7000, error=FailureKind.READ_TIMEOUT)
    assert one_of([*answered(100, hole_ms=2000), slow]).length == Interval(0, 2_100_000)


def test_a_silence_that_is_shorter_than_a_client_waits_may_be_none() -> None:
    one = one_of(answered(300, hole_ms=400), window=WindowEdges(at_us(-90), at_us(30_410)))
    assert (one.length, one.silent) == (Interval(0, 500_000 + 102_000), True)


def test_each_label_and_backend_that_had_an_outage_is_told_the_common_ones_first() -> None:
    good = [*answered(200, label="it's"), *answered(100, label="b")]
    away = [
        *answered(60, label="c", hole_ms=2000, hole_after=20),
        *(one._replace(label="c") for one in failed(2500, 3500)),
    ]
    none, *parts = find_stretches(table_of([*good, *away]))
    assert none.found == ()
    assert [(one.column, one.name, len(one.found)) for one in parts] == [("label", "c", 1)]
    assert milliseconds(parts[0].found[0]) == (1910, 4010, 998, 2100)
    quoted = [one._replace(label={"c": "it's", "it's": "c"}.get(one.label, one.label)) for one in [*good, *away]]
    assert [one.name for one in find_stretches(table_of(quoted))[1:]] == ["it's"]


def away_in_turns(*names: str) -> list[Sample]:
    """Each has 60 answers, the first named one more than the next, and an outage of 2,100 ms of its own."""
    samples = []
    for place, name in enumerate(names):
        own = answered(60 + len(names) - place, hole_ms=2000, hole_after=20, label=name)
        fails = [one._replace(label=name) for one in failed(2500, 3500)]
        samples += [moved(one, 30_000 * place) for one in (*own, *fails)]
    return samples


def parts(samples: Iterable[Sample]) -> list[tuple[str, str]]:
    return [(one.column, one.name) for one in find_stretches(table_of(samples))[1:]]


def test_labels_are_told_apart_where_there_are_several_and_so_are_backends() -> None:
    assert parts(away_in_turns("a")) == []
    assert parts(away_in_turns("a", "b")) == [("label", "a"), ("label", "b")]
    assert parts([*away_in_turns("b"), *answered(5, label="a")]) == [("label", "b")]
    by_backends = [
        one._replace(label="", identity=Identity(one.label, "lb1", AnsweredBy.BACKEND))
        for one in away_in_turns("web1", "web2")
    ]
    assert parts(by_backends) == [("backend", "web1"), ("backend", "web2")]


def test_what_failed_of_one_label_says_nothing_of_another() -> None:
    fails = [one._replace(label="a") for one in failed(5100, 6900)]
    samples = [*answered(200, label="a"), *answered(100, hole_ms=2000, label="b"), *fails]
    assert parts(samples) == []


def test_of_many_labels_the_most_common_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretches, "NAMES", 2)
    assert (
        parts(away_in_turns("a", "b", "c", "d")) == parts(away_in_turns("a", "b")) == [("label", "a"), ("label", "b")]
    )


def test_those_who_wait_at_the_end_are_told_of_all_requests_alone() -> None:
    waiting = [asked(9980, 17_000, label="b", error=FailureKind.READ_TIMEOUT)] * 3
    also = [moved(one, 20) for one in answered(90, label="b")]
    found = find_stretches(table_of([*answered(99), *also, *waiting]))
    assert [(one.column, len(one.found)) for one in found] == [("", 1)]


def test_where_answers_are_farther_apart_than_whole_seconds_their_spacing_is_the_usual() -> None:
    samples = [asked(5000 * at - 17, 5000 * at - 14) for at in range(60)]
    assert whole(samples).usual_us == 5_000_000


@pytest.mark.parametrize(("more_us", "is_found"), [(0, False), (1, True)])
def test_silence_in_a_window_counts_where_it_is_longer_than_the_spacing_explains(
    more_us: int, is_found: bool
) -> None:
    """Of 300 answers that is 319,289 microseconds."""
    samples = answered(300, hole_ms=219.289 + more_us / 1000)
    found = whole(samples, window=WindowEdges(at_us(-90), at_us(30_229)))
    assert bool(found.found) is is_found


def test_a_label_is_not_away_before_it_was_first_asked_for() -> None:
    later = [moved(one, 5000) for one in answered(100, label="late")]
    fails = [one._replace(label="late") for one in failed(4000, 4900)]
    assert [one.name for one in find_stretches(table_of([*answered(200), *later, *fails]))] == [""]


def test_in_balancers_own_logs_silence_counts() -> None:
    """The next client may have waited a second and twice the outage; a line is told in milliseconds."""
    edges = WindowEdges(at_us(-90), at_us(39_010))
    one = one_of(answered(300, hole_ms=9000), window=edges)
    assert milliseconds(one) == (4910, 14_010, (9100 - 100 - 1000) / 2, 9100 + 2 + 100)
    assert one.silent and one.failed == 0


def test_the_edges_of_a_window_close_what_lies_at_its_ends() -> None:
    edges = WindowEdges(at_us(-4000), at_us(35_000))
    found = whole(answered(300), window=edges).found
    assert [milliseconds(one) for one in found] == [
        (-4000, 10, (4010 - 1100) / 2, 4010 + 102),
        (29_910, 35_000, (5090 - 1100) / 2, 5090 + 102),
    ]


def test_a_window_whose_edges_are_not_known_has_no_silence_there() -> None:
    assert whole(answered(100), window=WindowEdges(None, None)).found == ()
    late = [moved(one, 5000) for one in answered(100)]
    assert whole([*failed(0), *late], window=WindowEdges(None, at_us(15_000))).found == ()


def test_those_who_waited_at_the_end_until_they_gave_up_show_an_open_outage() -> None:
    """Their requests fail after 7 s, half of them by 17,000 ms. The last try of a kernel was in vain at 13,040 ms."""
    waiting = [asked(9980, to, error=FailureKind.READ_TIMEOUT) for to in (16_900, 17_000, 17_100)]
    one = one_of([*answered(100), *waiting])
    assert milliseconds(one) == (9910, 17_000, 13_040 - 9980 - 200, None)
    assert one.failed == 3


@pytest.mark.parametrize("sent_ms", [17_000, 20_000])
def test_who_asked_when_half_of_them_had_given_up_ends_what_their_wait_shows(sent_ms: float) -> None:
    waiting = [asked(9980, to, error=FailureKind.READ_TIMEOUT) for to in (16_900, 17_000, 17_100)]
    one = one_of([*answered(100), *waiting, *failed(sent_ms)])
    assert milliseconds(one) == (9910, sent_ms, max(0, sent_ms - 16_900), None)


def test_one_alone_who_waits_on_behind_the_last_request_shows_no_more_than_the_failures() -> None:
    waiting = [asked(9980, to, error=FailureKind.READ_TIMEOUT) for to in (16_900, 17_000, 21_000)]
    one = one_of([*answered(100), *waiting, *failed(20_000)])
    assert milliseconds(one) == (9910, 20_000, 20_000 - 16_900, None)


@pytest.mark.parametrize(("until_ms", "is_found"), [(10_210, False), (10_210.001, True)])
def test_a_wait_at_the_end_counts_where_it_is_longer_than_the_spacing_explains(
    until_ms: float, is_found: bool
) -> None:
    waiting = [asked(9980, until_ms, error=FailureKind.READ_TIMEOUT)] * 3
    assert bool(whole([*answered(100), *waiting]).found) is is_found


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(("who_wait", "is_found"), [(3, False), (4, True)])
def test_a_third_of_those_who_asked_before_may_wait_at_the_end(who_wait: int, is_found: bool, named: bool) -> None:
    before = [asked(9905, 9910)._replace(thread=f"user {user}" if named else "") for user in range(10)]
    waiting = [asked(9980, 17_000, error=FailureKind.READ_TIMEOUT)] * who_wait
    waiting = [one._replace(thread=f"user {user}" if named else "") for user, one in enumerate(waiting)]
    assert bool(whole([*answered(99), *before, *waiting]).found) is is_found


def test_by_whole_seconds_both_ends_of_an_outage_hold_a_second_more() -> None:
    """Ten answers have the time of each second, as if one in a hundred were 461 ms behind the one before."""

    def second(at_s: int, took_ms: int = 3, error: FailureKind | None = None) -> Sample:
        return asked(1000 * at_s - 17, 1000 * at_s - 17 + took_ms, error=error)

    samples = [second(at + (5 if at >= 30 else 0), 3 + answer) for at in range(60) for answer in range(10)]
    found = whole([*samples, *(second(at, error=FailureKind.REFUSED) for at in range(30, 35))])
    assert (found.usual_us, found.limit_us) == (460_517, 3_539_693)
    assert [milliseconds(one) for one in found.found] == [(28_995, 34_986, 5991 - 991 - 1003 - 1000, 5991 + 1000)]


@pytest.mark.parametrize("number", [200, 3000])
def test_where_all_answers_of_many_have_one_time_the_spacing_is_that_of_the_spans_that_are_looked_at(
    number: int,
) -> None:
    found = whole([asked(0, 5)] * number)
    assert (found.usual_us, found.found) == (1000, ())


def test_of_a_hundred_answers_one_stretch_is_unusual() -> None:
    samples = answered(100, hole_ms=2000)
    samples[70:] = [moved(one, 40) for one in samples[70:]]
    assert whole(samples).usual_us == 140_000
