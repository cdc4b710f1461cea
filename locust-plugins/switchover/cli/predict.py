"""`switchover predict`: predict the outages of a Keepalived pair, or the losses at a reload of a balancer."""

import argparse
import math
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from switchover.cli.faults import window
from switchover.faults.catalogue import CATALOGUE
from switchover.faults.mechanism import Mechanism
from switchover.model.errors import TargetError, UsageError
from switchover.model.redaction import escape_controls
from switchover.predict import haproxy_promise, nginx_promise
from switchover.predict.config_file import HAPROXY, KEEPALIVED, NGINX, kind_of, read_text
from switchover.predict.keepalived import KeepalivedConf, VrrpInstance, read_conf
from switchover.predict.mistakes import Mistake, find_mistakes, find_pair_mistakes, find_problem
from switchover.predict.prediction import Prediction, unknown
from switchover.predict.promise import Fate, Promise, PromisedService, ReloadPromise, settings_of
from switchover.report.screen import print_json, screen_text

WIDTH = 110
Source = tuple[Path, str]
"""A configuration file and its text. The file may be a pipe, so it is read only once."""
Mistakes = Sequence[tuple[str, Mistake]]
NAMES = {KEEPALIVED: "keepalived.conf", HAPROXY: "haproxy.cfg", NGINX: "nginx.conf"}
STYLES = {Fate.KEPT: "green", Fate.CUT: "red", Fate.MAY_BE_LOST: "red", Fate.UNKNOWN: "yellow"}
MANY = 8


class PredictedNode(NamedTuple):
    """A node, its configuration, and the VRRP instance for which the outages are predicted."""

    name: str
    conf: KeepalivedConf
    instance: VrrpInstance


class Window(NamedTuple):
    """The prediction for one fault. `heal`: the prediction for the outage that the heal causes."""

    outage: Prediction
    served_by: str
    heal: Prediction


