"""Firing and healing from a page: what can be asked for now, and why not."""

from typing import Any, Protocol

from switchover.drill.remote.parent import ControllerState

TEXT_LIMIT = 300
NOTES_LIMIT = 20
NO_CONTROLLER = "this process cannot fire a fault: it only records, and another one conducts the run, if any does"
NO_FAULTS = (
    "there is nothing to fire: that takes a target file, and the name of a fault in it as --switchover-fault (a "
    "lab's faults can be chosen here)"
)
NOT_ARMED = "the run was not armed: start Locust with --switchover-arm (a target of the lab needs none)"


class Control(Protocol):
    """The drill beside the load, as the page may use it. A refusal becomes a note of its state."""

    @property
    def state(self) -> ControllerState: ...
    @property
    def died(self) -> str | None: ...
    def fire(self, name: str | None = None) -> None: ...
    def heal(self) -> None: ...


def refusal_to_fire(control: Control | None, running: bool, name: str | None) -> str | None:
    """Why this fault cannot be fired now; None if it can."""
    refusal = _refusal(control, running)
    if refusal or control is None:
        return refusal
    state = control.state
    if not state.armed:
        return NOT_ARMED
    if state.fired_us is not None:
        return f"{state.fault or 'a fault'} was fired already: a run fires once"
    if name is not None and name not in state.faults:
        return f"no fault of this name can be fired here; the run has {', '.join(state.faults) or 'none'}"
    if name is not None and state.fault is not None and name != state.fault:
        return f"the run was started for {state.fault}"
    if name is None and state.fault is None:
        return "choose a fault first"
    return None


def refusal_to_heal(control: Control | None, running: bool) -> str | None:
    refusal = _refusal(control, running)
    if refusal or control is None:
        return refusal
    if control.state.fired_us is None:
        return "nothing was fired: there is nothing to heal"
    return "it is being healed already" if control.state.heal_us is not None else None


def control_facts(control: Control | None, running: bool) -> dict[str, Any]:
    """What a page shows of it."""
    if control is None:
        return {"available": False, "refusal": NO_CONTROLLER, "phase": None, "died": None, "error": None, "notes": []}
    state = control.state
    available = bool(state.faults) or state.fault is not None
    return {
        "available": available,
        "phase": state.phase,
        "faults": [str(name)[:TEXT_LIMIT] for name in list(state.faults)[:100]],
        "fault": state.fault,
        "armed": state.armed,
        "fired_us": state.fired_us,
        "confirmed_us": state.confirmed_us,
        "heal_us": state.heal_us,
        "healed_us": state.healed_us,
        "error": None if state.error is None else state.error[:TEXT_LIMIT],
        "died": control.died,
        "notes": [str(note)[:TEXT_LIMIT] for note in list(state.notes)[-NOTES_LIMIT:]],
        "refusal": refusal_to_fire(control, running, state.fault or next(iter(state.faults), None))
        if available
        else NO_FAULTS,
        "heal_refusal": refusal_to_heal(control, running),
    }


def _refusal(control: Control | None, running: bool) -> str | None:
    if not running:
        return "no run is on: start the load first"
    if control is None:
        return NO_CONTROLLER
    return f"the drill beside the load has died: {control.died}" if control.died else None
