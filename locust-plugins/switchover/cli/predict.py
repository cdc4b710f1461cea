"""`switchover predict`: what configurations promise, of Keepalived pairs and of a balancer's reload."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from switchover.cli.predict_pair import predict_pair
from switchover.cli.predict_reload import predict_reload
from switchover.cli.predict_source import Source
from switchover.faults.config_file import read_text
from switchover.faults.config_kind import HAPROXY, KEEPALIVED, NGINX, kind_of
from switchover.model.errors import UsageError

NAMES = {KEEPALIVED: "keepalived.conf", HAPROXY: "haproxy.cfg", NGINX: "nginx.conf"}
OF_A_PAIR = {"instance": "--instance", "config_id": "--config-id", "why": "--why", "target_outage": "--target-outage"}
"""Options that have a meaning for a keepalived.conf only."""


def register(subparsers: Any) -> None:
    """Add the command to the command line."""
    predict = subparsers.add_parser(
        "predict",
        help="what configurations promise: a Keepalived pair's windows, or what a reload of HAProxy or Nginx costs",
        description="Reads copies of configurations and opens no connection. Of the nodes' keepalived.conf: for "
        "every fault the window in which service returns and which node gives it, and settings that do not work. Of "
        "a haproxy.cfg or an nginx.conf: which connections a reload keeps, cuts or may lose, and which line decides.",
    )
    predict.add_argument(
        "conf",
        nargs="+",
        type=Path,
        metavar="CONF",
        help="keepalived.conf of each node; or haproxy.cfg (several are read as one, as with -f); or nginx.conf",
    )
    predict.add_argument(
        "--instance", metavar="NAME", help="the vrrp_instance, by default the first in the first file"
    )
    predict.add_argument(
        "--config-id",
        action="append",
        default=[],
        metavar="ID",
        help="what Keepalived is started with (-i), for lines such as '@lb1 priority 101'; once per node. One CONF "
        "with several ids is the same file on each node",
    )
    predict.add_argument(
        "--unit",
        type=Path,
        metavar="FILE",
        help="the balancer's systemd unit: does it restart a dead one; is HAProxy started with -W or -Ws",
    )
    predict.add_argument("--why", action="store_true", help="the reason of each window of a pair")
    predict.add_argument("--target-outage", metavar="TIME", help="propose settings that reach it, such as 300ms")
    predict.add_argument("--json", action="store_true", help="print JSON instead of tables")
    predict.set_defaults(handler=predict_command)


def predict_command(arguments: argparse.Namespace) -> int:
    sources = [Source(path, read_text(path)) for path in arguments.conf]
    kind = _kind(sources)
    if kind == KEEPALIVED:
        predict_pair(sources, arguments, Console())
        return 0
    for name, option in OF_A_PAIR.items():
        if getattr(arguments, name):
            raise UsageError(f"{option} is for a keepalived.conf; {sources[0].path} is of {NAMES[kind]}'s kind")
    if kind == NGINX and arguments.unit:
        raise UsageError("--unit is for HAProxy: how Nginx is started does not change what a reload costs")
    predict_reload(kind, sources, arguments, Console())
    return 0


def _kind(sources: Sequence[Source]) -> str:
    """The one kind of all files. Raises UsageError where it cannot be told, or differs."""
    kinds: dict[str, Path] = {}
    for source in sources:
        kind = kind_of(source.text)
        if kind is None:
            raise UsageError(f"{source.path} is no {', no '.join(NAMES.values())}: none of their words begins a line")
        kinds.setdefault(kind, source.path)
    if len(kinds) > 1:
        listed = ", ".join(f"{path} is a {NAMES[kind]}" for kind, path in kinds.items())
        raise UsageError(f"files of one kind at a time: {listed}")
    if NGINX in kinds and len(sources) > 1:
        raise UsageError("one nginx.conf at a time: it includes the others")
    return next(iter(kinds))
