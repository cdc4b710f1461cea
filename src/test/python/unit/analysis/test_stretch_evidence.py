"""What says that the service was away in a stretch, of few requests by hand. Times are in milliseconds."""

from collections import Counter
from collections.abc import Iterable

import pytest

from support.request_tables import table_of
from switchover.analysis.requests.table import Requests
from switchover.analysis.stretch_evidence import Answers, Failures, failures_in, find_hung, shown_by_waiting
from switchover.model.failure_kind import FailureKind
from switchover.model.interval import Span
from switchover.rundir.sample_log import Sample
from synthetic import sample

BEGIN_US = 1_767_225_600_000_000
FROM, TO = 10_000, 14_000
MIDDLE = 12_000


def at_us(at_ms: float) -> int:
    return BEGIN_US + round(at_ms * 1000)


def span(from_ms: float, to_ms: float) -> Span:
    return Span(at_us(from_ms), at_us(to_ms))


STRETCH = span(FROM, TO)


def asked(from_ms: float, to_ms: float, user: str = "", *, error: FailureKind | None = None) -> Sample:
    return sample(at_us(from_ms), at_us(to_ms), thread=user, success=error is None, error=error)


def quick(users: int, *, answers: int = 100, took_ms: float = 5, named: bool = True) -> list[Sample]:
    """Answers of users who ask in turns, the last of them 200 ms before the stretch."""
    every_ms = 7000 / answers
    return [
        asked(FROM - 200 - every_ms * at, FROM - 200 - every_ms * at + took_ms, f"user {at % users}" if named else "")
        for at in range(answers)
    ]


def waiting(users: int, *, named: bool = True) -> list[Sample]:
    """Users who have asked just before the stretch and are answered at its end."""
    return [asked(FROM - 10, TO + 1, f"user {user}" if named else "") for user in range(users)]


def hung(
    samples: Iterable[Sample],
    *others: Span,
    whole: bool = True,
    resolution_us: int = 0,
    condition: str = "true",
) -> set[int]:
    table = table_of(samples)
    stretches = dict(enumerate((STRETCH, *others)))
    return set(
        find_hung(table, condition, answers_of(table, condition), stretches, whole=whole, resolution_us=resolution_us)
    )


def answers_of(table: Requests, condition: str) -> Answers:
    return Answers(
        *table.row(f"SELECT count(*), max(end_us - start_us) FROM {{requests}} WHERE success AND {condition}")
    )


def failures(samples: Iterable[Sample], condition: str = "true", open_place: int = -1) -> dict[int, Failures]:
    return failures_in(table_of(samples), condition, {3: STRETCH, 5: span(20_000, 21_000)}, open_place)


def table(*samples: Sample) -> Requests:
    return table_of(samples)


def test_failures_of_a_stretch_are_those_that_ended_in_it() -> None:
    reset, refused = FailureKind.RESET, FailureKind.REFUSED
    found = failures(
        [
            asked(FROM - 9, FROM - 1, error=reset),
            asked(FROM - 5, FROM, error=reset),
            asked(FROM + 3, FROM + 4, error=refused),
            asked(FROM + 1, FROM + 6, error=refused),
            asked(FROM + 2, FROM + 5, error=reset),
            asked(TO - 7, TO, error=reset),
            asked(TO - 1, TO + 1, error=reset),
            asked(FROM + 7, FROM + 8),
            asked(FROM + 7, FROM + 8, error=FailureKind.GENERATOR),
        ]
    )
    assert found == {
        3: Failures(Counter({"reset": 3, "refused": 2}), at_us(FROM - 5), at_us(FROM), at_us(TO - 7), at_us(TO))
    }


def test_a_failure_of_no_kind_is_unknown_and_each_stretch_has_its_own() -> None:
    unknown = asked(20_001, 20_002)._replace(success=False)
    found = failures([unknown, asked(FROM, FROM + 1, error=FailureKind.RESET)])
    assert {place: dict(one.by_kind) for place, one in found.items()} == {3: {"reset": 1}, 5: {"unknown": 1}}


def test_what_failed_behind_the_end_counts_for_the_stretch_that_no_answer_ended_alone() -> None:
    late = [asked(FROM + 5, TO + 900, error=FailureKind.RESET)]
    assert failures(late) == {}
    assert failures(late, open_place=3)[3].ended_us == at_us(TO + 900)


def test_failures_are_those_of_the_label_that_is_asked_for() -> None:
    one = asked(FROM, FROM + 1, error=FailureKind.RESET)
    samples = [one, one._replace(label="other", start_us=one.start_us + 1)]
    assert failures(samples, "label = 'other'")[3].by_kind == {"reset": 1}


@pytest.mark.parametrize(
    ("seen", "sent", "unseen_ms"),
    [(FROM + 50, TO - 70, 120), (FROM + 50, TO + 30, 50), (FROM + 3000, FROM + 500, 4000), (FROM, TO, 0)],
)
def test_what_failures_leave_open_is_what_lies_before_the_first_and_behind_the_last(
    seen: float, sent: float, unseen_ms: int
) -> None:
    one = Failures(seen_us=at_us(seen), sent_us=at_us(sent))
    assert one.unseen_of(STRETCH) == unseen_ms * 1000


