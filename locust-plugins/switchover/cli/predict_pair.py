"""What the keepalived.conf files of a pair promise, and where they break their promise."""

import argparse
import json
import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from switchover.cli.faults import window
from switchover.faults.catalogue import CATALOGUE
from switchover.faults.mechanism import Mechanism
from switchover.model.errors import UsageError
from switchover.model.redaction import escape_controls
from switchover.model.vrrp import CheckScript
from switchover.predict.keepalived import KeepalivedConf, VrrpInstance, read_conf
from switchover.predict.mistakes import Mistake, find_mistakes, find_pair_mistakes
from switchover.predict.prediction import Prediction, unknown
from switchover.predict.supervisor import find_supervisor_mistake, read_restart_delay, under_supervisor
from switchover.report.screen import screen_text

WIDTH = 110


@dataclass(frozen=True, slots=True)
class Source:
    """A configuration and its text, read once: it may be a pipe."""

    path: Path
    text: str


@dataclass(frozen=True, slots=True)
class PredictedNode:
    """One node: its file, and the instance that is looked at."""

    name: str
    conf: KeepalivedConf
    instance: VrrpInstance


def predict_pair(sources: Sequence[Source], arguments: argparse.Namespace, console: Console) -> None:
    """The windows of a pair, and its mistakes."""
    nodes = _read_nodes(sources, arguments.config_id, arguments.instance)
    restart_s = read_restart_delay(arguments.unit) if arguments.unit else None
    mistakes = _mistakes(nodes, restart_s)
    master, backup = nodes[0], nodes[1] if len(nodes) > 1 else replace(nodes[0], name="its peer")
    problem = next((mistake.text for _, mistake in mistakes if mistake.voids_windows), None)
    windows = _windows(master, backup, problem, restart_s)
    if arguments.json:
        print(json.dumps(_as_json(nodes, mistakes, windows), indent=2))
        return
    if mistakes:
        _print_mistakes(console, mistakes)
    print_table(console, _faults_table(windows))
    if not mistakes:
        console.print("No mistakes found.")
    for note in _notes(nodes):
        print_wrapped(console, "  note: ", note)
    print_table(console, _nodes_table(nodes))
    if arguments.why:
        for name, found in windows.items():
            print_wrapped(console, f"{name}: ", found.outage.reason.removeprefix("for ever: "))


def _read_nodes(sources: Sequence[Source], config_ids: Sequence[str], instance: str | None) -> list[PredictedNode]:
    """The nodes, the highest effective priority first: that is the master."""
    if len(sources) == 1 and config_ids:
        sources = [*sources] * len(config_ids)
    if config_ids and len(config_ids) != len(sources):
        raise UsageError(
            f"{len(sources)} files, but {len(config_ids)} --config-id: give one for each node, in their order"
        )
    ids: list[str | None] = [*config_ids] or [None] * len(sources)
    confs = [read_conf(source.path, config_id, source.text) for source, config_id in zip(sources, ids, strict=True)]
    first = confs[0].instance(instance)
    names = config_ids or _short_names([source.path for source in sources])
    nodes = [PredictedNode(names[0], confs[0], first)]
    nodes += [PredictedNode(name, conf, _same(conf, first)) for name, conf in zip(names[1:], confs[1:], strict=True)]
    return sorted(nodes, key=lambda node: -node.instance.settings.effective_priority)


def _short_names(paths: Sequence[Path]) -> list[str]:
    """As little of each path as tells the nodes apart."""
    choices = ([path.stem for path in paths], [path.absolute().parent.name for path in paths], [*map(str, paths)])
    for names in choices:
        if len(set(names)) == len(names) and all(names):
            return names
    return [f"{path} ({number})" for number, path in enumerate(paths, start=1)]


def _same(conf: KeepalivedConf, instance: VrrpInstance) -> VrrpInstance:
    """The other node's side of an instance: by its router id, else by its name, else the first."""
    for found in conf.instances:
        if (found.router_id, found.is_ipv6) == (instance.router_id, instance.is_ipv6):
            return found
    named = [found for found in conf.instances if found.name == instance.name]
    return named[0] if named else conf.instance()


