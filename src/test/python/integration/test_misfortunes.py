"""The short form of `make torture`: cases of different kinds that have found something, or come near it."""

from pathlib import Path

import pytest

from support.influxdb import skip_unless_built
from switchover.lab.lab import Lab
from torture.case import case_of
from torture.play import play

SEEDS = (1012, 1075, 1077, 1149, 113, 69, 58, 1064)
"""JMeter or Locust killed, the prober and the watchdog, the drill itself; a database that ends or says 503; a full
disk; a heal that hangs; both balancers down; a stats socket cut, or reloaded in a scrape. The longest are first."""

pytestmark = [pytest.mark.integration, pytest.mark.beside, pytest.mark.core]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_must_be_true_whatever_happens_is_true(seed: int, lab: Lab, short_folder: Path) -> None:
    case = case_of(seed)
    if any(name.startswith(("database", "shipper")) for name in case.misfortunes):
        skip_unless_built("1.8")
    assert play(lab, case, short_folder).problems == (), f"make torture ARGS={seed} plays it again"
