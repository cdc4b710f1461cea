"""What can be fired from a page, and why not."""

from dataclasses import dataclass, field, replace
from typing import cast

import pytest

from switchover.drill.remote.parent import Controller, ControllerState
from switchover.locust.page.live_run import NO_CONTROLLER, LiveRun

READY = ControllerState(phase="baseline", faults=["haproxy-kill", "node-down"], armed=True)


@dataclass
class Conducted:
    """A controller that remembers what it was asked for."""

    state: ControllerState = READY
    died: str | None = None
    asked: list[str | None] = field(default_factory=list)

    def fire(self, name: str | None = None) -> None:
        self.asked.append(name)

    def heal(self) -> None:
        self.asked.append("heal")


def running(control: Conducted | None, tmp_path: object) -> LiveRun:
    from pathlib import Path

    live = LiveRun(lambda: 1_000_000)
    live.begin(Path(str(tmp_path)), cast("Controller | None", control))
    return live


@pytest.mark.parametrize(
    ("state", "name", "why"),
    [
        (replace(READY, armed=False), "node-down", "--switchover-arm"),
        (replace(READY, fault="node-down", fired_us=5), "node-down", "node-down was fired already"),
        (READY, "rm -rf /", "this run: haproxy-kill, node-down"),
        (READY, None, "choose a fault"),
        (replace(READY, fault="haproxy-kill"), "node-down", "this run: haproxy-kill"),
    ],
    ids=["not armed", "fired", "unknown", "none chosen", "another was chosen"],
)
def test_what_cannot_be_fired_is_refused_with_the_reason(
    state: ControllerState, name: str | None, why: str, tmp_path: object
) -> None:
    control = Conducted(state)
    refusal = running(control, tmp_path).fire(name)
    assert refusal is not None
    assert why in refusal
    assert control.asked == []


def test_nothing_is_fired_before_after_or_beside_a_run(tmp_path: object) -> None:
    control = Conducted()
    live = LiveRun(lambda: 1_000_000)
    assert "no run is active" in (live.fire("node-down") or "")
    live = running(control, tmp_path)
    live.end(None)
    assert "no run is active" in (live.fire("node-down") or "")
    assert "no run is active" in (live.heal() or "")
    assert running(None, tmp_path).fire("node-down") == NO_CONTROLLER
    died = running(Conducted(died="killed by signal 9"), tmp_path)
    assert "killed by signal 9" in (died.fire("node-down") or "")
    assert control.asked == []


def test_only_what_was_fired_can_be_healed_and_only_once(tmp_path: object) -> None:
    assert "nothing was fired" in (running(Conducted(), tmp_path).heal() or "")
    fired = replace(READY, fault="node-down", fired_us=5)
    control = Conducted(fired)
    assert running(control, tmp_path).heal() is None
    assert control.asked == ["heal"]
    assert "already" in (running(Conducted(replace(fired, heal_us=6)), tmp_path).heal() or "")
