"""Output of a run: its command line without secrets, lines while it goes on, its exit code and end."""

import contextlib
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from switchover.drill.remote import ControllerState, Finished
from switchover.locust.options import Options
from switchover.model.redaction import HIDDEN, public_text
from switchover.rundir.run_directory import PAGE_FILE

OURS = "--switchover-"
EVERY_S = 30.0
"""Seconds between two lines of progress."""
UNDONE = 2
"""Exit code of a run that is invalid or was not done."""


class ProgressLines:
    """Makes the lines that are new with each state of the controller. Times in seconds on any clock."""

    def __init__(self, began_s: float, *, with_progress: bool) -> None:
        """`with_progress`: without a web page, where nothing else shows how far the run is."""
        self._began_s = began_s
        self._next_s = began_s + EVERY_S if with_progress else float("inf")
        self._before = ControllerState()
        self._notes: set[str] = set()

    def lines(self, state: ControllerState, count_samples: Callable[[], int], now_s: float) -> list[str]:
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

    def _progress(self, state: ControllerState, samples: int, now_s: float) -> str:
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


@dataclass(frozen=True, slots=True)
class RunResult:
    directory: Path | None
    """None: it did not begin."""
    finished: Finished | None
    error: str | None
    options: Options | None
    """None: they cannot be read."""

    @property
    def refused(self) -> bool:
        return self.directory is None

    @property
    def code(self) -> int | None:
        """The run's exit code; None leaves it to Locust.

        With a limit or a fault it is the verdict's. Without, it can only get worse: an invalid run sets it, a good
        one leaves Locust's own 1 for failed requests.
        """
        options = self.options
        if options is None or (self.refused and options.ask_for_anything):
            return UNDONE
        if self.finished is None:
            return UNDONE if self.error and (options.ask_for_a_verdict or options.drill.target) else None
        return self.finished.exit_code if options.ask_for_a_verdict else self.finished.exit_code or None


def exit_code(known: int | None, codes: Sequence[int | None]) -> int | None:
    """The worst exit code of all runs; `known` stays where ours is no worse."""
    ours = max((code for code in codes if code is not None), default=None)
    if ours is None or (known and not ours):
        return known
    return ours


def print_result(result: RunResult, *, as_json: bool) -> None:
    """Print the summary; the last line names the report. `as_json`: to stderr, because stdout has Locust's JSON."""
    stream = sys.stderr if as_json else sys.stdout
    lines = []
    if result.error:
        lines.append(f"Switchover: {result.error}")
    if result.finished is not None:
        lines.append(result.finished.summary.rstrip("\n"))
    if result.directory is not None:
        page = result.directory / PAGE_FILE
        lines.append(f"  Report      {page}" if page.exists() else f"  Recorded    {result.directory}")
    with contextlib.suppress(BrokenPipeError):
        print("\n".join(lines), file=stream, flush=True)


def public_words(words: Sequence[str], known: Collection[str]) -> tuple[str, ...]:
    """The command line; `known` are the options whose values are no secret.

    The values of the locustfile's own options are hidden, because one of them may be a password. URLs are shown
    without credentials and query values.
    """
    shown = [Path(words[0]).name] if words else []
    hide_next = False
    for word in words[1:]:
        if not word.startswith("-") or word == "-":
            shown.append(HIDDEN if hide_next else _public(word))
            hide_next = False
            continue
        name, equals, value = word.partition("=")
        is_known = name in known or name.startswith(OURS) or (name[:2] in known and not name.startswith("--"))
        shown.append(name + equals + (_public(value) if is_known else HIDDEN if equals else ""))
        hide_next = not is_known and not equals
    return tuple(shown)


def _public(text: str) -> str:
    return public_text(text) if "://" in text else text
