"""One HAProxy process against its client, to the microsecond: which answers its last scrape has counted."""

from collections.abc import Mapping, Sequence

import pytest

from support.records import line
from support.request_tables import table_of
from switchover.evidence.generations import Generation, Scrape
from switchover.figures.accounting.generation_ledger import (
    BETWEEN,
    BY_A_FRONTEND,
    IN_FLIGHT,
    TAIL,
    UNANSWERED,
    GenerationLedger,
)
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import NO_ANSWER, AnsweredBy, Identity
from switchover.rundir.run_directory import Run
from switchover.rundir.sample_log import Sample
from switchover.verdict.record import Line
from synthetic import pair_run, sample

SCRAPED, RETURNED = 1_000_000, 1_001_000
"""When the last scrape of the process was sent, and when it was answered."""
FOLLOWED = 1_500_000
"""When another process was scraped first."""
OWN = "answers by the balancer itself"


def answer(start_us: int, end_us: int, backend: str = "web1") -> Sample:
    return sample(start_us, end_us, identity=Identity(backend, "lb1", AnsweredBy.BACKEND))


def own_answer(start_us: int, end_us: int) -> Sample:
    by_lb1 = Identity("", "lb1", AnsweredBy.BALANCER)
    return sample(start_us, end_us, success=False, error=FailureKind.STATUS, identity=by_lb1)


def lost(start_us: int, end_us: int) -> Sample:
    return sample(start_us, end_us, success=False, error=FailureKind.RESET, identity=NO_ANSWER)


def scrape(at_us: int, *, own: int = 0, alone: int = 0, **by_server: int) -> Scrape:
    answers = sum(by_server.values()) + own
    return Scrape(
        at_us,
        RETURNED - SCRAPED,
        "1",
        by_server=by_server,
        by_backends=answers,
        by_frontends=answers + alone,
        received=answers + alone,
    )


def generation(first: Scrape, last: Scrape) -> Generation:
    return Generation("lb1", last.generation, first, last)


def compared(
    requests: Sequence[Sample],
    seen: Generation,
    *,
    previous: Generation | None = None,
    following: Generation | None = None,
    run: Run | None = None,
) -> dict[str, Line]:
    ledger = GenerationLedger(run or pair_run(), table_of(requests), seen, previous, following)
    return {line.name: line for line in ledger.lines()}


ONLY = generation(scrape(0), scrape(SCRAPED))
AFTER = generation(scrape(FOLLOWED), scrape(2 * FOLLOWED))


@pytest.mark.parametrize(
    ("start_us", "end_us", "explained"),
    [
        (SCRAPED - 9, SCRAPED, {}),
        (SCRAPED - 9, SCRAPED + 1, {IN_FLIGHT: 1}),
        (RETURNED, RETURNED + 9, {IN_FLIGHT: 1}),
        (RETURNED + 1, RETURNED + 9, {TAIL: 1}),
    ],
)
def test_an_answer_of_a_server_is_counted_if_it_was_complete_and_never_if_it_was_sent_later(
    start_us: int, end_us: int, explained: Mapping[str, int]
) -> None:
    found = compared([answer(start_us, end_us)], ONLY)["answers by web1"]
    assert found == line("answers by web1", 1, 0, "HAProxy's counters", "lb1", "1", explained, 0 if explained else 1)


@pytest.mark.parametrize(
    ("start_us", "end_us", "explained"),
    [
        (0, SCRAPED - 100_000, {}),
        (0, SCRAPED - 99_999, {IN_FLIGHT: 1}),
        (RETURNED, RETURNED + 9, {IN_FLIGHT: 1}),
        (RETURNED + 1, RETURNED + 9, {TAIL: 1}),
    ],
)
def test_an_answer_of_the_balancer_itself_is_counted_100_ms_after_it(
    start_us: int, end_us: int, explained: Mapping[str, int]
) -> None:
    found = compared([own_answer(start_us, end_us)], ONLY)
    for name in (OWN, "requests"):
        assert (found[name].client, found[name].source, found[name].explained_by) == (1, 0, explained)
        assert found[name].unaccounted == (0 if explained else 1)


def test_the_tail_of_all_servers_is_the_tail_of_the_requests() -> None:
    requests = [answer(0, 9), *(answer(RETURNED + 1, RETURNED + 9, name) for name in ("web1", "web2", "web2"))]
    found = compared(requests, generation(scrape(0), scrape(SCRAPED, web1=1)))
    assert list(found) == ["answers by web1", "answers by web2", OWN, "requests"]
    assert [(one.client, one.source, one.explained_by) for one in found.values()] == [
        (2, 1, {TAIL: 1}),
        (2, 0, {TAIL: 2}),
        (0, 0, {}),
        (4, 1, {TAIL: 3}),
    ]
    assert all(one.unaccounted == 0 for one in found.values())


