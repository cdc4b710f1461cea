"""Each artefact at the edges of its rule, and word for word."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from support.request_tables import table_of
from switchover.analysis.artefacts import Artefact, ArtefactName, artefacts_of
from switchover.analysis.outage import Outage, OutageKind
from switchover.analysis.phases import PhaseName
from switchover.model.failure_kind import FailureKind
from switchover.rundir.run_directory import Run
from switchover.rundir.sample_log import Sample
from synthetic import END, FIRED, HEAL, SECOND, away, pair_run, sample

AWAY_US = 3 * SECOND
BACK = FIRED + AWAY_US
RATE = 100.0
EVERY_US = 10_000
SWITCHOVER, FAILBACK = PhaseName.SWITCHOVER, PhaseName.FAILBACK
HEALED = HEAL + 2 * SECOND
"""When the failback was over."""


def asked(at_us: int, took_us: int = 500, *, ok: bool = True, stream: str = "kept", attempts: int = 1) -> Sample:
    error = None if ok else FailureKind.RESET
    return sample(at_us, at_us + took_us, intended_us=None, success=ok, error=error, stream=stream, attempts=attempts)


def paced(from_us: int, to_us: int, *, ok: bool = True, every_us: int = EVERY_US, took_us: int = 500) -> list[Sample]:
    return [asked(at, took_us, ok=ok, stream="fresh") for at in range(from_us, to_us, every_us)]


BEFORE, IN_IT, AFTER = paced(0, FIRED), paced(FIRED, BACK, ok=False), paced(BACK, HEAL)


def found(
    *samples: Sample,
    outage: Outage | None = None,
    failback: Outage | None = None,
    run: Run | None = None,
    rate: float | None = RATE,
) -> list[Artefact]:
    outage = outage or away(AWAY_US, from_us=FIRED)
    return list(artefacts_of(run or pair_run(), table_of(samples), outage, failback, rate))


def one(name: ArtefactName, artefacts: list[Artefact]) -> Artefact:
    (artefact,) = (artefact for artefact in artefacts if artefact.name is name)
    return artefact


def names(artefacts: list[Artefact]) -> set[str]:
    return {artefact.name.value for artefact in artefacts}


def sent_in_the_outage(number: int) -> Iterator[Sample]:
    return (asked(FIRED + place, 100, ok=False, stream="fresh") for place in range(number))


@pytest.mark.parametrize(
    ("sent", "rate", "name"),
    [
        (300 - 52, RATE, "omission"),  # three standard deviations of 300 are 51.96
        (300 - 51, RATE, None),
        (300 + 52, RATE, "refusals"),
        (300 + 51, RATE, None),
        (30_000 - 3_000, 10_000.0, None),  # a tenth
        (30_000 - 3_001, 10_000.0, "omission"),
        (1, 0.1, None),
        (2, 0.1, "refusals"),
    ],
)
def test_a_load_was_changed_where_it_is_a_tenth_and_no_chance(sent: int, rate: float, name: str | None) -> None:
    artefacts = found(*BEFORE, *sent_in_the_outage(sent), *AFTER, rate=rate)
    assert names(artefacts) & {"omission", "refusals"} == ({name} if name else set())


def test_what_was_not_sent_and_what_was_sent_in_a_loop_are_told_with_their_share() -> None:
    early, late = asked(FIRED - 1, 9, ok=False, stream="fresh"), asked(BACK, 9, stream="fresh")
    artefact = one(ArtefactName.OMISSION, found(*BEFORE, early, *sent_in_the_outage(60), late, *AFTER))
    assert artefact == Artefact(
        ArtefactName.OMISSION,
        SWITCHOVER,
        "it sent 60 requests during the outage, where its rate before makes 300 (80% fewer): what was not sent is "
        "missing from its failed count and its percentiles (coordinated omission)",
        {"sent": 60, "due": 300},
    )
    artefact = one(ArtefactName.REFUSALS, found(*BEFORE, *sent_in_the_outage(1_350), *AFTER))
    assert artefact == Artefact(
        ArtefactName.REFUSALS,
        SWITCHOVER,
        "it sent 1,350 requests during the outage, where its rate before makes 300 (4.5 times as many): who is "
        "refused at once is back at once, so its failed count and share say how fast it was refused, not for how "
        "long",
        {"sent": 1_350, "due": 300},
    )
    artefact = one(ArtefactName.REFUSALS, found(*sent_in_the_outage(5), *AFTER, rate=0.1))
    assert "where its rate before makes 0 (none): " in artefact.text
    artefact = one(ArtefactName.OMISSION, found(*BEFORE, *AFTER, rate=1_000_000.0))
    assert artefact.text.startswith(
        "it sent 0 requests during the outage, where its rate before makes 3,000,000 (100% fewer)"
    )


@pytest.mark.parametrize("rate", [None, 0.0])
def test_a_load_that_sent_nothing_before_the_fault_is_not_told_to_be_unlike_itself(rate: float | None) -> None:
    waited = asked(BACK - 900_000, 1_000_000, stream="fresh")
    back_late = asked(BACK + SECOND, 400, stream="fresh")
    for rest in (waited, back_late):
        assert found(*sent_in_the_outage(60), rest, rate=rate) == []
    assert names(found(asked(BACK, 1_000, ok=False), rate=rate)) == {"pinned"}


def with_timeouts(*limits: float | None, client: str = "requests") -> Run:
    clients = {f"User{number}": {"client": client, "timeout_read_s": limit} for number, limit in enumerate(limits)}
    return pair_run(load={"state": "ended", "clients": clients})


def test_a_request_waited_that_began_in_the_outage_was_answered_behind_it_and_took_several_times_as_long() -> None:
    usual = paced(0, FIRED, took_us=1_000)
    no = [
        asked(BACK, 900_000),
        asked(BACK - 900_000, 899_999),
        asked(BACK - 900_000, 900_000, ok=False),
        asked(BACK - 1_000, 1_900, stream="fresh"),
        asked(HEAL + 1, 900_000),
    ]
    rest = paced(FIRED, BACK - EVERY_US, ok=False)
    assert "patience" not in names(found(*usual, *rest, *no, *AFTER))
    yes = [asked(BACK - 900_000, 900_000), asked(FIRED - 5, 5_000_999)]
    artefact = one(ArtefactName.PATIENCE, found(*usual, *rest, *no, *yes, *AFTER, run=with_timeouts(2.5, 60.0)))
    assert artefact == Artefact(
        ArtefactName.PATIENCE,
        SWITCHOVER,
        "2 of its requests waited for the end of the outage, up to 5,000 ms: with a time-out of 60 s they count as "
        "slow, not as failed",
        {"waited": 2, "longest_ms": 5_000, "outage_ms": 3_000},
    )
    for run, said in (
        (with_timeouts(2.5), "with a time-out of 2.5 s they count"),
        (with_timeouts(2.5, None), "with no time-out they count"),
        (with_timeouts(2.5, client="other"), "with a time-out they count"),
    ):
        assert said in one(ArtefactName.PATIENCE, found(*usual, *rest, *yes, *AFTER, run=run)).text


def test_how_long_the_outage_was_is_told_in_whole_milliseconds() -> None:
    waited = asked(BACK - 900_000, 1_000_000)
    outage = away(AWAY_US + 999, from_us=FIRED)
    figures = one(ArtefactName.PATIENCE, found(*BEFORE, waited, *AFTER, outage=outage)).figures
    assert figures["outage_ms"] == 3_000


def test_what_is_usual_is_of_the_good_answers_before_the_fault() -> None:
    slow_before = paced(0, FIRED, took_us=9_000)
    waited = asked(BACK - 8_000, 20_000, stream="fresh")
    rest = paced(FIRED, BACK - EVERY_US, ok=False, took_us=1)
    assert "patience" not in names(found(*slow_before, *rest, waited, *AFTER))
    failed_before = paced(0, FIRED, took_us=9_000, ok=False)
    assert "patience" in names(found(*failed_before, *rest, waited, *AFTER))
    after = paced(BACK, HEAL, took_us=9_000)
    assert "patience" in names(found(*paced(0, FIRED, took_us=100), *rest, waited, *after))


def test_where_nothing_was_answered_before_every_answer_over_the_end_waited() -> None:
    artefact = one(ArtefactName.PATIENCE, found(*IN_IT, asked(BACK - 1, 2), *AFTER))
    assert artefact.figures == {"waited": 1, "longest_ms": 0, "outage_ms": 3_000}


def test_classes_without_a_time_out_are_named_together() -> None:
    artefact = one(ArtefactName.NO_TIMEOUT, found(*BEFORE, *IN_IT, *AFTER, run=with_timeouts(None, 5.0, None)))
    assert artefact == Artefact(
        ArtefactName.NO_TIMEOUT,
        None,
        "User0, User2: no time-out where a request names none: what hangs is not recorded before it ends, if it ever "
        "does",
        {"classes": 2},
    )


@pytest.mark.parametrize(
    ("later_us", "rate", "is_late"),
    [
        (100_000, RATE, False),
        (100_001, RATE, True),
        (300_000, 10.0, False),
        (300_001, 10.0, True),
        (3_000_001, 1.0, True),
    ],
)
def test_users_come_back_late_where_it_is_a_tenth_of_a_second_and_no_chance(
    later_us: int, rate: float, is_late: bool
) -> None:
    failed = asked(BACK + 1, 10, ok=False, stream="fresh")
    first = asked(BACK + later_us - 400, 400, stream="fresh")
    artefacts = found(*BEFORE, *IN_IT, failed, first, *paced(BACK + 4 * SECOND, HEAL), rate=rate)
    assert ("return" in names(artefacts)) is is_late


def test_users_who_come_back_late_or_not_before_the_heal_are_told_by_how_much() -> None:
    first = asked(BACK + 1_234_567, 333, stream="fresh")
    assert one(ArtefactName.RETURN, found(*BEFORE, *IN_IT, first)) == Artefact(
        ArtefactName.RETURN,
        SWITCHOVER,
        "its first good answer came 1,234 ms after the probes': its users were still waiting out their time-outs, "
        "retransmissions and pauses",
        {"later_ms": 1_234},
    )
    behind = asked(HEAL, 400, stream="fresh")
    without = one(ArtefactName.RETURN, found(*BEFORE, *IN_IT, behind))
    assert without.figures == {"later_ms": (HEAL - BACK) // 1000}
    assert without.text.startswith(f"no good answer came until {(HEAL - BACK) // 1000:,} ms after the probes': ")
    assert "return" not in names(found(*BEFORE, *IN_IT, asked(BACK - 400, 400, stream="fresh")))


def test_an_outage_that_did_not_end_was_not_waited_out_and_nobody_is_back_late() -> None:
    endless = away(HEAL - FIRED, from_us=FIRED, censored=True)
    few = paced(FIRED, HEAL, ok=False, every_us=SECOND)
    waited = asked(HEAL - 900_000, 900_000 - 1, stream="fresh")
    assert names(found(*BEFORE, *few, waited, outage=endless)) == {"omission"}


@pytest.mark.parametrize(
    ("stream", "kind", "end_us", "is_pinned"),
    [
        ("kept", FailureKind.RESET, BACK + 1, True),
        ("kept", FailureKind.RESET, BACK, False),
        ("kept", FailureKind.READ_TIMEOUT, HEAL - 1, True),
        ("kept", FailureKind.RESET, HEAL, False),
        ("fresh", FailureKind.RESET, BACK + 1, False),
        ("kept", FailureKind.STATUS, BACK + 1, False),
        ("kept", FailureKind.ASSERTION, BACK + 1, False),
        ("kept", FailureKind.GENERATOR, BACK + 1, False),
    ],
)
def test_a_kept_connection_was_pinned_that_failed_while_new_ones_were_served(
    stream: str, kind: FailureKind, end_us: int, is_pinned: bool
) -> None:
    failed = sample(BACK - 5, end_us, intended_us=None, success=False, error=kind, stream=stream)
    artefacts = found(*BEFORE, *IN_IT, failed, *AFTER)
    assert names(artefacts) == ({"pinned"} if is_pinned else set())
    good = sample(BACK - 5, BACK + 1, intended_us=None, stream="kept")
    assert "pinned" not in names(found(*BEFORE, *IN_IT, good, *AFTER))


@pytest.mark.parametrize(
    ("outage", "since_us", "since"),
    [(away(AWAY_US, from_us=FIRED), BACK, "the end of the outage"), (Outage(OutageKind.NONE), FIRED, "the fault")],
)
def test_pinned_connections_are_told_since_the_end_of_an_outage_or_since_the_fault(
    outage: Outage, since_us: int, since: str
) -> None:
    failed = [asked(since_us, 1_000_000, ok=False), asked(since_us, 1_234_567, ok=False)]
    artefact = one(ArtefactName.PINNED, found(*BEFORE, *failed, outage=outage))
    assert artefact == Artefact(
        ArtefactName.PINNED,
        SWITCHOVER,
        f"2 of its requests on kept connections failed up to 1,234 ms after {since}, when new connections were "
        "served well: they were pinned to the balancer that had gone",
        {"failed": 2, "last_ms": 1_234},
    )


def test_many_pinned_ones_and_many_that_waited_are_counted_in_thousands() -> None:
    pinned = [asked(BACK, 1_000 + place, ok=False) for place in range(1_001)]
    waited = [asked(BACK - 900_000, 1_000_000 + place, stream="fresh") for place in range(1_002)]
    artefacts = found(*BEFORE, *pinned, *waited, *AFTER)
    assert one(ArtefactName.PINNED, artefacts).text.startswith("1,001 of its requests on kept connections")
    assert one(ArtefactName.PATIENCE, artefacts).text.startswith("1,002 of its requests waited")


def test_the_failback_is_looked_at_between_the_heal_and_the_end() -> None:
    failback = away(2 * SECOND, from_us=HEAL)
    whole = [*BEFORE, *IN_IT, *AFTER]
    few = paced(HEAL, HEALED, ok=False, every_us=100_000)
    late = paced(HEALED + 500_000, END)
    artefacts = found(*whole, *few, *late, asked(HEALED, 90_000, ok=False), failback=failback)
    assert {artefact.event for artefact in artefacts} == {FAILBACK}
    assert one(ArtefactName.OMISSION, artefacts).figures == {"sent": 20, "due": 200}
    assert "during the failback, where" in one(ArtefactName.OMISSION, artefacts).text
    assert one(ArtefactName.RETURN, artefacts).figures == {"later_ms": 500}
    assert "after the end of the failback, when" in one(ArtefactName.PINNED, artefacts).text
    unseen = found(*whole, asked(HEAL, 5_000, ok=False), failback=Outage(OutageKind.NONE))
    assert "5 ms after the heal, when" in one(ArtefactName.PINNED, unseen).text
    after_the_end = asked(HEAL, END - HEAL, ok=False)
    assert found(*whole, *paced(HEAL, END), after_the_end, failback=Outage(OutageKind.NONE)) == []
    partial = Outage(OutageKind.PARTIAL)
    assert found(*whole, asked(HEAL, 5_000, ok=False), failback=partial) == []
    assert "pinned" in names(found(*whole, asked(HEALED, 5_000, ok=False), outage=partial, failback=failback))


def test_without_a_heal_the_end_is_the_horizon() -> None:
    run = pair_run()
    run.plan = replace(run.plan, heal_from_us=None, heal_to_us=None, healed_us=None)
    failed = asked(BACK, END - BACK - 1, ok=False)
    artefacts = found(*BEFORE, *IN_IT, *AFTER, failed, run=run, failback=Outage(OutageKind.NONE))
    assert [artefact.event for artefact in artefacts] == [SWITCHOVER]
    run.plan = replace(run.plan, end_us=None)
    assert "pinned" not in names(found(*BEFORE, *IN_IT, *AFTER, failed, run=run))


def test_resends_are_counted_and_told() -> None:
    again = [asked(place, attempts=2) for place in range(1_000)]
    run = pair_run()
    run.plan = replace(run.plan, fired_from_us=None)
    assert found(asked(5), asked(0, attempts=3), *again, run=run) == [
        Artefact(
            ArtefactName.RESENDS,
            None,
            "1,001 of its requests were sent again behind the test's back, 1,002 times: in each hides a failure",
            {"requests": 1_001, "resends": 1_002},
        )
    ]
    (artefact,) = found(asked(0, attempts=3), run=run)
    assert isinstance(artefact.figures["resends"], int)