def _mistakes(nodes: Sequence[PredictedNode], restart_s: float | None) -> list[tuple[str, Mistake]]:
    """Each with the name of its node, or of both."""
    found = [(node.name, mistake) for node in nodes for mistake in find_mistakes(node.conf, node.instance)]
    for other in nodes[1:]:
        pair = find_pair_mistakes(nodes[0].instance, other.instance)
        found += [(f"{nodes[0].name}, {other.name}", mistake) for mistake in pair]
    if restart_s is not None:
        supervised = [(node.name, find_supervisor_mistake(node.instance, restart_s)) for node in nodes]
        found += [(name, mistake) for name, mistake in supervised if mistake]
    return found


def _predict(
    fault: Mechanism, master: PredictedNode, backup: PredictedNode, problem: str | None, restart_s: float | None
) -> Prediction:
    if problem and fault.kind == "master":
        return unknown(f"no window holds: {problem}")
    if fault.name.startswith("haproxy-") and master.conf.balances_itself and not master.instance.settings.checks:
        return unknown("Keepalived balances itself (virtual_server): there is no balancer process that could die")
    predicted = fault.predict(master.instance.settings, backup.instance.settings)
    if restart_s is not None and fault.name == "haproxy-kill" and predicted.low_s is not None:
        return under_supervisor(predicted, master.instance, restart_s)
    return predicted


@dataclass(frozen=True, slots=True)
class Window:
    """What one fault means: without service, who serves then, and what the heal costs."""

    outage: Prediction
    served_by: str
    heal: Prediction


def _windows(
    master: PredictedNode, backup: PredictedNode, problem: str | None, restart_s: float | None
) -> dict[str, Window]:
    found = {}
    for name, fault in CATALOGUE.items():
        predicted = _predict(fault, master, backup, problem, restart_s)
        back = (
            predicted
            if problem and fault.kind == "master"
            else fault.failback(master.instance.settings, backup.instance.settings)
        )
        found[name] = Window(predicted, _server(fault, predicted, master.name, backup.name), back)
    return found