def test_counters_are_compared_from_the_first_scrape_on_and_a_server_that_it_did_not_have_from_zero() -> None:
    seen = generation(
        scrape(0, own=5, alone=7, web1=3, idle=4), scrape(SCRAPED, own=6, alone=9, web1=5, idle=4, web2=1)
    )
    requests = [answer(0, 9), answer(0, 9), answer(0, 9, "web2"), own_answer(0, 9)]
    found = compared(requests, seen)
    assert {name: (one.client, one.source) for name, one in found.items()} == {
        "answers by web1": (2, 2),
        "answers by web2": (1, 1),
        OWN: (1, 1),
        "requests": (4, 4),
    }
    own = compared([own_answer(0, 9)] * 3, generation(scrape(0, alone=7), scrape(SCRAPED, alone=9)))[OWN]
    assert (own.client, own.source, own.explained_by, own.unaccounted) == (3, 0, {BY_A_FRONTEND: 2}, 1)


@pytest.mark.parametrize(
    ("start_us", "end_us", "explained"),
    [
        (0, SCRAPED - 100_000, {}),
        (0, SCRAPED - 99_999, {IN_FLIGHT: 1}),
        (RETURNED - 1, RETURNED + 9, {IN_FLIGHT: 1}),
    ],
)
def test_where_another_process_follows_an_answer_within_100_ms_of_the_last_scrape_may_be_of_either(
    start_us: int, end_us: int, explained: Mapping[str, int]
) -> None:
    found = compared([answer(start_us, end_us)], ONLY, following=AFTER)["answers by web1"]
    assert (found.explained_by, found.unaccounted) == (explained, 0 if explained else 1)


def fired_at(at_us: int | None, victim: str = "lb1") -> Run:
    run = pair_run()
    assert run.fault is not None
    run.fault.victim, run.plan.fired_from_us = victim, at_us
    return run


@pytest.mark.parametrize(
    ("run", "until_us"),
    [
        (fired_at(None), RETURNED),
        (fired_at(RETURNED - 1), RETURNED),
        (fired_at(RETURNED + 100), RETURNED + 100),
        (fired_at(FOLLOWED), FOLLOWED),
        (fired_at(FOLLOWED + 1), RETURNED),
        (fired_at(RETURNED + 100, "web1"), RETURNED),
    ],
)
def test_a_process_that_another_follows_has_answers_until_its_last_scrape_or_its_own_fault(
    run: Run, until_us: int
) -> None:
    found = compared([answer(until_us - 1, 9 * FOLLOWED)], ONLY, following=AFTER, run=run)
    assert found["answers by web1"].unaccounted == 0
    assert "answers by web1" not in compared([answer(until_us, 9 * FOLLOWED)], ONLY, following=AFTER, run=run)


@pytest.mark.parametrize(
    ("start_us", "end_us", "client", "explained", "unaccounted"),
    [
        (FOLLOWED, FOLLOWED + 9, 1, {}, 0),
        (FOLLOWED - 1, FOLLOWED + 9, 0, {BETWEEN: 1}, 0),
        (0, SCRAPED - 100_000, 0, {BETWEEN: 1}, 0),
        (0, SCRAPED - 100_001, 0, {}, 1),
    ],
)
def test_a_process_that_follows_another_may_have_answered_what_was_sent_before_its_first_scrape(
    start_us: int, end_us: int, client: int, explained: Mapping[str, int], unaccounted: int
) -> None:
    seen = generation(scrape(FOLLOWED), scrape(2 * FOLLOWED, web1=1))
    found = compared([answer(start_us, end_us)], seen, previous=ONLY)["answers by web1"]
    assert (found.client, found.source) == (client, 1)
    assert (found.explained_by, found.unaccounted) == (explained, unaccounted)


@pytest.mark.parametrize(
    ("start_us", "end_us", "explained"),
    [
        (0, 100, {UNANSWERED: 1}),
        (0, 99, {}),
        (RETURNED, RETURNED + 9, {UNANSWERED: 1}),
        (RETURNED + 1, RETURNED + 9, {}),
    ],
)
def test_a_request_without_an_answer_may_be_in_the_counters_of_a_process_that_lived_meanwhile(
    start_us: int, end_us: int, explained: Mapping[str, int]
) -> None:
    found = compared([lost(start_us, end_us)], generation(scrape(100), scrape(SCRAPED, web1=1)))["answers by web1"]
    assert (found.client, found.source, found.explained_by) == (0, 1, explained)
    assert found.unaccounted == (0 if explained else 1)


def test_a_request_that_only_the_balancer_counted_is_unaccounted_if_the_client_has_no_responses() -> None:
    requests = compared([], generation(scrape(0), scrape(SCRAPED, web1=1)))["requests"]
    assert (requests.explained_by, requests.unaccounted) == ({}, 1)
