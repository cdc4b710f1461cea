"""The short form of `make chaos`: cases of different kinds that have found something, or come near it."""

from pathlib import Path

import pytest

from chaos.case import case_of
from chaos.play import play
from support.influxdb import skip_unless_built
from switchover.lab.lab import Lab

IN_THE_GATE = (1012, 1075, 1077, 1149)
"""JMeter killed while its database ends; a heal that hangs; the drill killed; the prober and the watchdog killed."""
OTHERS = (113, 69, 58, 1064)
"""A stats socket cut, or reloaded in a scrape; both balancers down; a full disk; a JMeter that stands still."""

pytestmark = pytest.mark.beside


@pytest.mark.parametrize("seed", [*(pytest.param(seed, marks=pytest.mark.core) for seed in IN_THE_GATE), *OTHERS])
def test_what_must_be_true_whatever_happens_is_true(seed: int, lab: Lab, short_folder: Path) -> None:
    case = case_of(seed)
    if any(name.startswith(("database", "shipper")) for name in case.misfortunes):
        skip_unless_built("1.8")
    assert play(lab, case, short_folder).problems == (), f"make chaos ARGS={seed} plays it again"
