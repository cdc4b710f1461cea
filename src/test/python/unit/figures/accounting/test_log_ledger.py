"""The logs of backends and balancers against the client: what explains a line too many, and one too few."""

from collections import Counter
from collections.abc import Mapping, Sequence

import pytest

from support.request_tables import table_of
from switchover.evidence.access_paths import path_of
from switchover.evidence.generations import Generation, Scrape
from switchover.figures.accounting.generation_ledger import UNANSWERED
from switchover.figures.accounting.log_ledger import (
    AT_THE_KILL,
    MADE_BY_BALANCER,
    RETRIED,
    STILL_OPEN,
    access_log_lines,
    paths_asked,
)
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import NO_ANSWER, AnsweredBy, Identity
from switchover.rundir.run_directory import Run
from switchover.rundir.run_records import HeldAccount
from switchover.rundir.sample_log import Sample
from switchover.verdict.record import Line
from synthetic import pair_run, sample

FIRED, RETURNED = 1_000_000, 1_200_000
"""When the command that kills web1 was started, and when it had returned."""


def answer(start_us: int, end_us: int, backend: str = "web1", stream: str = "fresh") -> Sample:
    return sample(start_us, end_us, identity=Identity(backend, "lb1", AnsweredBy.BACKEND), stream=stream)


def own_answer(code: str) -> Sample:
    by_lb1 = Identity("", "lb1", AnsweredBy.BALANCER)
    return sample(0, 9, success=False, error=FailureKind.STATUS, identity=by_lb1)._replace(code=code)


LOST = sample(0, 9, success=False, error=FailureKind.RESET, identity=NO_ANSWER)


def killed(victim: str = "web1") -> Run:
    run = pair_run()
    assert run.fault is not None
    run.fault.victim, run.fault.kind = victim, "backend"
    run.plan.fired_from_us, run.plan.fired_to_us = FIRED, RETURNED
    return run


def retried(before: int, after: int) -> Generation:
    return Generation("lb1", "1", Scrape(0, 0, "1", retries=before), Scrape(9, 0, "1", retries=after))


def of_logs(
    requests: Sequence[Sample],
    logged: Mapping[str, int],
    run: Run | None = None,
    generations: Sequence[Generation] = (),
) -> dict[str, Line]:
    """By backend, of logs that have so many lines for `/`."""
    access = {backend: Counter({"/": number}) for backend, number in logged.items()}
    asked = table_of(requests)
    lines = access_log_lines(run or killed("lb1"), asked, access, {"lb1": generations}, frozenset({"/"}))
    assert all(
        (line.name, line.said_by) == ("answers in the access log", "the backend's access log") for line in lines
    )
    return {line.node or "": line for line in lines}


def test_each_backend_is_held_against_its_own_log() -> None:
    found = of_logs([answer(0, 9), answer(0, 9, "web2"), answer(0, 9, "web2")], {"web2": 2, "web1": 1})
    assert [(node, line.client, line.source, line.unaccounted) for node, line in found.items()] == [
        ("web1", 1, 1, 0),
        ("web2", 2, 2, 0),
    ]


def test_of_a_backends_log_only_lines_for_our_paths_count() -> None:
    access = {"web1": Counter({"/": 1, "/health": 50})}
    requests = table_of([answer(0, 9)])
    (line,) = access_log_lines(killed("lb1"), requests, access, {}, frozenset({"/"}))
    assert (line.client, line.source) == (1, 1)
    (line,) = access_log_lines(killed("lb1"), requests, access, {}, None)
    assert (line.client, line.source) == (1, 51)


def test_a_line_too_many_is_of_a_request_without_an_answer_of_the_balancers_or_of_one_that_it_sent_again() -> None:
    requests = [LOST, own_answer("502"), own_answer("504"), own_answer("503")]
    generations = [retried(3, 5), retried(0, 1)]
    line = of_logs(requests, {"web1": 9}, generations=generations)["web1"]
    assert line.explained_by == {UNANSWERED: 1, MADE_BY_BALANCER: 2, RETRIED: 3} and line.unaccounted == 3


@pytest.mark.parametrize(
    ("start_us", "end_us", "explained"),
    [
        (0, FIRED - 100_000, {AT_THE_KILL: 1}),
        (0, FIRED - 100_001, {}),
        (RETURNED, RETURNED + 9, {AT_THE_KILL: 1}),
        (RETURNED + 1, RETURNED + 9, {}),
    ],
)
def test_a_backend_that_was_killed_may_not_have_logged_what_it_answered_then(
    start_us: int, end_us: int, explained: Mapping[str, int]
) -> None:
    answered = [answer(start_us, end_us), answer(FIRED, FIRED, "web2")]
    found = of_logs(answered, {"web1": 0, "web2": 0}, killed())
    assert (found["web1"].explained_by, found["web1"].unaccounted) == (explained, 0 if explained else 1)
    assert found["web2"].unaccounted == 1, "another one was not killed"


def test_streams_and_cut_bodies_may_still_be_open_where_connections_are_kept() -> None:
    cut = [answer(0, 9, stream=stream)._replace(success=False) for stream in ("download", "upload", "pooled")]
    whole = [answer(0, 9, stream=stream) for stream in ("download", "websocket", "sse")]
    run = killed("lb1")
    assert of_logs([*cut, *whole], {"web1": 0}, run)["web1"].unaccounted == 6
    run.connections = HeldAccount(requests=6)
    line = of_logs([*cut, *whole], {"web1": 0}, run)["web1"]
    assert (line.explained_by, line.unaccounted) == ({STILL_OPEN: 4}, 2)


def test_our_requests_are_known_by_their_paths_where_every_sample_tells_its_own() -> None:
    run = pair_run()
    run.target |= {"url": "http://vip/shop?x=1"}
    asked = [sample(0, 9, url=url) for url in ("http://vip/a?b=/c", "http://vip/a?d", "http://vip", "/plain?q")]
    assert paths_asked(run, table_of(asked)) == frozenset({"/shop", "/a", "/", "/plain"})
    assert paths_asked(run, table_of([])) == frozenset({"/shop"})
    assert paths_asked(run, table_of([*asked, sample(0, 9, url="")])) is None


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("/a?b?c", "/a"),
        ("//[odd", "//[odd"),
        ("//h/a?b", "//h/a"),
        ("http://h", "/"),
        ("http://h/a/b?c#d", "/a/b"),
        ("http://[odd/x", "http://[odd/x"),
    ],
)
def test_a_path_is_what_a_backend_logs_of_a_url(url: str, path: str) -> None:
    assert path_of(url) == path
