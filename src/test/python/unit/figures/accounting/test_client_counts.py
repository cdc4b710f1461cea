"""How often a balancer may have counted a request besides what its client was answered."""

import pytest

from support.request_tables import table_of
from switchover.figures.accounting.ledger import count_uncertain, may_have_reached
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.run_directory import FaultRun, Plan
from switchover.rundir.sample_log import Sample
from synthetic import sample

LB1 = FaultRun(name="haproxy-kill", kind="master", master="lb1")
FIRED = Plan(fired_from_us=500, fired_to_us=600)
EVERY = {"before", "as it was fired", "just behind", "after"}


def asked(
    by: AnsweredBy = AnsweredBy.NONE,
    error: FailureKind | None = None,
    attempts: int = 1,
    balancer: str = "",
    start_us: int = 0,
) -> Sample:
    identity = Identity("", balancer, by)
    return sample(start_us, start_us + 9, success=error is None, error=error, attempts=attempts, identity=identity)


@pytest.mark.parametrize(
    ("one", "times"),
    [
        (asked(AnsweredBy.BACKEND), 0),
        (asked(AnsweredBy.BALANCER), 0),
        (asked(AnsweredBy.BACKEND, attempts=3), 2),
        (asked(AnsweredBy.BACKEND, attempts=0), 0),
        (asked(AnsweredBy.UNKNOWN), 1),
        (asked(AnsweredBy.UNKNOWN, attempts=2), 2),
        (asked(error=FailureKind.RESET), 1),
        (asked(error=FailureKind.RESET, attempts=2), 2),
        (asked(AnsweredBy.BACKEND, error=FailureKind.TRUNCATED), 0),
        (asked(error=FailureKind.REFUSED), 0),
        (asked(error=FailureKind.REFUSED, attempts=2), 1),
        (asked(error=FailureKind.GENERATOR, attempts=2), 2),
        (asked(error=FailureKind.GENERATOR, attempts=0), 0),
        (asked(error=FailureKind.GENERATOR, attempts=-1), 0),
    ],
)
def test_a_request_may_have_been_counted_for_each_attempt_that_no_named_answer_accounts_for(
    one: Sample, times: int
) -> None:
    assert count_uncertain(table_of([one])) == times


@pytest.mark.parametrize(
    ("node", "plan", "fault", "reached"),
    [
        ("lb2", FIRED, LB1, {"named lb2", "just behind", "after"}),
        ("lb2", Plan(fired_from_us=500), LB1, {"named lb2", "as it was fired", "just behind", "after"}),
        ("lb1", FIRED, LB1, EVERY | {"named lb1"}),
        ("lb2", FIRED, None, EVERY | {"named lb2"}),
        ("lb2", Plan(), LB1, EVERY | {"named lb2"}),
        (
            "lb2",
            FIRED,
            FaultRun(name="web-kill", kind="backend", master="lb1"),
            EVERY | {"named lb2"},
        ),
        (
            "lb2",
            FIRED,
            FaultRun(name="haproxy-kill", kind="master"),
            EVERY | {"named lb2"},
        ),
    ],
)
def test_until_the_fault_the_master_alone_has_the_address(
    node: str, plan: Plan, fault: FaultRun | None, reached: set[str]
) -> None:
    when = {"before": 100, "as it was fired": 600, "just behind": 601, "after": 900}
    samples = {name: asked(start_us=at_us) for name, at_us in when.items()}
    samples |= {f"named {name}": asked(balancer=name, start_us=at) for name, at in (("lb1", 950), ("lb2", 50))}
    table = table_of(samples.values())
    found = table.rows(f"SELECT start_us FROM {{requests}} WHERE {may_have_reached(node, plan, fault)}")
    names = {one.start_us: name for name, one in samples.items()}
    assert {names[start_us] for (start_us,) in found} == reached
