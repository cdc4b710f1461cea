"""Which figures of a closed loop are artefacts: each told by its numbers, and none told where there is nothing."""

import pytest

from support.request_tables import table_of
from switchover.figures.artefacts import artefacts_of
from switchover.figures.outage import Outage
from switchover.model.failure_kind import FailureKind
from switchover.rundir.run_directory import Run
from switchover.rundir.sample_log import Sample
from switchover.verdict.record import Artefact, OutageKind, PhaseName
from synthetic import END, FIRED, HEAL, SECOND, away, pair_run, sample

AWAY_US = 3 * SECOND
BACK = FIRED + AWAY_US
OUTAGE = away(AWAY_US, from_us=FIRED)
RATE = 100.0
EVERY_US = 10_000


def asked(at_us: int, took_us: int = 500, *, ok: bool = True, stream: str = "kept", attempts: int = 1) -> Sample:
    error = None if ok else FailureKind.RESET
    return sample(at_us, at_us + took_us, intended_us=None, success=ok, error=error, stream=stream, attempts=attempts)


def paced(from_us: int, to_us: int, *, ok: bool = True, every_us: int = EVERY_US, took_us: int = 500) -> list[Sample]:
    return [asked(at, took_us, ok=ok) for at in range(from_us, to_us, every_us)]


def unchanged() -> list[Sample]:
    """As many requests as ever, all of those in the outage refused."""
    return [*paced(0, FIRED), *paced(FIRED, BACK, ok=False), *paced(BACK, HEAL)]


def found(
    samples: list[Sample], run: Run | None = None, outage: Outage | None = OUTAGE, rate: float | None = RATE
) -> dict[str, Artefact]:
    artefacts = artefacts_of(run or pair_run(), table_of(samples), outage, None, rate)
    assert len({artefact.name for artefact in artefacts}) == len(artefacts)
    return {artefact.name.value: artefact for artefact in artefacts}


def refused(number: int) -> list[Sample]:
    return [asked(FIRED + place, 100, ok=False) for place in range(number)]


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
    artefacts = found([*paced(0, FIRED), *refused(sent), *paced(BACK, HEAL)], rate=rate)
    assert artefacts.keys() & {"omission", "refusals"} == ({name} if name else set())


def test_the_share_of_the_missing_requests_is_reported() -> None:
    artefact = found([*paced(0, FIRED), *refused(75), *paced(BACK, HEAL)])["omission"]
    assert "75 requests were sent during the outage" in artefact.text and "(75% fewer)" in artefact.text
    assert (artefact.event, artefact.figures) == (PhaseName.SWITCHOVER, {"sent": 75, "due": 300})
    artefact = found([*paced(0, FIRED), *refused(450), *paced(BACK, HEAL)])["refusals"]
    assert "(1.5 times as many)" in artefact.text
    assert (artefact.event, artefact.figures) == (PhaseName.SWITCHOVER, {"sent": 450, "due": 300})


@pytest.mark.parametrize("rate", [None, 0.0])
def test_a_load_that_sent_nothing_before_the_fault_is_compared_with_nothing(rate: float | None) -> None:
    for rest in (asked(BACK - 900_000, 1_000_000), asked(BACK + SECOND, 400)):
        assert found([*refused(60), rest], rate=rate) == {}


@pytest.mark.parametrize(
    ("stream", "kind", "end_us", "is_stale"),
    [
        ("kept", FailureKind.RESET, BACK + 1, True),
        ("kept", FailureKind.RESET, BACK, False),
        ("kept", FailureKind.READ_TIMEOUT, HEAL - 1, True),
        ("kept", FailureKind.RESET, HEAL, False),
        ("fresh", FailureKind.RESET, BACK + 1, False),
        ("kept", FailureKind.STATUS, BACK + 1, False),
        ("kept", FailureKind.ASSERTION, BACK + 1, False),
        ("kept", FailureKind.GENERATOR, BACK + 1, False),
        ("kept", None, BACK + 1, False),
    ],
)
def test_a_kept_connection_was_pinned_that_failed_while_new_ones_were_served(
    stream: str, kind: FailureKind | None, end_us: int, is_stale: bool
) -> None:
    one = sample(BACK - 5, end_us, intended_us=None, success=kind is None, error=kind, stream=stream)
    artefacts = found([*unchanged(), one])
    assert ("stale" in artefacts) is is_stale
    assert not is_stale or "ms after the end of the outage" in artefacts["stale"].text


def test_the_failback_pins_connections_too() -> None:
    """They lead to the backup, which lets go of the address."""
    samples = [*unchanged(), *paced(HEAL, END), *(asked(HEAL + SECOND + at, ok=False) for at in range(4))]
    (artefact,) = artefacts_of(pair_run(), table_of(samples), OUTAGE, Outage(OutageKind.NONE), RATE)
    assert (artefact.name, artefact.event) == ("stale", PhaseName.FAILBACK)
    assert artefact.figures == {"failed": 4, "last_ms": 1000} and "after the heal" in artefact.text


def test_resends_are_told_whatever_else_there_was() -> None:
    samples = [*paced(0, FIRED), asked(FIRED, attempts=3), asked(FIRED, attempts=2), asked(BACK, ok=False)]
    for outage in (None, Outage(OutageKind.PARTIAL)):
        artefacts = found(samples, outage=outage)
        assert artefacts.keys() == {"resends"}
        artefact = artefacts["resends"]
        assert artefact.figures == {"requests": 2, "resends": 3}
