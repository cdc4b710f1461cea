"""Lines for Locust's log while a run goes on: what was fired, confirmed and healed, and how far it is."""

from collections.abc import Callable, Sequence

from switchover.drill.remote import ConductorState

EVERY_S = 30.0
"""Seconds between two lines of progress."""


class ProgressLines:
    """Makes the lines that are new with each state of the conductor. Times in seconds on any clock."""

    def __init__(self, began_s: float, *, with_progress: bool) -> None:
        """`with_progress`: without a web page, where nothing else shows how far the run is."""
        self._began_s = began_s
        self._next_s = began_s + EVERY_S if with_progress else float("inf")
        self._before = ConductorState()
        self._notes: set[str] = set()

    def lines(self, state: ConductorState, count_samples: Callable[[], int], now_s: float) -> list[str]:
        """The new lines. `count_samples`: the requests that were recorded so far; called only when it is needed."""
        before, self._before = self._before, state
        found = [note for note in state.notes if note not in self._notes]
        self._notes.update(found)
        fault = state.fault or "the fault"
        if state.confirmed_us is not None and before.confirmed_us is None:
            found.append(f"{fault} is confirmed{_after(state.fired_us, state.confirmed_us)}")
        if state.holders != before.holders and (state.holders or before.holders):
            found.append(_holding(state.holders))
        if state.heal_us is not None and before.heal_us is None:
            found.append(f"healing {fault}")
        if state.healed_us is not None and before.healed_us is None:
            found.append(f"{fault} is healed{_after(state.heal_us, state.healed_us)}")
        if now_s >= self._next_s:
            self._next_s += EVERY_S
            found.append(self._progress(state, count_samples(), now_s))
        return found

    def _progress(self, state: ConductorState, samples: int, now_s: float) -> str:
        parts = [f"{now_s - self._began_s:.0f} s, {state.phase}: {samples:,} requests"]
        if state.probes is not None:
            parts.append(f"{state.probes['sent']:,} probes, {state.probes['failed']:,} failed")
        if state.holders:
            parts.append(_holding(state.holders))
        return "; ".join(parts)


def _holding(holders: Sequence[str]) -> str:
    if len(holders) > 1:
        return f"SPLIT BRAIN: {' and '.join(holders)} hold the address"
    return f"{holders[0]} holds the address" if holders else "no node is known to hold the address"


def _after(from_us: int | None, to_us: int) -> str:
    return "" if from_us is None else f" after {max(0, to_us - from_us) / 1e6:.1f} s"