@pytest.mark.parametrize(
    ("begun", "ended", "shown_ms"),
    [
        (FROM + 100, TO - 100, 4000),
        (FROM + 101, TO - 100, 3899),
        (FROM + 100, TO - 101, 3899),
        (FROM + 500, TO - 300, 3200),
    ],
)
def test_silence_that_is_longer_than_the_spacing_explains_shows_nothing(
    begun: float, ended: float, shown_ms: int
) -> None:
    one = Failures(begun_us=at_us(begun), ended_us=at_us(ended))
    assert one.shown_of(STRETCH, limit_us=100_000) == shown_ms * 1000


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(("users", "who_wait", "is_hung"), [(5, 2, True), (6, 2, False), (6, 3, True), (5, 1, False)])
def test_many_waited_where_more_than_a_third_of_those_who_asked_before_did(
    users: int, who_wait: int, is_hung: bool, named: bool
) -> None:
    together = [asked(FROM - 100, FROM - 50, f"user {user}" if named else "") for user in range(users)]
    assert bool(hung([*quick(users, named=named), *together, *waiting(who_wait, named=named)])) is is_hung


def test_of_a_label_two_who_wait_are_enough_and_one_is_not() -> None:
    assert hung([*quick(20), *waiting(2)], whole=False) == {0}
    assert hung([*quick(20), *waiting(1)], whole=False) == set()


def test_who_alone_asks_may_wait_alone() -> None:
    assert hung([*quick(1), *waiting(1)]) == {0}
    assert hung([*quick(1, named=False), *waiting(1, named=False)]) == {0}
    assert hung([*quick(2), *waiting(1)]) == set()


def test_a_user_who_waits_for_several_answers_is_one() -> None:
    twice = [asked(FROM - 10, TO + 1, "user 0"), asked(FROM - 9, TO + 2, "user 0")]
    assert hung([*quick(2), *twice]) == set()


def test_by_whole_seconds_requests_without_a_name_seem_to_be_under_way_together_and_no_share_is_asked_for() -> None:
    together = [asked(FROM - 100, FROM - 50) for _ in range(20)]
    samples = [*quick(20, named=False), *together, *waiting(2, named=False)]
    assert (hung(samples), hung(samples, resolution_us=1)) == (set(), {0})
    named = [*quick(20), *waiting(2)]
    assert hung(named, resolution_us=1) == set()


@pytest.mark.parametrize(
    ("from_ms", "to_ms", "is_hung"),
    [
        (MIDDLE, MIDDLE + 2000, True),
        (MIDDLE + 0.001, MIDDLE + 2001, False),
        (MIDDLE - 2000, MIDDLE, True),
        (MIDDLE - 2001, MIDDLE - 0.001, False),
        (MIDDLE - 1000, MIDDLE + 999.999, False),
        (MIDDLE - 1000, MIDDLE + 1000, True),
    ],
)
def test_one_that_waited_was_under_way_in_the_middle_and_for_half_of_the_stretch(
    from_ms: float, to_ms: float, is_hung: bool
) -> None:
    """Requests that failed in the end, by two of two users."""
    failed = [asked(from_ms, to_ms, f"user {user}", error=FailureKind.RESET) for user in range(2)]
    assert bool(hung([*quick(2), *failed])) is is_hung


def test_what_the_client_could_not_send_waited_for_nothing() -> None:
    unsent = [asked(FROM - 10, TO, f"user {user}", error=FailureKind.GENERATOR) for user in range(2)]
    assert hung([*quick(2), *unsent]) == set()


@pytest.mark.parametrize(("slow", "is_hung"), [(1, True), (2, False)])
def test_one_answer_of_a_hundred_may_take_as_long_at_any_time(slow: int, is_hung: bool) -> None:
    long = [asked(1000 * at, 1000 * at + 4000, "slow") for at in range(slow)]
    assert bool(hung([*quick(2, answers=99), *long, *waiting(2)])) is is_hung


def test_where_more_answers_waited_than_did_not_it_is_not_known_how_long_one_takes() -> None:
    assert hung([*quick(2, answers=30), *waiting(30)]) == {0}
    assert hung([*quick(2, answers=29), *waiting(30)]) == set()
    half_of_it = [asked(MIDDLE, TO, f"user {user}") for user in range(3)]
    assert hung([*quick(1, answers=3), *half_of_it]) == {0}
    assert hung([*quick(1, answers=2), *half_of_it]) == set()


def test_where_half_of_the_answers_take_as_long_as_the_stretch_the_wait_is_still_looked_at() -> None:
    behind = [asked(TO - 1, TO - 1 + 4000, "late") for _ in range(30)]
    assert hung([*quick(2, answers=32), *behind, *waiting(2)]) == {0}
    assert hung([*quick(2, answers=31), *behind, *waiting(2)]) == set()


