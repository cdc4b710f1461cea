"""Predict outages from the keepalived.conf files of a pair, and find mistakes in these files."""

import argparse
import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from switchover.cli.faults import window
from switchover.faults.catalogue import CATALOGUE
from switchover.faults.mechanism import Mechanism
from switchover.model.errors import UsageError
from switchover.model.redaction import escape_controls
from switchover.predict.keepalived import KeepalivedConf, VrrpInstance, read_conf
from switchover.predict.mistakes import Mistake, find_mistakes, find_pair_mistakes, find_problem
from switchover.predict.prediction import Prediction, unknown
from switchover.report.screen import print_json, screen_text

WIDTH = 110


Source = tuple[Path, str]
"""A configuration file and its text. The file may be a pipe, so it is read only once."""


@dataclass(frozen=True, slots=True)
class PredictedNode:
    """A node, its configuration, and the VRRP instance for which the outages are predicted."""

    name: str
    conf: KeepalivedConf
    instance: VrrpInstance


@dataclass(frozen=True, slots=True)
class Window:
    """The prediction for one fault. `heal`: the second outage, which the heal causes."""

    outage: Prediction
    served_by: str
    heal: Prediction


Mistakes = Sequence[tuple[str, Mistake]]


def predict_pair(sources: Sequence[Source], arguments: argparse.Namespace, console: Console) -> None:
    """Print the predicted outages of a pair, and the mistakes in its configurations."""
    nodes = _read_nodes(sources, arguments.config_id, arguments.instance)
    mistakes = list(_mistakes(nodes))
    voids = (mistake.text for _, mistake in mistakes if mistake.voids_windows)
    problem = find_problem(*(node.instance for node in nodes)) or next(voids, None)
    windows = {name: _window(fault, nodes, problem) for name, fault in CATALOGUE.items()}
    notes = list(_notes(nodes))
    if arguments.json:
        print_json(_as_json(nodes, mistakes, windows, notes))
        return
    if mistakes:
        console.print("Mistakes", style="bold red")
    for name, mistake in mistakes:
        print_wrapped(console, f"  {name}: ", f"{mistake.text} [{mistake.code}; {mistake.place}]")
    print_table(console, _faults_table(windows))
    if not mistakes:
        console.print(
            "No mistakes in the configurations; ✗ marks a fault that causes two masters, or an outage until the heal."
        )
    for note in notes:
        print_wrapped(console, "  note: ", note)


def _read_nodes(sources: Sequence[Source], config_ids: Sequence[str], instance: str | None) -> list[PredictedNode]:
    """Return the nodes by descending effective priority. The first node is the master."""
    if len(sources) == 1 and config_ids:
        sources = [*sources] * len(config_ids)
    if len(sources) > 2:
        raise UsageError(f"predict takes keepalived.conf of one or two nodes, not of {len(sources)}")
    if config_ids and len(config_ids) != len(sources):
        raise UsageError("write one --config-id for each node, in the order of the files")
    ids: list[str | None] = [*config_ids] or [None] * len(sources)
    confs = [read_conf(path, text, config_id) for (path, text), config_id in zip(sources, ids, strict=True)]
    first = confs[0].instance(instance)
    stems = [path.stem for path, _ in sources]
    distinct = stems if len(set(stems)) == len(stems) else [str(path) for path, _ in sources]
    instances = [first, *(_same(conf, first) for conf in confs[1:])]
    nodes = [PredictedNode(*parts) for parts in zip(config_ids or distinct, confs, instances, strict=True)]
    return sorted(nodes, key=lambda node: -node.instance.settings.effective_priority)


def _same(conf: KeepalivedConf, instance: VrrpInstance) -> VrrpInstance:
    """Return the instance with the same router id, otherwise the instance with the same name, otherwise the first
    instance."""
    key = instance.router_id, instance.is_ipv6
    same_ids = (other for other in conf.instances if (other.router_id, other.is_ipv6) == key)
    same_names = (other for other in conf.instances if other.name == instance.name)
    return next(same_ids, None) or next(same_names, None) or conf.instance()


def _mistakes(nodes: Sequence[PredictedNode]) -> Iterator[tuple[str, Mistake]]:
    """Yield each mistake, with the names of the nodes that have it."""
    for node in nodes:
        yield from ((node.name, mistake) for mistake in find_mistakes(node.conf, node.instance))
    if len(nodes) > 1:
        for mistake in find_pair_mistakes(nodes[0].instance, nodes[1].instance):
            yield f"{nodes[0].name}, {nodes[1].name}", mistake


