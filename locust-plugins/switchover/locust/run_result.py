"""The result of a run: the exit code, and the last lines on the screen."""

import contextlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from switchover.drill.remote import Finished
from switchover.locust.options import Options
from switchover.rundir.run_directory import PAGE_FILE

UNDONE = 2
"""Exit code of a run that is not trusted or was not done."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of one run."""

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

        With a budget or a fault it is the verdict's. Without, it can only get worse: an untrusted run sets it, a good
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
        lines.append(f"Report: {page}" if page.exists() else f"Recorded: {result.directory}")
    with contextlib.suppress(BrokenPipeError):
        print("\n".join(lines), file=stream, flush=True)
