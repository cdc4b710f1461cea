"""The output of a run: settings, command line without secrets, progress, result and exit code."""

import contextlib
import platform
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from locust import argument_parser
from locust.env import Environment

from switchover.drill.remote import ControllerState, Finished
from switchover.locust.clients.timeouts import client_facts
from switchover.locust.options import NOTHING_CHOSEN, Options
from switchover.model.redaction import HIDDEN, public_text, public_url
from switchover.rundir.run_directory import PAGE_FILE

PACKAGES = ("locust", "gevent", "requests", "urllib3", "geventhttpclient")


def host_of(environment: Environment) -> str | None:
    hosts = [environment.host, *(user_class.host for user_class in environment.user_classes)]
    return next((str(host) for host in hosts if host), None)


def load_settings(environment: Environment) -> dict[str, Any]:
    runner, typed = environment.runner, environment.parsed_options
    host = host_of(environment)
    return {
        "users": runner.target_user_count if runner else None,
        "spawn_rate": getattr(typed, "spawn_rate", None),
        "run_time_s": getattr(typed, "run_time", None),
        "stop_timeout_s": environment.stop_timeout,
        "shape": type(environment.shape_class).__name__ if environment.shape_class else None,
        "host": host and public_url(host),
        "plan": [Path(name).name for name in environment.parsed_locustfiles or []],
        "user_classes": [user_class.__name__ for user_class in environment.user_classes],
        "clients": client_facts(environment.user_classes),
        "versions": {"python": platform.python_version(), **{package: version(package) for package in PACKAGES}},
    }


def command_line() -> tuple[str, ...]:
    parser = argument_parser.get_empty_argument_parser()
    argument_parser.setup_parser_arguments(parser)
    return public_words(sys.argv, parser._option_string_actions)


OURS = NOTHING_CHOSEN.prefix
UNDONE = 2


class ProgressLines:
    """Returns the progress lines that are new since the previous state of the controller: notes, and changes of the
    VIP owner."""

    def __init__(self) -> None:
        self._holders: list[str] = []
        self._notes: set[str] = set()

    def new_lines(self, state: ControllerState) -> list[str]:
        lines = [note for note in state.notes if note not in self._notes]
        self._notes.update(lines)
        holders, self._holders = self._holders, state.holders
        return lines if state.holders == holders else [*lines, _holding(state.holders)]


def _holding(holders: Sequence[str]) -> str:
    if len(holders) > 1:
        return f"SPLIT BRAIN: {' and '.join(holders)} hold the address"
    return f"{holders[0]} holds the address" if holders else "no node is known to hold the address"


@dataclass(frozen=True, slots=True)
class RunResult:
    directory: Path | None
    finished: Finished | None
    error: str | None
    options: Options

    @property
    def refused(self) -> bool:
        return self.directory is None

    @property
    def code(self) -> int | None:
        """The exit code of the run. None: Locust determines the exit code.

        In a run with a limit or a fault, the verdict determines the exit code. Otherwise, only an invalid run has an
        exit code.
        """
        options = self.options
        if self.refused and options.ask_for_anything:
            return UNDONE
        if self.finished is None:
            return UNDONE if self.error and (options.ask_for_a_verdict or options.drill.target) else None
        return self.finished.exit_code if options.ask_for_a_verdict else self.finished.exit_code or None


def exit_code(locusts: int | None, codes: Sequence[int | None]) -> int | None:
    """Return the worst exit code of all runs, or `locusts` (Locust's exit code) if all runs are good."""
    ours = max((code for code in codes if code is not None), default=None)
    return locusts if ours is None or (locusts and not ours) else ours


def print_result(result: RunResult, *, as_json: bool) -> None:
    """Print the summary. `as_json`: print to stderr, because stdout contains Locust's JSON."""
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
    """Return the command line without secrets. `known`: the options whose values are not secret.

    Values of options that the locustfile defines are hidden, because a value may be a password.
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
