"""Outages of a load that was not probed, by rule."""

import random

import pytest

from support.request_tables import table_of
from switchover.analysis import stretches
from switchover.analysis.stretches import Stretches, find_stretches
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity
from switchover.model.interval import Span
from switchover.rundir.sample_log import Sample
from synthetic import SECOND, sample

BEGIN = 1_767_225_600 * SECOND


def closed_loop(
    seed: int, *, users: int, down: tuple[float, float] | None, how: str, seconds: int = 60
) -> list[Sample]:
    """Users that ask, wait and think. `how`: `refused` at once, a `hang` until the service is back, or a `retry` by
    the kernel, first after 200 ms or a second, then after twice as long each, until the service is there again."""
    chance = random.Random(seed)
    found = []
    from_us, to_us = (BEGIN + round(at * SECOND) for at in down) if down else (0, 0)
    for user in range(users):
        at = BEGIN + chance.randint(0, 100_000)
        while at < BEGIN + seconds * SECOND:
            end = at + chance.randint(2_000, 20_000)
            is_down = from_us <= at < to_us or at < from_us < end
            if is_down and how == "refused":
                end = max(at, from_us) + 300
                one = sample(at, end, success=False, error=FailureKind.REFUSED, thread=f"user {user}")
            else:
                if is_down and how == "retry":
                    end = answered_at_a_retry(max(at, from_us), to_us, chance.choice([200_000, SECOND]))
                elif is_down:
                    end = max(end, to_us + chance.randint(0, 20_000))
                one = sample(at, end, thread=f"user {user}")
            found.append(one)
            at = end + round(chance.expovariate(1 / 50_000))
    return sorted(found, key=lambda one: one.end_us)


def answered_at_a_retry(sent_us: int, up_us: int, wait_us: int) -> int:
    while sent_us < up_us:
        sent_us += wait_us
        wait_us *= 2
    return sent_us + 2000


def whole(samples: list[Sample]) -> Stretches:
    found = find_stretches(table_of(samples))[0]
    assert found.column == ""
    return found


@pytest.mark.parametrize("how", ["refused", "hang", "retry"])
@pytest.mark.parametrize("seed", range(5))
def test_an_outage_is_found_within_its_bound(how: str, seed: int) -> None:
    found = whole(closed_loop(seed, users=10, down=(20.0, 23.5), how=how)).found
    (one,) = found
    assert one.length.high is not None and one.length.low <= 3_500_000 <= one.length.high + 20_000
    assert one.by_kind == ({"refused": one.failed} if how == "refused" else {})


@pytest.mark.parametrize("seed", range(10))
def test_a_load_without_an_outage_has_none(seed: int) -> None:
    assert whole(closed_loop(seed, users=1 + 3 * seed, down=None, how="hang")).found == ()


def test_where_nothing_was_sent_nothing_is_known() -> None:
    samples = closed_loop(1, users=5, down=None, how="hang")
    quiet = [one for one in samples if not BEGIN + 20 * SECOND <= one.start_us < BEGIN + 30 * SECOND]
    assert whole(quiet).found == ()


def test_a_service_that_did_not_return_is_not_closed() -> None:
    (one,) = whole(closed_loop(2, users=10, down=(50.0, 99.0), how="refused")).found
    assert one.length.high is None and one.length.low > 9 * SECOND


def test_one_backend_may_be_away_alone() -> None:
    samples = []
    for one in closed_loop(3, users=10, down=None, how="hang"):
        name = f"page {one.start_us % 2}"
        away = name == "page 1" and BEGIN + 20 * SECOND <= one.start_us < BEGIN + 25 * SECOND
        samples.append(one._replace(label=name, success=not away, error=FailureKind.STATUS if away else None))
    whole_log, *parts = find_stretches(table_of(samples))
    assert whole_log.found == ()
    ((column, name),) = [(one.column, one.name) for one in parts]
    assert (column, name) == ("label", "page 1")
    (stretch,) = parts[0].found
    assert abs(stretch.span.duration_us - 5 * SECOND) < SECOND and stretch.by_kind == {"status": stretch.failed}


def test_of_many_backends_the_common_ones_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = []
    for at, one in enumerate(closed_loop(4, users=30, down=(20.0, 23.5), how="hang")):
        name = f"web{max(0, at % 8 - 4)}"
        samples.append(one._replace(identity=Identity(name, "lb1", AnsweredBy.BACKEND)))
    (every, *parts) = find_stretches(table_of(samples))
    assert [one.name for one in parts] == ["web0", "web1", "web2", "web3"]
    monkeypatch.setattr(stretches, "NAMES", 2)
    assert find_stretches(table_of(samples)) == [every, *parts[:2]]


