"""The test plans that users start from: each runs in the lab by one command, and all count its load the same."""

import itertools
from pathlib import Path

import pytest

from support.drilling import Drilled, drill
from support.sample_rows import read_samples
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec
from switchover.rundir.sample_log import Sample

pytestmark = pytest.mark.integration

PLANS = Path(__file__).parents[4] / "testplans" / "locust"
STREAMS, RATE = 4, 50


def load(lab: Lab, out: Path, plan: str, users: int, *options: str) -> tuple[Drilled, list[Sample]]:
    done = drill(lab, out, "--generator", "locust", "--plan", str(PLANS / plan), "--users", str(users), *options)
    return done, list(read_samples(done.directory / "samples.jtl"))


@pytest.mark.parametrize(
    ("plan", "labels"),
    [
        ("shop.py", {"home", "product", "search", "cart", "checkout"}),
        ("failover.py", {"home, fresh connection", "product, kept connection", "checkout, kept connection"}),
    ],
)
def test_a_plan_accounts_to_the_last_request(lab: Lab, tmp_path: Path, plan: str, labels: set[str]) -> None:
    done, samples = load(lab, tmp_path, plan, 20, "--fault", "none", "--baseline", "4s")
    done.assert_word("MEASURED")
    assert done.verdict["accounting"]["unaccounted"] == 0
    assert {sample.label for sample in samples} - {"abandoned"} == labels
    assert {sample.identity.backend for sample in samples if sample.success} == {"web1", "web2", "web3"}


def test_a_cookie_keeps_every_customer_at_its_backend(tmp_path: Path) -> None:
    with Lab(LabSpec(sticky=True)) as sticky:
        done, samples = load(sticky, tmp_path, "stickiness.py", 12, "--fault", "none", "--baseline", "4s")
    done.assert_word("MEASURED")
    distribution = done.verdict["distribution"]
    assert (distribution["sessions"], distribution["sessions_moved"]) == (3, 0)
    assert all(sample.success and sample.session for sample in samples if sample.label == "cart")


def test_visitors_on_a_schedule_count_the_outage_as_the_prober_does(lab: Lab, tmp_path: Path) -> None:
    done, samples = load(lab, tmp_path, "open_loop.py", STREAMS, "--fault", "haproxy-kill", "--seed", "3")
    done.assert_word("MEASURED")
    assert all(sample.intended_us is not None for sample in samples)
    per_stream = [sorted(due) for due in _due_by_stream(samples)]
    for due in per_stream:
        steps = {later - earlier for earlier, later in itertools.pairwise(due)}
        assert steps <= {1_000_000 // RATE - 1, 1_000_000 // RATE, 1_000_000 // RATE + 1}, "nobody was left out"
    fired_us, healed_us = done.run["plan"]["fired_from_us"], done.run["plan"]["heal_from_us"]
    failed = sum(not s.success and fired_us <= s.end_us < healed_us for s in samples)
    lost_s = done.verdict["outage"]["loss_derived_ms"] / 1000
    # Each stream is off by one at either edge; those in flight at an edge wait up to their time-out of 0.25 s.
    assert abs(failed - STREAMS * RATE * lost_s) <= 2 * STREAMS + STREAMS * RATE * 0.25


def _due_by_stream(samples: list[Sample]) -> list[list[int]]:
    """Streams are a phase apart: a visitor belongs to the one whose grid it is on."""
    step_us = 1_000_000 // RATE
    streams: dict[int, list[int]] = {}
    for sample in samples:
        due_us = sample.intended_us or 0
        phase = next((p for p in streams if min((due_us - p) % step_us, (p - due_us) % step_us) <= 1), due_us)
        streams.setdefault(phase, []).append(due_us)
    return list(streams.values())
