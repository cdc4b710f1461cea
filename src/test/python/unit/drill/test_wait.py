"""PhaseTimer out a phase notices a prober that measures no more."""

import threading
from dataclasses import dataclass
from typing import Any, cast

import pytest

from switchover.drill.wait import SILENT_S, PhaseTimer
from switchover.model.errors import SwitchoverError
from switchover.prober import Prober, ProberProgress
from switchover.process.measuring_child import MeasuringChild
from switchover.telemetry.collector import Collector


@dataclass
class Playing:
    """A prober as it looks from outside."""

    silent_s: float = 0.5
    died: str | None = None
    name: str = "prober"

    def progress(self) -> ProberProgress | None:
        return ProberProgress(sent=5, good=5)


class Nobody:
    """A collector without sources, and somebody who does not look."""

    def holders(self) -> frozenset[str]:
        return frozenset()

    def phase(self, name: str, seconds: float) -> None: ...

    def tick(self, left_s: float, probes: ProberProgress | None, holders: frozenset[str]) -> None: ...

    def note(self, text: str) -> None: ...


def timer(prober: Playing) -> PhaseTimer:
    nobody = Nobody()
    return PhaseTimer(threading.Event(), cast(Prober, prober), cast(Collector, nobody), nobody, None)


def test_a_prober_that_has_fallen_silent_ends_the_run() -> None:
    with pytest.raises(SwitchoverError, match=r"in the switchover phase: .*reported nothing for 4\.1 s"):
        timer(Playing(silent_s=SILENT_S + 0.1)).phase("switchover", 60.0)


def test_another_process_that_measures_and_died_ends_the_run_with_its_reason() -> None:
    beside = timer(Playing())
    load = Playing(died="held connections were killed by signal 9", name="held connections")
    beside.watch(cast(MeasuringChild[Any], load))
    with pytest.raises(SwitchoverError, match="in the changes phase: held connections were killed by signal 9"):
        beside.phase("changes", 60.0)