def test_the_wait_before_the_stretch_says_nothing_of_it_where_it_began_a_tenth_of_it_earlier() -> None:
    for before_ms, is_hung in ((400, True), (401, False)):
        early = [asked(FROM - before_ms, TO + 1, f"user {user}") for user in range(2)]
        assert bool(hung([*quick(2), *early])) is is_hung
    assert hung([*quick(2), *early], resolution_us=1000) == {0}


def test_of_two_stretches_each_is_told_by_those_who_waited_in_it() -> None:
    second = span(20_000, 21_000)
    again = [asked(19_990, 21_001, f"user {user}") for user in range(2)]
    assert hung([*quick(2), *waiting(2), *again], second) == {0, 1}
    assert hung([*quick(2), *waiting(2)], second) == {0}
    assert hung([*quick(2), *again], second) == {1}


def test_who_asks_for_another_label_does_not_count() -> None:
    other = [one._replace(label="other") for one in waiting(2)]
    assert hung([*quick(2), *other]) == {0}
    assert hung([*quick(2), *other], condition="label = 'probe'") == set()


def test_those_who_asked_before_did_so_in_as_long_a_time_as_the_stretch() -> None:
    """Twenty users had asked earlier, and three more whose requests took as long as the stretch themselves."""
    earlier = [asked(5000, 6000, f"early {user}") for user in range(20)]
    assert hung([*quick(2), *earlier, *waiting(2)]) == {0}
    just = [asked(5000, 6000.001, f"early {user}") for user in range(20)]
    assert hung([*quick(2), *just, *waiting(2)]) == set()
    as_it_began = [asked(FROM, FROM + 1, f"new {user}", error=FailureKind.RESET) for user in range(20)]
    assert hung([*quick(2), *as_it_began, *waiting(2)]) == set()
    behind = [asked(FROM + 0.001, FROM + 1, f"new {user}", error=FailureKind.RESET) for user in range(20)]
    assert hung([*quick(2), *behind, *waiting(2)]) == {0}


def test_one_request_that_begins_when_another_ends_is_not_under_way_together_with_it() -> None:
    one_after_the_other = [asked(6500 + 100 * at, 6600 + 100 * at) for at in range(30)]
    assert hung([*one_after_the_other, *waiting(1, named=False)]) == {0}


def test_no_stretch_has_no_wait() -> None:
    samples = table(*quick(2), *waiting(2))
    answers = answers_of(samples, "true")
    assert find_hung(samples, "true", answers, {}, whole=True, resolution_us=0) == frozenset()


@pytest.mark.parametrize(
    ("from_ms", "to_ms", "shown"),
    [
        (FROM + 100, TO + 100, span(FROM + 100, FROM + 1600)),
        (FROM - 100, TO, span(FROM, FROM - 100 + 1550)),
        (FROM + 3000, TO, span(FROM + 3000, FROM + 3000)),
        (FROM + 3000, FROM + 4500, span(FROM + 3000, FROM + 3250)),
        (TO, TO + 9000, span(TO, TO)),
        (FROM - 9000, TO, span(FROM, FROM)),
        (FROM - 2000, TO, span(FROM, FROM + 500)),
    ],
)
def test_waiting_shows_that_the_service_was_away_until_a_kernel_had_sent_again_in_vain(
    from_ms: float, to_ms: float, shown: Span
) -> None:
    """First after a second, then after twice as long each time: half of what it waited behind the first second."""
    found = shown_by_waiting(table(asked(from_ms, to_ms)), "true", {2: STRETCH})
    assert found == {2: shown}


def test_the_first_that_waited_and_the_last_try_of_all_count() -> None:
    found = shown_by_waiting(table(asked(FROM + 50, TO + 200), asked(FROM + 2000, TO + 7000)), "true", {2: STRETCH})
    assert found == {2: span(FROM + 50, TO)}


@pytest.mark.parametrize(
    "other",
    [
        asked(TO + 0.001, TO + 9000),
        asked(FROM, TO - 0.001),
        asked(TO - 999.999, TO),
        asked(FROM, TO + 1, error=FailureKind.GENERATOR),
        asked(FROM, TO + 1)._replace(label="other"),
    ],
    ids=["began later", "ended before", "short", "unsent", "another label"],
)
def test_what_did_not_wait_to_the_end_of_the_stretch_shows_nothing(other: Sample) -> None:
    assert shown_by_waiting(table(other), "label = 'probe'", {2: STRETCH}) == {}


def test_in_a_short_stretch_half_of_it_is_waiting() -> None:
    short = {1: span(FROM, FROM + 600)}
    assert shown_by_waiting(table(asked(FROM + 300, FROM + 600)), "true", short) == {1: span(FROM + 300, FROM + 300)}
    assert shown_by_waiting(table(asked(FROM + 301, FROM + 600)), "true", short) == {}
