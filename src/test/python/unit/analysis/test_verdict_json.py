"""What verdict.json says of a verdict, field by field; what is unknown is null."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from support.changes import change
from switchover.analysis.artefacts import Artefact, ArtefactName
from switchover.analysis.change_figures import ChangeFigures
from switchover.analysis.change_json import changes_json, dead_json
from switchover.analysis.confirmation import Check, Confirmation
from switchover.analysis.dead_connections import DeadConnections
from switchover.analysis.distribution import Distribution
from switchover.analysis.figures import Figures
from switchover.analysis.labels import LabelFigures, Labels
from switchover.analysis.latency import Latency, Percentiles
from switchover.analysis.ledger import Accounting, Line
from switchover.analysis.limit import Limit, LimitName, Unit
from switchover.analysis.limit_result import LimitResult, State
from switchover.analysis.outage import Outage, OutageKind
from switchover.analysis.phases import PhaseName
from switchover.analysis.population import Counts, Population
from switchover.analysis.prediction_fit import PredictionFit
from switchover.analysis.restoration import Restoration
from switchover.analysis.round_robin import Turns
from switchover.analysis.silences import Silence, Silences
from switchover.analysis.split_brain import SplitBrain
from switchover.analysis.statistics import ChiSquare
from switchover.analysis.timeline import Row, Step
from switchover.analysis.verdict import Verdict
from switchover.analysis.verdict_json import to_json
from switchover.model.held_kind import HeldKind
from switchover.model.interval import Interval, Span
from switchover.rundir.run_records import ProbeAccount
from switchover.verdict.reasons import make_reason
from synthetic import gap_of, pair_run

CHECKS = (Check("owner", True, "lb2 has it"), Check("probes", None, "none was sent"))
SAID = [
    {"name": "owner", "holds": True, "text": "lb2 has it"},
    {"name": "probes", "holds": None, "text": "none was sent"},
]


def nothing() -> Verdict:
    """Of a run that measured nothing."""
    run = pair_run()
    run.generator = ProbeAccount()
    events: Any = SimpleNamespace(run=run, outage=None, failback=None, timeline=())
    figures = Figures(
        probes=None,
        samples=None,
        split_brain=None,
        distribution=Distribution({}),
        accounting=Accounting(False),
        changes=None,
        dead=(),
        prediction=None,
        longest_gap=None,
        artefacts=(),
        labels=None,
        silences=(),
    )
    return Verdict(
        events=events, figures=figures, confirmation=None, restoration=None, limits=(), reasons=(), warnings=()
    )


def written(**figures: Any) -> dict[str, Any]:
    return to_json(replace(nothing(), figures=replace(nothing().figures, **figures)))


def of_events(**facts: Any) -> dict[str, Any]:
    verdict = nothing()
    vars(verdict.events).update(facts)
    return to_json(verdict)


def test_what_is_unknown_is_null() -> None:
    assert to_json(nothing()) == {
        "schema": 2,
        "run": "20240101T000000Z-test",
        "verdict": "MEASURED",
        "exit_code": 0,
        "valid": True,
        "reasons": [],
        "warnings": [],
        "limits": [],
        "outage": None,
        "prediction": None,
        "confirmation": None,
        "restoration": None,
        "timeline": [],
        "probes": None,
        "samples": None,
        "load": None,
        "split_brain_ms": None,
        "split_brain": None,
        "failback": None,
        "distribution": {
            "algorithm": None,
            "by_phase": {},
            "turns": [],
            "chi_square": None,
            "sessions": None,
            "sessions_moved": None,
        },
        "accounting": {
            "dedicated": False,
            "equal": 0,
            "explained": 0,
            "unaccounted": None,
            "uncounted": [],
            "lines": [],
        },
        "generator": {"scheduled": None, "unsent": None, "lag_p50_ms": None, "lag_p99_ms": None, "cpu_percent": None},
    }


def test_the_word_stands_with_its_reasons_and_with_what_the_sources_saw() -> None:
    reason = make_reason("stopped", why="by hand")
    verdict = replace(nothing(), reasons=(reason,), warnings=("one", "two"), confirmation=Confirmation(CHECKS))
    found = to_json(replace(verdict, restoration=Restoration(CHECKS[:1], CHECKS[1:])))
    assert (found["verdict"], found["exit_code"], found["valid"]) == ("STOPPED", 2, False)
    assert found["reasons"] == [msgspec.to_builtins(reason)]
    assert found["warnings"] == ["one", "two"]
    assert found["confirmation"] == {"seen": True, "checks": SAID}
    assert found["restoration"] == {"whole": True, "checks": SAID}


@pytest.mark.parametrize(
    ("limit", "figure", "said"),
    [
        (
            Limit(LimitName.OUTAGE, 5000.0, Unit.MILLISECONDS, default=True),
            Interval(1.23456, 2.34567),
            {"name": "outage", "limit": 5000.0, "unit": "ms", "low": 1.235, "high": 2.346, "default": True},
        ),
        (
            Limit(LimitName.LOSSY, 0.01, Unit.SHARE, confidence=0.95),
            Interval(0.12345678912, None),
            {
                "name": "lossy",
                "limit": 0.01,
                "unit": "share",
                "confidence": 0.95,
                "low": 0.123456789,
                "high": None,
                "default": False,
            },
        ),
        (
            Limit(LimitName.UNACCOUNTED, None, Unit.REQUESTS),
            None,
            {"name": "unaccounted", "limit": None, "unit": "requests", "low": None, "high": None, "default": False},
        ),
    ],
)
def test_a_limit_has_its_figure_in_its_unit(limit: Limit, figure: Interval | None, said: dict[str, Any]) -> None:
    (found,) = to_json(replace(nothing(), limits=(LimitResult(limit, figure, State.EXCEEDED, "a note"),)))["limits"]
    assert found == said | {"state": "exceeded", "note": "a note"}


def test_an_outage_is_told_in_milliseconds_with_its_gaps() -> None:
    gaps = (gap_of(1_000_000, 1_500_000), replace(gap_of(2_000_000, 2_250_125, early_us=0), late=2, failed=3))
    outage = Outage(
        OutageKind.OUTAGE,
        gaps,
        later_gaps=(gap_of(3_000_000, 3_000_001),),
        loss_derived_ms=12.34567,
        interval_us=10_000.4,
        unseen=Span(7, 1_241),
    )
    said = {
        "kind": "outage",
        "low_ms": 1250.125,
        "high_ms": 1250.125,
        "detection_limit_ms": 1.234,
        "censored": False,
        "recovered": True,
        "from_us": 1_000_000,
        "to_us": 2_250_125,
        "first_bad_us": 1_000_000,
        "envelope_ms": 2000.001,
        "sum_of_gaps_ms": 750.126,
        "loss_derived_ms": 12.346,
        "impaired": 7,
        "interval_ms": 10.0,
        "gaps": [
            {"from_us": 1_000_000, "to_us": 1_500_000, "duration_ms": 500.0, "failed": 1, "late": 0},
            {"from_us": 2_000_000, "to_us": 2_250_125, "duration_ms": 250.125, "failed": 3, "late": 2},
        ],
        "gap_count": 2,
        "later_gaps": [{"from_us": 3_000_000, "to_us": 3_000_001, "duration_ms": 0.001, "failed": 1, "late": 0}],
        "later_gap_count": 1,
    }
    assert of_events(outage=outage)["outage"] == of_events(failback=outage)["failback"] == said
    assert of_events(outage=outage)["failback"] is None
    many = Outage(OutageKind.OUTAGE, gaps[:1] * 201, censored=True, later_gaps=gaps[:1] * 201)
    found = of_events(outage=many)["outage"]
    assert (found["gap_count"], len(found["gaps"]), found["later_gap_count"], len(found["later_gaps"])) == (
        201,
        200,
        201,
        200,
    )
    assert (found["high_ms"], found["censored"], found["recovered"]) == (None, True, False)
    assert found["loss_derived_ms"] is None and found["interval_ms"] is None


def test_a_prediction_and_the_steps_of_a_fault_are_told() -> None:
    fit = PredictionFit("haproxy-kill", 2609.375, 4609.375, 20.12345, True)
    said = {"fault": "haproxy-kill", "low_ms": 2609.375, "high_ms": 4609.375, "tolerance_ms": 20.123, "inside": True}
    assert written(prediction=fit)["prediction"] == said
    assert written(prediction=replace(fit, tolerance_ms=None))["prediction"] == said | {"tolerance_ms": None}
    row = Row(Step.ELECTED, 5_000_000, 1_500, 2_250_000, "lb2", order_unknown=True, stamped_late_us=750)
    assert of_events(timeline=(row, Row(Step.KILL)))["timeline"] == [
        {
            "step": "new master elected",
            "at_us": 5_000_000,
            "bound_ms": 1.5,
            "after_kill_ms": 2250.0,
            "stamped_late_ms": 0.75,
            "source": "lb2",
            "order_unknown": True,
        },
        {
            "step": "kill",
            "at_us": None,
            "bound_ms": None,
            "after_kill_ms": None,
            "stamped_late_ms": 0.0,
            "source": "unknown",
            "order_unknown": False,
        },
    ]


def test_who_asked_is_counted_in_all_and_by_phase() -> None:
    scheduled, sent = Percentiles(1_000, 2_000, 3_000, 4_500), Percentiles(500, 600, 700, 801)
    counts = Counts(
        total=9,
        failed=3,
        late=2,
        unsent=1,
        by_kind={"refused": 3},
        by_answered_by={"backend": 6},
        by_stream={"fresh": {"total": 9}},
        rate=100.12345,
        users=4.56789,
        latency=Latency(scheduled, sent),
    )
    latency = {
        "from_schedule": {"p50": 1.0, "p90": 2.0, "p99": 3.0, "max": 4.5},
        "from_send": {"p50": 0.5, "p90": 0.6, "p99": 0.7, "max": 0.801},
    }
    said = {
        "total": 9,
        "failed": 3,
        "late": 2,
        "unsent": 1,
        "rate": 100.123,
        "users": 4.568,
        "by_kind": {"refused": 3},
        "by_answered_by": {"backend": 6},
        "by_stream": {"fresh": {"total": 9}},
        "latency_ms": latency,
    }
    none: dict[str, Any] = dict.fromkeys(("rate", "users", "latency_ms")) | dict.fromkeys(
        ("total", "failed", "late", "unsent"), 0
    )
    none |= {"by_kind": {}, "by_answered_by": {}, "by_stream": {}}
    population = Population(counts, {PhaseName.BASELINE: Counts(), PhaseName.FAILBACK: counts})
    by_phase = {"by_phase": {"baseline": none, "failback": said}}
    found = written(probes=population)
    assert found["probes"] == said | by_phase and found["samples"] is found["load"] is None
    unscheduled = Population(replace(counts, latency=Latency(None, sent)), {})
    found = written(samples=unscheduled)
    assert found["samples"] == said | {"latency_ms": latency | {"from_schedule": None}, "by_phase": {}}
    assert found["probes"] is None and found["load"] == {"longest_gap": None, "artefacts": []}


def test_of_a_load_its_silences_its_artefacts_and_its_labels_are_written() -> None:
    silence = Silence(Span(1, 5), Interval(2_500, 3_750.4), {"status": 7}, 3)
    unended = replace(silence, length=Interval(4, None))
    found = written(
        samples=Population(Counts(), {}),
        longest_gap=Span(1_000, 3_500),
        artefacts=(
            Artefact(ArtefactName.STALE, PhaseName.SWITCHOVER, "a text", {"users": 3}),
            Artefact(ArtefactName.OMISSION, None, "another", {}),
        ),
        silences=(
            Silences("", "", silence, unended, 2, recovered=False),
            Silences("a.jtl", "home", silence, None, 0, recovered=True),
        ),
        labels=Labels(
            (LabelFigures("home", 9, 2, 1_500, 2_500, 3_501), LabelFigures("x", 1, 1, None, None, None)), 4
        ),
    )
    said: dict[str, Any] = {"from_us": 1, "to_us": 5, "duration_ms": 0.004, "low_ms": 2.5, "high_ms": 3.75}
    said |= {"failed": 7, "by_kind": {"status": 7}, "in_progress": 3}
    assert found["load"] == {
        "longest_gap": {"from_us": 1_000, "to_us": 3_500, "duration_ms": 2.5},
        "artefacts": [
            {"name": "stale", "event": "switchover", "text": "a text", "figures": {"users": 3}},
            {"name": "omission", "event": None, "text": "another", "figures": {}},
        ],
        "silences": [
            {
                "file": None,
                "label": None,
                "outage": {**said, "low_ms": 0.004, "high_ms": None},
                "longest": said,
                "more": 2,
                "recovered": False,
            },
            {"file": "a.jtl", "label": "home", "outage": None, "longest": said, "more": 0, "recovered": True},
        ],
        "labels": [
            {"label": "home", "total": 9, "failed": 2, "p50_ms": 1.5, "p95_ms": 2.5, "p99_ms": 3.501},
            {"label": "x", "total": 1, "failed": 1, "p50_ms": None, "p95_ms": None, "p99_ms": None},
        ],
        "more_labels": 4,
    }


def test_two_masters_at_once_are_told_with_the_handovers_that_are_none() -> None:
    found = written(split_brain=SplitBrain((Span(1_000, 4_500),), (Span(10, 20),), 1_500))
    assert found["split_brain_ms"] == 3.5
    assert found["split_brain"] == {
        "low_ms": 2.0,
        "high_ms": 5.0,
        "overlaps": [{"from_us": 1_000, "to_us": 4_500, "duration_ms": 3.5}],
        "handovers": [{"from_us": 10, "to_us": 20, "duration_ms": 0.01}],
        "bound_ms": 1.5,
    }


def test_how_the_answers_were_shared_is_told_to_a_millionth() -> None:
    distribution = Distribution(
        {PhaseName.ON_BACKUP: {"backend": {"web1": 1, "web2": 2}, "balancer": {}}},
        algorithm="roundrobin",
        turns=(Turns(PhaseName.BASELINE, "lb1", {"web1": 3}, 1.23456, 1.5),),
        chi_square=ChiSquare(1.23456789, 2, 0.1234567891234),
        sessions=5,
        sessions_moved=1,
    )
    assert written(distribution=distribution)["distribution"] == {
        "algorithm": "roundrobin",
        "by_phase": {
            "on_backup": {
                "backend": {"web1": {"count": 1, "share": 0.333333}, "web2": {"count": 2, "share": 0.666667}},
                "balancer": {},
            }
        },
        "turns": [
            {
                "phase": "baseline",
                "balancer": "lb1",
                "counts": {"web1": 3},
                "deviation": 1.235,
                "allowed": 1.5,
                "kept": True,
            }
        ],
        "chi_square": {"statistic": 1.234568, "degrees": 2, "p": 0.123456789},
        "sessions": 5,
        "sessions_moved": 1,
    }


def test_books_are_told_line_by_line() -> None:
    lines = (
        Line("answers", 10, 7, "haproxy", "lb1", "100-1", {"retries": 2}, 1),
        Line("slots", 4, 4, "the prober's own count"),
    )
    assert written(accounting=Accounting(True, lines))["accounting"] == {
        "dedicated": True,
        "equal": 1,
        "explained": 2,
        "unaccounted": 1,
        "uncounted": [],
        "lines": [
            {
                "name": "answers",
                "node": "lb1",
                "generation": "100-1",
                "client": 10,
                "source": 7,
                "said_by": "haproxy",
                "difference": 3,
                "explained_by": {"retries": 2},
                "unaccounted": 1,
            },
            {
                "name": "slots",
                "node": None,
                "generation": None,
                "client": 4,
                "source": 4,
                "said_by": "the prober's own count",
                "difference": 0,
                "explained_by": {},
                "unaccounted": 0,
            },
        ],
    }
    uncounted = written(accounting=Accounting(True, lines, ("lb2",)))["accounting"]
    assert (uncounted["uncounted"], uncounted["unaccounted"]) == (["lb2"], None)


def test_the_generators_account_is_that_of_the_run() -> None:
    run = pair_run()
    account = {"scheduled": 9, "unsent": 1, "lag_p50_ms": 0.1, "lag_p99_ms": 0.9, "cpu_percent": 15.0}
    run.generator = ProbeAccount.of({**account, "recorded": 8})
    assert of_events(run=run)["generator"] == account


def test_changes_and_dead_connections_are_there_where_they_were_measured() -> None:
    dead = DeadConnections(
        kind=next(iter(HeldKind)), open=9, dead=3, by_fin=1, by_rst=1, by_timeout=1, untold=0, median_us=1,
        longest_us=2,
    )  # fmt: skip
    changes = ChangeFigures(
        made=(change(1),), kinds=(), by_change={}, felt={}, losses=(), lingering=0, lost_before=0, asked_before=0,
        generator_errors=0, unread=0, retrying_clients=(),
    )  # fmt: skip
    found = written(dead=(dead,), changes=changes)
    assert found["dead_connections"] == [dead_json(dead)] and found["changes"] == changes_json(changes)