def _faults_table(windows: Mapping[str, Window]) -> Table:
    """The worst first."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for title in ("", "If this happens", "Outage", "Served by", "Failback"):
        table.add_column(title, no_wrap=title != "Served by", overflow="fold")
    for name, found in sorted(windows.items(), key=lambda one: _severity(one[1].outage)):
        is_bad = found.outage.for_ever or found.outage.split_brain
        served_by = "no node" if found.outage.for_ever else found.served_by
        cells = (name, window(found.outage), served_by, window(found.heal))
        table.add_row(Text("✗" if is_bad else "", style="bold red"), *map(Text, cells))
    return table


def _severity(predicted: Prediction) -> tuple[bool, bool, bool, float]:
    """The sort key of a prediction: no end before the heal, then a split brain, then unknown, then the longest."""
    high_s = predicted.high_s if predicted.high_s is not None else math.inf
    return not predicted.for_ever, not predicted.split_brain, predicted.low_s is not None, -high_s


def _as_json(
    nodes: Sequence[PredictedNode], mistakes: Sequence[tuple[str, Mistake]], windows: Mapping[str, Window]
) -> dict[str, Any]:
    return {
        "kind": "keepalived",
        "nodes": [_facts(node) for node in nodes],
        "mistakes": [
            {"node": name, "code": mistake.code, "place": mistake.place, "text": mistake.text}
            for name, mistake in mistakes
        ],
        "notes": list(_notes(nodes)),
        "faults": {
            name: _window_as_json(found.outage)
            | {"served_by": found.served_by, "reason": found.outage.reason, "heal": _window_as_json(found.heal)}
            for name, found in windows.items()
        },
    }


def _window_as_json(found: Prediction) -> dict[str, Any]:
    return {
        "low_s": found.low_s,
        "high_s": found.high_s,
        "for_ever": found.for_ever,
        "split_brain": found.split_brain,
    }


def _server(fault: Mechanism, predicted: Prediction, master: str, backup: str) -> str:
    """Who serves once the window is over."""
    if fault.kind != "master":
        return master
    if predicted.low_s is None:
        return "unknown"
    if predicted.for_ever:
        return "none until the heal"
    if predicted.split_brain:
        return f"{master} and {backup}"
    return backup if predicted.moves else master


def _nodes_table(nodes: Sequence[PredictedNode]) -> Table:
    titles = ["master", "backup", *(f"backup {number}" for number in range(2, len(nodes)))][: len(nodes)]
    table = Table("", *(Column(title, overflow="fold") for title in titles), title="The nodes")
    facts = [_facts(node) for node in nodes]
    for row in facts[0]:
        table.add_row(row, *(Text(of_node[row]) for of_node in facts))
    if len(nodes) == 1:
        table.caption = "No other file: it is taken for both nodes."
    return table


def _facts(node: PredictedNode) -> dict[str, str]:
    instance, settings = node.instance, node.instance.settings
    delay = f", delay {settings.preempt_delay_s:g} s" if settings.preempt_delay_s else ""
    group = f", in sync group {instance.sync_group}" if instance.sync_group else ""
    rfc = "RFC 3768" if settings.version == 2 else "RFC 9568"
    effective = settings.effective_priority
    base = "" if effective == settings.priority else f" ({settings.priority} configured)"
    return {
        "node": node.name,
        "instance": instance.name + group,
        "router id": str(instance.router_id or "missing"),
        "address": ", ".join(instance.addresses) or "none",
        "priority": f"{effective}{base}",
        "VRRP": f"v{settings.version} ({rfc}){', unicast' if settings.unicast else ''}",
        "advert": f"{settings.advert_int_s:g} s",
        "skew": f"{settings.skew_s:.3f} s",
        "down after": f"{settings.master_down_interval_s:.3f} s",
        "preempt": ("yes" if settings.preempt else "no") + delay,
        "checks": "\n".join(_check_text(t.name, t.check) for t in instance.balancer_trackers) or "none",
    }


def _check_text(name: str, check: CheckScript) -> str:
    weight = "FAULT" if check.weight == 0 else f"weight {check.weight:+d}"
    if not check.interval_s:
        return f"{name}: reported by the kernel, {weight}"
    return f"{name}: by {check.by}, every {check.interval_s:g} s, fall {check.fall}, {weight}"


def _print_mistakes(console: Console, mistakes: Sequence[tuple[str, Mistake]]) -> None:
    console.print("Mistakes", style="bold red")
    for name, mistake in mistakes:
        print_wrapped(console, f"  {name}: ", f"{mistake.text} [{mistake.code}; {mistake.place}]")


def _notes(nodes: Sequence[PredictedNode]) -> Iterator[str]:
    """What Keepalived ignores or changes, and what of the files was not looked at."""
    for node in nodes:
        yield from (*node.conf.remarks, *node.instance.remarks)
        if node.conf.balances_itself:
            yield f"{node.name} balances by virtual_server (LVS), which is not looked at"
        others = [instance.name for instance in node.conf.instances if instance is not node.instance]
        if others:
            listed = ", ".join(others[:8]) + (f" and {len(others) - 8} more" if len(others) > 8 else "")
            yield f"{node.name} has other instances: {listed}. Look at one by --instance"
    if any(not node.instance.settings.preempt for node in nodes):
        yield (
            "with nopreempt the node that came first stays the master; the windows take the one with the higher "
            "priority"
        )


def print_table(console: Console, table: Table) -> None:
    """Without the effect of control characters that a configuration holds."""
    console.file.write(screen_text(table, console))


def print_wrapped(console: Console, head: str, text: str) -> None:
    """One paragraph: `head` at its beginning, and further lines set in."""
    indent = " " * min(len(head), 4)
    for line in textwrap.wrap(
        escape_controls(head + text),
        min(console.width, WIDTH),
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    ):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
