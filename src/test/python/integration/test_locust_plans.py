"""The test plans that users start from: each runs in the lab by one command, and all count its load the same."""

from pathlib import Path

import pytest

from support.drilling import Drilled, drill
from support.sample_rows import read_samples
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec
from switchover.rundir.sample_log import Sample

PLANS = Path(__file__).parents[4] / "testplans" / "locust"


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