def _window(fault: Mechanism, nodes: Sequence[PredictedNode], problem: str | None) -> Window:
    master, backup = nodes[0], nodes[1] if len(nodes) > 1 else replace(nodes[0], name="its peer")
    if problem and fault.kind == "master":
        void = unknown(f"no prediction is possible: {problem}")
        return Window(void, "unknown", void)
    settings = master.instance.settings, backup.instance.settings
    outage, heal = fault.predict(*settings), fault.failback(*settings)
    if fault.name.startswith("haproxy-") and master.conf.balances_itself and not settings[0].checks:
        outage = unknown("Keepalived is the balancer (virtual_server), so there is no balancer process that can fail")
    return Window(outage, _server(fault, outage, master.name, backup.name), heal)


def _server(fault: Mechanism, predicted: Prediction, master: str, backup: str) -> str:
    """Return the node that serves after the outage."""
    if fault.kind != "master":
        return master
    if predicted.low_s is None:
        return "unknown"
    if predicted.for_ever:
        return "none until the heal"
    if predicted.split_brain:
        return f"{master} and {backup}"
    return backup if predicted.moves else master


def _faults_table(windows: Mapping[str, Window]) -> Table:
    """Return the table of faults, the worst fault first."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for title in ("", "If this happens", "Outage", "Served by", "Failback"):
        table.add_column(title, no_wrap=title != "Served by", overflow="fold")
    for name, predicted in sorted(windows.items(), key=lambda item: _severity(item[1].outage)):
        is_bad = predicted.outage.for_ever or predicted.outage.split_brain
        served_by = "no node" if predicted.outage.for_ever else predicted.served_by
        cells = (name, window(predicted.outage), served_by, window(predicted.heal))
        table.add_row(Text("✗" if is_bad else "", style="bold red"), *map(Text, cells))
    return table


def _severity(predicted: Prediction) -> tuple[bool, bool, bool, float]:
    """Return a sort key: first outages without end, then split brains, then unknown outages, then the longest."""
    high_s = predicted.high_s if predicted.high_s is not None else math.inf
    return not predicted.for_ever, not predicted.split_brain, predicted.low_s is not None, -high_s


def _as_json(
    nodes: Sequence[PredictedNode], mistakes: Mistakes, windows: Mapping[str, Window], notes: Sequence[str]
) -> dict[str, object]:
    def shown(prediction: Prediction) -> dict[str, object]:
        return {name: getattr(prediction, name) for name in ("low_s", "high_s", "for_ever", "split_brain")}

    return {
        "kind": "keepalived",
        "nodes": [
            {
                "node": node.name,
                "instance": node.instance.name,
                "priority": node.instance.settings.effective_priority,
                "master_down_interval_s": node.instance.settings.master_down_interval_s,
            }
            for node in nodes
        ],
        "mistakes": [
            {"node": name, "code": mistake.code, "place": mistake.place, "text": mistake.text}
            for name, mistake in mistakes
        ],
        "notes": notes,
        "faults": {
            name: shown(predicted.outage)
            | {"served_by": predicted.served_by, "reason": predicted.outage.reason, "heal": shown(predicted.heal)}
            for name, predicted in windows.items()
        },
    }


def _notes(nodes: Sequence[PredictedNode]) -> Iterator[str]:
    """Yield notes on the timers of each node, on parts that were not examined, and on versions of Keepalived."""
    for node in nodes:
        settings = node.instance.settings
        yield (
            f"{node.name}: instance {node.instance.name}, effective priority {settings.effective_priority}, "
            f"master down interval {settings.master_down_interval_s:.3f} s"
        )
        for line in node.conf.not_included:
            yield f"{line} matches no file. Copy the file to this path"
        checks = settings.checks
        if any(seconds % 1 for check in checks for seconds in (check.interval_s, check.timeout_s)):
            yield f"{node.name} has a check with fractions of a second: Keepalived before 2.3.2 uses whole seconds"
        if node.instance.sync_group:
            yield f"{node.name} is in the sync group {node.instance.sync_group}: no outage can be predicted"
        if node.conf.balances_itself:
            yield f"{node.name} balances with virtual_server (LVS), which is not examined"
        names = [instance.name for instance in node.conf.instances if instance is not node.instance]
        if names:
            listed = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
            yield f"{node.name} has other instances: {listed}. Select an instance with --instance"
    if any(not node.instance.settings.preempt for node in nodes):
        yield "nopreempt: the first master stays master. The prediction assumes that it has the higher priority"


def print_table(console: Console, table: Table) -> None:
    console.file.write(screen_text(table, console))


def print_wrapped(console: Console, head: str, text: str) -> None:
    """Print a paragraph that begins with `head`. All lines after the first line are indented."""
    width, indent = min(console.width, WIDTH), " " * min(len(head), 4)
    for line in textwrap.wrap(escape_controls(head + text), width, subsequent_indent=indent, break_long_words=False):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
