"""What comes of a run in the end: the exit code, and the last lines on the screen."""

import contextlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from switchover.drill.remote import Finished
from switchover.locust.options import Options
from switchover.rundir.run_directory import PAGE_FILE

UNDONE = 2
"""Not trusted, or not done."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of one run."""

    directory: Path | None
    """None: it did not begin."""
    finished: Finished | None
    error: str | None
    options: Options | None
    """None: what was said cannot be read."""

    @property
    def refused(self) -> bool:
        return self.directory is None

    @property
    def code(self) -> int | None:
        """What the run says about the exit code; None leaves it to Locust.

        Who asks for a verdict, by a budget or a fault, gets it. A target alone only ever makes it worse: what does
        not add up there is said, but Locust's own 1 for failed requests stands.
        """
        options = self.options
        if options is None or (self.refused and options.ask_for_anything):
            return UNDONE
        if self.finished is None:
            return UNDONE if self.error and (options.ask_for_a_verdict or options.target) else None
        if options.ask_for_a_verdict:
            return self.finished.exit_code
        return self.finished.exit_code or None if options.target else None


def exit_code(known: int | None, codes: Sequence[int | None]) -> int | None:
    """The worst of all runs. What somebody else has set stands, unless ours is worse news."""
    ours = max((code for code in codes if code is not None), default=None)
    if ours is None or (known and not ours):
        return known
    return ours


def print_outcome(outcome: Outcome, *, as_json: bool) -> None:
    """The summary; the last line says where everything is. `as_json`: standard output is for Locust's JSON alone."""
    stream = sys.stderr if as_json else sys.stdout
    lines = []
    if outcome.error:
        lines.append(f"Switchover: {outcome.error}")
    if outcome.finished is not None:
        lines.append(outcome.finished.summary.rstrip("\n"))
    if outcome.directory is not None:
        page = outcome.directory / PAGE_FILE
        lines.append(f"Report: {page}" if page.exists() else f"Recorded: {outcome.directory}")
    with contextlib.suppress(BrokenPipeError):
        print("\n".join(lines), file=stream, flush=True)
