"""`switchover predict`: predict the outages of a Keepalived pair, or the losses at a reload of a balancer."""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from switchover.cli.predict_pair import Source, predict_pair, print_table, print_wrapped
from switchover.model.errors import TargetError, UsageError
from switchover.predict import haproxy_promise, nginx_promise
from switchover.predict.config_file import HAPROXY, KEEPALIVED, NGINX, kind_of, read_text
from switchover.predict.promise import Fate, Promise, PromisedService, ReloadPromise, settings_of
from switchover.report.screen import print_json

NAMES = {KEEPALIVED: "keepalived.conf", HAPROXY: "haproxy.cfg", NGINX: "nginx.conf"}
STYLES = {Fate.KEPT: "green", Fate.CUT: "red", Fate.MAY_BE_LOST: "red", Fate.UNKNOWN: "yellow"}
MANY = 8
"""The maximum number of service names in the title of a table."""


PARSER = {
    "help": "predict outages from keepalived.conf, or the cost of a reload from haproxy.cfg or nginx.conf",
    "description": "Predict from copies of configuration files. From keepalived.conf of both nodes: the predicted "
    "outage of each fault, the node that serves during the fault, and mistakes. From haproxy.cfg or "
    "nginx.conf: the connections that a reload keeps, cuts or may lose, and the configuration line that "
    "causes each result.",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "conf",
        nargs="+",
        type=Path,
        metavar="CONF",
        help="keepalived.conf of each node, or nginx.conf, or haproxy.cfg. Several HAProxy files are read as one "
        "configuration, as with haproxy -f",
    )
    parser.add_argument(
        "--instance", metavar="NAME", help="name of the vrrp_instance (default: the first instance in the first file)"
    )
    parser.add_argument(
        "--config-id",
        action="append",
        default=[],
        metavar="ID",
        help="config id (keepalived -i) for lines such as '@lb1 priority 101'; once for each node",
    )
    parser.add_argument(
        "--unit",
        type=Path,
        metavar="FILE",
        help="systemd unit file of HAProxy. It shows whether HAProxy runs with -W or -Ws",
    )
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
    """Return the program that the files configure."""
    kinds: dict[Path, str] = {}
    for path, text in sources:
        kind = kind_of(text)
        if kind is None:
            known = ", no ".join(NAMES.values())
            raise UsageError(f"{path} is no {known}: no line begins with one of their keywords")
        kinds[path] = kind
    if len(set(kinds.values())) > 1:
        listed = ", ".join(f"{path} is a {NAMES[kind]}" for path, kind in kinds.items())
        raise UsageError(f"predict needs files of only one kind: {listed}")
    kind = kinds[sources[0][0]]
    if kind == NGINX and len(sources) > 1:
        raise UsageError("predict takes only one nginx.conf, because this file includes all other files")
    return kind


def _predict_reload(kind: str, sources: Sequence[Source], arguments: argparse.Namespace, console: Console) -> None:
    """Print the effect of a reload on each kind of load, and the configuration line that causes the effect."""
    if kind == HAPROXY:
        started = None if arguments.unit is None else _starts_master_worker(arguments.unit)
        files = [(str(path), text) for path, text in sources]
        promise = haproxy_promise.promise_of(files, master_worker=started)
    else:
        promise = nginx_promise.promise_of(*sources[0])
    if arguments.json:
        print_json(_as_json(promise, sources))
        return
    for service in promise.services:
        print_table(console, _table(service))
    advice = settings_of([fate for service in promise.services for fate in service.promises.values()])
    if advice:
        console.print("Settings that would keep the connections", style="bold")
    for text in advice:
        print_wrapped(console, "  - ", text)
    for note in promise.notes:
        print_wrapped(console, "  note: ", note)


def _starts_master_worker(unit: Path) -> bool:
    """Return True if a systemd unit starts HAProxy with -W or -Ws."""
    starts = re.findall(r"^[ \t]*ExecStart[ \t]*=(.*(?:\\\n.*)*)", read_text(unit, "systemd unit"), re.MULTILINE)
    if not starts:
        raise TargetError(f"{unit}: has no ExecStart=, so it is not a systemd service")
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


def _as_json(reload: ReloadPromise, sources: Sequence[Source]) -> dict[str, Any]:
    def shown(promise: Promise) -> dict[str, Any]:
        return {
            "fate": promise.fate.value,
            "cut_after_s": promise.cut_after_s,
            "because": promise.because,
            "place": str(promise.place) if promise.place else None,
            "setting": promise.setting or None,
        }

    services = [
        {
            "names": list(service.names),
            "place": str(service.place),
            "loads": {kind: shown(promise) for kind, promise in service.promises.items()},
        }
        for service in reload.services
    ]
    files = [str(path) for path, _ in sources]
    return {"kind": reload.balancer, "files": files, "services": services, "notes": list(reload.notes)}