PARSER = {
    "help": "predict outages from keepalived.conf, or the cost of a reload from haproxy.cfg or nginx.conf",
    "description": "Predict outages and reload losses from copies of configuration files. From keepalived.conf of "
    "both nodes: the predicted outage of each fault, the node that serves during the fault, and configuration "
    "mistakes. From haproxy.cfg or nginx.conf: the connections that a reload keeps, cuts or may lose, and the "
    "configuration line that causes each result.",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    text = "keepalived.conf of each node, or nginx.conf, or haproxy.cfg. Several HAProxy files are one configuration"
    parser.add_argument("conf", nargs="+", type=Path, metavar="CONF", help=text)
    parser.add_argument(
        "--instance", metavar="NAME", help="name of the vrrp_instance (default: the first instance in the first file)"
    )
    text = "config id (keepalived -i) that selects lines such as '@lb1 priority 101'; one option for each node"
    parser.add_argument("--config-id", action="append", default=[], metavar="ID", help=text)
    text = "systemd unit file of HAProxy. This file shows whether HAProxy runs in master-worker mode (-W or -Ws)"
    parser.add_argument("--unit", type=Path, metavar="FILE", help=text)
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")


def run(arguments: argparse.Namespace) -> int:
    sources = [(path, read_text(path)) for path in arguments.conf]
    kind = _kind(sources)
    for option, of, is_set in (
        ("--instance", KEEPALIVED, arguments.instance),
        ("--config-id", KEEPALIVED, arguments.config_id),
        ("--unit", HAPROXY, arguments.unit),
    ):
        if is_set and kind != of:
            raise UsageError(f"{option} is for a {NAMES[of]}; {sources[0][0]} is a {NAMES[kind]}")
    if kind == KEEPALIVED:
        predict_pair(sources, arguments, Console())
    else:
        _predict_reload(kind, sources, arguments, Console())
    return 0


def _kind(sources: Sequence[Source]) -> str:
    kinds: dict[Path, str] = {}
    for path, text in sources:
        kind = kind_of(text)
        if kind is None:
            known = " or ".join(NAMES.values())
            raise UsageError(f"{path} is not a {known}: no line begins with a keyword of these files")
        kinds[path] = kind
    if len(set(kinds.values())) > 1:
        listed = ", ".join(f"{path} is a {NAMES[kind]}" for path, kind in kinds.items())
        raise UsageError(f"predict needs files of only one kind: {listed}")
    kind = kinds[sources[0][0]]
    if kind == NGINX and len(sources) > 1:
        raise UsageError("predict takes only one nginx.conf, because this file includes all other files")
    return kind


def _predict_reload(kind: str, sources: Sequence[Source], arguments: argparse.Namespace, console: Console) -> None:
    if kind == HAPROXY:
        started = None if arguments.unit is None else _starts_master_worker(arguments.unit)
        files = [(str(path), text) for path, text in sources]
        promise = haproxy_promise.promise_of(files, master_worker=started)
    else:
        promise = nginx_promise.promise_of(*sources[0])
    if arguments.json:
        print_json(_reload_json(promise, sources))
        return
    for service in promise.services:
        console.file.write(screen_text(_table(service), console))
    advice = settings_of([fate for service in promise.services for fate in service.promises.values()])
    if advice:
        console.print("Settings that would keep these connections", style="bold")
    for text in advice:
        print_wrapped(console, "  - ", text)
    for note in promise.notes:
        print_wrapped(console, "  note: ", note)


def _starts_master_worker(unit: Path) -> bool:
    starts = re.findall(r"^[ \t]*ExecStart[ \t]*=(.*(?:\\\n.*)*)", read_text(unit, "systemd unit"), re.MULTILINE)
    if not starts:
        raise TargetError(f"{unit} has no ExecStart=, so it is not a unit file of a systemd service")
    return any(word in ("-W", "-Ws") for start in starts for word in start.split())


def _table(service: PromisedService) -> Table:
    names = ", ".join(service.names[:MANY])
    more = f" and {len(service.names) - MANY} more" if len(service.names) > MANY else ""
    table = Table(title=Text(f"A reload and the connections of {names}{more}"))
    table.add_column("load", no_wrap=True)
    table.add_column("a reload", no_wrap=True)
    table.add_column("reason", overflow="fold")
    for kind, promise in service.promises.items():
        fate = Text(promise.text, STYLES.get(promise.fate, "dim"))
        reason = f"{promise.because} [{promise.place}]" if promise.place else promise.because
        table.add_row(kind, fate, Text(reason, overflow="fold"))
    return table


def _reload_json(reload: ReloadPromise, sources: Sequence[Source]) -> dict[str, Any]:
    def shown(promise: Promise) -> dict[str, Any]:
        return {
            "fate": promise.fate.value,
            "cut_after_s": promise.cut_after_s,
            "because": promise.because,
            "place": promise.place,
            "setting": promise.setting or None,
        }

    services = [
        {
            "names": list(service.names),
            "place": service.place,
            "loads": {kind: shown(promise) for kind, promise in service.promises.items()},
        }
        for service in reload.services
    ]
    files = [str(path) for path, _ in sources]
    return {"kind": reload.balancer, "files": files, "services": services, "notes": list(reload.notes)}


def predict_pair(sources: Sequence[Source], arguments: argparse.Namespace, console: Console) -> None:
    nodes = _read_nodes(sources, arguments.config_id, arguments.instance)
    mistakes = [(node.name, mistake) for node in nodes for mistake in find_mistakes(node.conf, node.instance)]
    if len(nodes) > 1:
        both = f"{nodes[0].name}, {nodes[1].name}"
        mistakes += [(both, mistake) for mistake in find_pair_mistakes(nodes[0].instance, nodes[1].instance)]
    voids = (mistake.text for _, mistake in mistakes if mistake.voids_windows)
    problem = find_problem(*(node.instance for node in nodes)) or next(voids, None)
    windows = {name: _window(fault, nodes, problem) for name, fault in CATALOGUE.items()}
    notes = list(_notes(nodes))
    if arguments.json:
        print_json(_pair_json(nodes, mistakes, windows, notes))
        return
    if mistakes:
        console.print("Mistakes", style="bold red")
    for _, mistake in mistakes:
        print_wrapped(console, f"  {mistake.place}: ", f"{mistake.text} [{mistake.code}]")
    console.file.write(screen_text(_faults_table(windows), console))
    if not mistakes:
        console.print(
            "The configurations have no mistakes. ✗ marks a fault with two masters, or with an outage until the heal."
        )
    for note in notes:
        print_wrapped(console, "  note: ", note)


def _read_nodes(sources: Sequence[Source], config_ids: Sequence[str], instance: str | None) -> list[PredictedNode]:
    """Return the nodes, the node with the highest effective priority first. The first node is the master."""
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
    """Return the VRRP instance of `conf` with the same router id as `instance`, otherwise with the same name,
    otherwise the first VRRP instance."""
    key = instance.router_id, instance.is_ipv6
    same_ids = (other for other in conf.instances if (other.router_id, other.is_ipv6) == key)
    same_names = (other for other in conf.instances if other.name == instance.name)
    return next(same_ids, None) or next(same_names, None) or conf.instance()


def _window(fault: Mechanism, nodes: Sequence[PredictedNode], problem: str | None) -> Window:
    master, backup = nodes[0], nodes[1] if len(nodes) > 1 else nodes[0]._replace(name="its peer")
    if problem and fault.kind == "master":
        void = unknown(f"no prediction is possible: {problem}")
        return Window(void, "unknown", void)
    settings = master.instance.settings, backup.instance.settings
    outage, heal = fault.predict(*settings), fault.failback(*settings)
    if fault.name.startswith("haproxy-") and master.conf.balances_itself and not settings[0].checks:
        outage = unknown("Keepalived is the balancer (virtual_server), so there is no balancer process that can fail")
    return Window(outage, _server(fault, outage, master.name, backup.name), heal)


def _server(fault: Mechanism, predicted: Prediction, master: str, backup: str) -> str:
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
    """Return a key that sorts outages without end first, then split brains, then unknown outages, then other outages,
    the longest first."""
    high_s = predicted.high_s if predicted.high_s is not None else math.inf
    return not predicted.for_ever, not predicted.split_brain, predicted.low_s is not None, -high_s


def _pair_json(
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
    """Yield notes about the timers of each node, about settings that were not examined, and about Keepalived's
    version."""
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


def print_wrapped(console: Console, head: str, text: str) -> None:
    """Print a paragraph that begins with `head`. All lines after the first line are indented."""
    width, indent = min(console.width, WIDTH), " " * min(len(head), 4)
    for line in textwrap.wrap(escape_controls(head + text), width, subsequent_indent=indent, break_long_words=False):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
