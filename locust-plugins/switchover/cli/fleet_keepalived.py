"""What of a pair's Keepalived is not as in its last drill, or not on its nodes as the target file has it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from switchover.analysis.history.entry import Entry
from switchover.analysis.history.history import time_text
from switchover.faults.keepalived.nodes import read_copy
from switchover.faults.keepalived.settings_facts import Facts, changes_since, keepalived_facts, settings_facts
from switchover.faults.recorded_prediction import kept_keepalived
from switchover.model.errors import SwitchoverError
from switchover.rundir.run_directory import read_run
from switchover.target.model import Target
from switchover.target.telemetry_sources import Command
from switchover.telemetry.fetch import fetch

TIMEOUT_S = 15.0
"""For a command that shows a configuration: a first connection of ssh may take seconds."""


@dataclass(frozen=True, slots=True)
class KeepalivedLook:
    changed: list[str]
    """A line for each setting."""
    unread: list[str]
    """A line for each node whose configuration could not be shown."""


def look_at_keepalived(target: Target, command: Sequence[str], runs: Iterable[tuple[Path, Entry]]) -> KeepalivedLook:
    """`command` shows the configuration of `{node}`; empty: only the target file is known. `runs`: the pair's, the
    latest first."""
    in_file = keepalived_facts(target)
    on_nodes, unread = _facts_on_nodes(target, command) if command else ({}, [])
    changed = [
        f"{change.setting} is {change.was} in the target file, {change.now} on the node"
        for change in changes_since(in_file, on_nodes)
    ]
    return KeepalivedLook([*changed, *_since_last_run(on_nodes or in_file, runs)], unread)


def _since_last_run(now: Mapping[str, Facts], runs: Iterable[tuple[Path, Entry]]) -> Iterator[str]:
    """By the latest run that kept the settings."""
    for directory, entry in runs:
        with suppress(SwitchoverError):
            kept = _kept(directory)
            if kept:
                since = f"since the run of {time_text(entry.start_us)}"
                for change in changes_since(kept, now):
                    yield f"{change.setting} was {change.was}, is {change.now} {since}"
                return


def _kept(directory: Path) -> Mapping[str, Facts]:
    """Nothing where a run kept none. SwitchoverError where it cannot be read."""
    run = read_run(directory)
    facts = run.target.written.get("keepalived")
    if isinstance(facts, dict):
        return {name: one for name, one in facts.items() if isinstance(one, dict)}
    return {name: settings_facts(found) for name, found in kept_keepalived(run, directory).items() if found.settings}


def _facts_on_nodes(target: Target, command: Sequence[str]) -> tuple[dict[str, Facts], list[str]]:
    found: dict[str, Facts] = {}
    unread = []
    for node in target.balancers:
        words = tuple(word.replace("{node}", node.name) for word in command)
        try:
            text = fetch(Command(words, target.variables), timeout_s=TIMEOUT_S).decode("utf-8", "replace")
            shown = read_copy(Path(f"the configuration of {node.name}"), node.name, target.endpoint.host, text)
            found[node.name] = settings_facts(shown)
        except SwitchoverError as error:
            unread.append(f"{node.name} --conf: {error}")
    return found, unread
