"""What a haproxy.cfg or an nginx.conf promises of a reload, on the console or as JSON."""

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from switchover.cli.predict_source import Source, print_table, print_wrapped
from switchover.faults.config_file import read_text
from switchover.faults.config_kind import HAPROXY
from switchover.faults.reload_promise import haproxy, nginx
from switchover.faults.reload_promise.promise import Fate, Promise, PromisedService, ReloadPromise, settings_of
from switchover.model.errors import TargetError

STYLES = {Fate.KEPT: "green", Fate.CUT: "red", Fate.MAY_BE_LOST: "red", Fate.UNKNOWN: "yellow"}
MANY = 8
"""Names of services with one promise that are printed; the rest are counted."""


def predict_reload(kind: str, sources: Sequence[Source], arguments: argparse.Namespace, console: Console) -> None:
    """For each kind of load: kept, cut after a time, or perhaps lost, and the line that decides."""
    if kind == HAPROXY:
        started = None if arguments.unit is None else starts_master_worker(arguments.unit)
        files = [(str(source.path), source.text) for source in sources]
        found = haproxy.promise_of(files, master_worker=started)
    else:
        found = nginx.promise_of(sources[0].path, sources[0].text)
    if arguments.json:
        print(json.dumps(_as_json(found, sources), indent=2))
        return
    for service in found.services:
        print_table(console, _table(service))
    advice = settings_of([promise for service in found.services for promise in service.promises.values()])
    if advice:
        console.print("Settings that would keep them", style="bold")
        for text in advice:
            print_wrapped(console, "  - ", text)
    for note in found.notes:
        print_wrapped(console, "  note: ", note)


def starts_master_worker(unit: Path) -> bool:
    """Whether a systemd unit starts HAProxy with -W or -Ws."""
    starts = re.findall(r"^[ \t]*ExecStart[ \t]*=(.*(?:\\\n.*)*)", read_text(unit, "systemd unit"), re.MULTILINE)
    if not starts:
        raise TargetError(f"{unit}: has no ExecStart=: this is no systemd service")
    return any(word in ("-W", "-Ws") for start in starts for word in start.split())


def _table(service: PromisedService) -> Table:
    names = ", ".join(service.names[:MANY])
    more = f" and {len(service.names) - MANY} more" if len(service.names) > MANY else ""
    table = Table(title=Text(f"A reload and the connections of {names}{more}"))
    table.add_column("load", no_wrap=True)
    table.add_column("a reload", no_wrap=True)
    table.add_column("what decides", overflow="fold")
    for kind, promise in service.promises.items():
        fate = Text(promise.text, STYLES.get(promise.fate, "dim"))
        decides = f"{promise.because} [{promise.place}]" if promise.place else promise.because
        table.add_row(kind, fate, Text(decides, overflow="fold"))
    return table


def _as_json(found: ReloadPromise, sources: Sequence[Source]) -> dict[str, Any]:
    return {
        "kind": found.balancer,
        "files": [str(source.path) for source in sources],
        "services": [
            {
                "names": list(service.names),
                "place": str(service.place),
                "loads": {kind: _promise_as_json(promise) for kind, promise in service.promises.items()},
            }
            for service in found.services
        ],
        "notes": list(found.notes),
    }


def _promise_as_json(promise: Promise) -> dict[str, Any]:
    return {
        "fate": promise.fate.value,
        "cut_after_s": promise.cut_after_s,
        "because": promise.because,
        "place": str(promise.place) if promise.place else None,
        "setting": promise.setting or None,
    }