def arrivals(*downs: Span, users: int = 50, seconds: int = 15, whole_seconds: bool = False) -> list[Sample]:
    """Thirty requests a second as long as a user is free, as of k6 with an arrival rate: those that are sent while
    the service is away are answered when their kernels ask again, and when all users wait nothing is sent."""
    found: list[Sample] = []
    for start_us in range(BEGIN, BEGIN + seconds * SECOND, SECOND // 30):
        if sum(one.end_us > start_us for one in found) < users:
            up_us = next((down.to_us for down in downs if down.from_us <= start_us < down.to_us), None)
            end_us = start_us + 2000 if up_us is None else answered_at_a_retry(start_us, up_us, 200_000)
            logged_us = end_us // SECOND * SECOND if whole_seconds else end_us
            found.append(sample(logged_us - (end_us - start_us), logged_us))
    return sorted(found, key=lambda one: one.end_us)


@pytest.mark.parametrize("whole_seconds", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_an_outage_is_found_where_more_than_one_of_a_hundred_requests_waited(seed: int, whole_seconds: bool) -> None:
    from_us = BEGIN + 5 * SECOND + 97_000 * seed
    down = Span(from_us, from_us + 3_256_000)
    samples = arrivals(down, whole_seconds=whole_seconds)
    assert sum(one.end_us - one.start_us > SECOND for one in samples) > len(samples) // 100
    (one,) = whole(samples).found
    assert one.length.high is not None and one.length.low <= down.duration_us <= one.length.high
    assert one.failed == 0


def test_an_outage_does_not_make_it_usual_to_wait_in_another() -> None:
    downs = [Span(BEGIN + at * SECOND, BEGIN + at * SECOND + 3_256_000) for at in (5, 20)]
    found = whole(arrivals(*downs, seconds=30)).found
    assert len(found) == len(downs)
    assert all(abs(one.from_us - down.from_us) < SECOND // 10 for one, down in zip(found, downs, strict=True))


@pytest.mark.parametrize("seed", [4, 21, 23])
def test_where_two_of_a_hundred_requests_take_long_at_any_time_to_wait_for_them_is_no_outage(seed: int) -> None:
    """In these most of them are under way in one of the longest stretches, and few were sent in it."""
    chance = random.Random(seed)
    samples = []
    for user in range(30):
        at = BEGIN + chance.randint(0, 50_000)
        while at < BEGIN + 25 * SECOND:
            end = at + (chance.randint(5, 15) * SECOND if chance.random() < 0.02 else chance.randint(2_000, 20_000))
            samples.append(sample(at, end, thread=f"user {user}"))
            at = end + round(chance.expovariate(1 / 50_000))
    assert whole(sorted(samples, key=lambda one: one.end_us)).found == ()


def test_where_most_requests_take_as_long_as_a_stretch_waiting_in_it_is_nothing_unusual() -> None:
    """Users who all ask for what takes 4 s, one after another but for a pause of 3 s in which none begins."""
    samples = [
        sample(at - 4 * SECOND, at)
        for at in range(BEGIN + 10 * SECOND, BEGIN + 60 * SECOND, SECOND // 10)
        if not BEGIN + 30 * SECOND < at < BEGIN + 33 * SECOND
    ]
    assert whole(samples).found == ()


@pytest.mark.parametrize("named", [True, False])
def test_of_several_users_one_that_waits_alone_shows_no_outage(named: bool) -> None:
    """All wait, or one alone while the others ask nothing; threads may have names or none."""
    samples = [
        one._replace(thread=one.thread if named else "") for one in closed_loop(5, users=10, down=None, how="hang")
    ]
    from_us, to_us = BEGIN + 20 * SECOND, BEGIN + 26 * SECOND
    quiet = [one for one in samples if not (from_us <= one.end_us < to_us or from_us <= one.start_us < to_us)]
    waiting = [sample(from_us - 5000, to_us, thread=f"user {user}" if named else "") for user in range(10)]
    assert whole([*quiet, waiting[0]]).found == ()
    (found,) = whole([*quiet, *waiting]).found
    assert found.length.high is not None and found.length.high >= to_us - from_us and found.failed == 0


@pytest.mark.parametrize("named", [True, False])
def test_users_who_wait_until_the_log_ends_show_an_outage_and_one_alone_does_not(named: bool) -> None:
    """Their requests fail together after 7 s: their kernels tried after 1 s and 3 s in vain, and not again before."""
    from_us, to_us = BEGIN + 20 * SECOND, BEGIN + 27 * SECOND
    before = [
        one._replace(thread=one.thread if named else "")
        for one in closed_loop(6, users=10, down=None, how="hang")
        if one.end_us < from_us
    ]
    waiting = [
        sample(from_us - 5000, to_us, success=False, error=FailureKind.RESET, thread=f"user {user}" if named else "")
        for user in range(10)
    ]
    (found,) = whole([*before, *waiting]).found
    assert found.length.high is None and 2_800_000 <= found.length.low <= 3_000_000 and found.failed == 10
    assert whole([*before, waiting[0]]).found == ()


def test_answers_that_all_end_at_one_time_have_no_stretch() -> None:
    assert whole([sample(BEGIN + 7, BEGIN + 9) for _ in range(30)]).found == ()


def test_a_log_with_one_answer_or_none_has_no_spacing() -> None:
    assert find_stretches(table_of([sample(BEGIN, BEGIN + 5)])) == []


def test_what_the_client_could_not_send_is_no_outage() -> None:
    samples = [
        one._replace(error=FailureKind.GENERATOR) if one.error else one
        for one in closed_loop(3, users=10, down=(20.0, 23.5), how="refused")
    ]
    assert whole(samples).found == ()
