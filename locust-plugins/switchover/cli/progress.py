"""Progress of a drill on stderr: on a terminal, one line that is updated; otherwise, one line for each phase."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from switchover.prober import ProberProgress


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Stop printing. Rich's default method would end the program."""
        self.quiet = True


class Progress:
    """A `DrillObserver` that prints the progress of a drill. Its methods never raise, because a closed terminal must
    not end a drill."""

    def __init__(self) -> None:
        self._console = _Console(stderr=True)
        self._live: Live | None = None
        self._phase = ""

    def __enter__(self) -> "Progress":
        if self._console.is_terminal:
            self._live = Live(console=self._console, transient=True, redirect_stdout=False)
            with self._no_errors():
                self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            with self._no_errors():
                self._live.stop()
            self._live = None

    def phase(self, name: str, seconds: float) -> None:
        if not seconds:
            return
        self._phase = name
        with self._no_errors():
            self._console.print(Text(f"{name:<13}{seconds:>5.1f} s", style="bold"), highlight=False)

    def tick(self, left_s: float, probes: ProberProgress | None, holders: frozenset[str]) -> None:
        if self._live is None:
            return
        line = f"{self._phase}: {left_s:4.1f} s left"
        if probes is not None:
            line += f" · {probes.sent:,} probes, {probes.failed:,} failed"
            if probes.failed and probes.last_error:
                line += f" ({probes.last_error})"
        if holders:
            line += f" · VIP on {' and '.join(sorted(holders))}"
        with self._no_errors():
            self._live.update(Spinner("dots", Text(line, style="red" if len(holders) > 1 else "")))

    def note(self, text: str) -> None:
        with self._no_errors():
            self._console.print(Text(text), highlight=False)

    @contextmanager
    def _no_errors(self) -> Iterator[None]:
        """Suppress an error that the block raises while it prints. After the first error, nothing more is printed."""
        try:
            yield
        except Exception:
            self._console.quiet = True
