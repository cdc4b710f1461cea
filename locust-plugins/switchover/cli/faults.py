"""`switchover faults` and `switchover predict`: the catalogue, and what theory says about a pair of nodes."""

import argparse
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from switchover.faults.catalogue import CATALOGUE, EXEC, fault_named
from switchover.faults.fault import Fault
from switchover.faults.keepalived_conf import read_keepalived_conf
from switchover.faults.prediction import Prediction, healthy_priority
from switchover.lab.keepalived_options import parse_keepalived
from switchover.model.errors import UsageError
from switchover.model.vrrp import KeepalivedSettings
from switchover.target.model import FaultRecipe
from switchover.target.reader import load_target


@dataclass(frozen=True, slots=True)
class Settings:
    """Both nodes' Keepalived, as far as they are known, and where that is from."""

    master: KeepalivedSettings | None
    backup: KeepalivedSettings | None
    source: str
    recipes: tuple[FaultRecipe, ...] | None = None
    """The target's own faults; None: the whole catalogue."""


def register(subparsers: Any) -> None:
    """Add both commands to the command line."""
    faults = subparsers.add_parser(
        "faults",
        help="the faults that a drill can fire: mechanism, proof, heal, predicted window",
        description="The catalogue of faults. The window is what theory leaves for the outage, for these settings.",
    )
    faults.add_argument("name", nargs="*", help="only these, with everything that is known about them")
    faults.add_argument("--target", type=Path, metavar="FILE", help="the faults and settings of a target file")
    faults.add_argument(
        "--keepalived", default="", metavar="K=V,…", help="settings of the lab, such as advert_int=1,check=http"
    )
    faults.set_defaults(handler=faults_command)
    predict = subparsers.add_parser(
        "predict",
        help="what a pair of keepalived.conf files promises",
        description="Master down interval, skew, and the predicted outage of every mechanism. Opens no connection.",
    )
    predict.add_argument("conf", nargs="+", type=Path, metavar="CONF", help="keepalived.conf of one node, or of both")
    predict.add_argument("--instance", metavar="NAME", help="the vrrp_instance, by default the first in each file")
    predict.set_defaults(handler=predict_command)


def faults_command(arguments: argparse.Namespace) -> int:
    settings = _of_target(arguments.target) if arguments.target else _of_lab(arguments.keepalived)
    if arguments.target and arguments.keepalived:
        raise UsageError("--keepalived is for the lab: a target file says its settings itself")
    console = Console()
    known = {recipe.name for recipe in settings.recipes or ()} | set(CATALOGUE) | {EXEC.name}
    for name in arguments.name:
        if name not in known:
            raise UsageError(f"no fault is named {name!r}; known: {', '.join(sorted(known))}")
    if arguments.name:
        for name in arguments.name:
            _print_one(console, name, settings)
        return 0
    console.print(_catalogue(settings))
    console.print(
        f"Settings: {settings.source}. 'switchover faults NAME' tells the whole story of one.", soft_wrap=True
    )
    return 0


def predict_command(arguments: argparse.Namespace) -> int:
    if len(arguments.conf) > 2:
        raise UsageError("predict takes the keepalived.conf of one node or of two")
    nodes = [read_keepalived_conf(path, arguments.instance) for path in arguments.conf]
    names = [str(path) for path in arguments.conf]
    if len(nodes) == 1:
        nodes, names = nodes * 2, [names[0], f"{names[0]} (no other file: taken for both nodes)"]
    order = sorted(range(2), key=lambda index: -healthy_priority(nodes[index]))
    master, backup = (nodes[index] for index in order)
    console = Console()
    console.print(_nodes((names[order[0]], names[order[1]]), master, backup))
    console.print(_catalogue(Settings(master, backup, "")))
    return 0


def _of_lab(keepalived: str) -> Settings:
    pair = parse_keepalived(keepalived)
    return Settings(pair.lb1, pair.lb2, f"the lab's{f' with {keepalived}' if keepalived else ' defaults'}")


def _of_target(path: Path) -> Settings:
    target = load_target(path)
    known = []
    for node in target.balancers:
        found = read_keepalived_conf(node.keepalived) if isinstance(node.keepalived, Path) else node.keepalived
        if found is not None:
            known.append(found)
    known.sort(key=lambda settings: -healthy_priority(settings))
    master, backup = known if len(known) == 2 else (None, None)
    return Settings(master, backup, str(path), tuple(target.faults.values()))


def _nodes(names: tuple[str, str], master: KeepalivedSettings, backup: KeepalivedSettings) -> Table:
    table = Table("", Column("master", overflow="fold"), Column("backup", overflow="fold"), title="The pair")
    facts = [_facts(name, node) for name, node in zip(names, (master, backup), strict=True)]
    for setting in facts[0]:
        table.add_row(setting, *(of_node[setting] for of_node in facts))
    return table


def _facts(name: str, node: KeepalivedSettings) -> dict[str, str]:
    delay = f", delay {node.preempt_delay_s:g} s" if node.preempt_delay_s else ""
    return {
        "file": name,
        "instance": node.instance,
        "priority": str(healthy_priority(node)),
        "VRRP": f"v{node.version}{', unicast' if node.unicast else ''}",
        "advert": f"{node.advert_int_s:g} s",
        "skew": f"{node.skew_s:.3f} s",
        "down after": f"{node.master_down_interval_s:.3f} s",
        "preempt": ("yes" if node.preempt else "no") + delay,
        "check": _check_text(node),
    }


def _check_text(node: KeepalivedSettings) -> str:
    check = node.check
    if check is None:
        return "none"
    weight = "FAULT" if check.weight == 0 else f"weight {check.weight:+d}"
    return f"by {check.by}, every {check.interval_s} s, fall {check.fall}, {weight}"


def _catalogue(settings: Settings) -> Table:
    table = Table(title="Faults")
    table.add_column("fault", no_wrap=True)
    table.add_column("what is done, and how it is healed")
    table.add_column("outage", no_wrap=True)
    table.add_column("failback", no_wrap=True)
    for name in _names(settings):
        fault = fault_named(name)
        table.add_row(
            name,
            Text(f"{fault.mechanism}\nheal: {fault.heals}"),
            window(_predicted(fault, name, settings)).replace(", ", "\n"),
            window(fault.failback(settings.master, settings.backup)).replace(", ", "\n"),
        )
    return table


def _print_one(console: Console, name: str, settings: Settings) -> None:
    fault = fault_named(name)
    predicted, failback = _predicted(fault, name, settings), fault.failback(settings.master, settings.backup)
    ever = "for ever: "
    rows = (
        ("does", fault.mechanism),
        ("proved by", fault.proof),
        ("heals by", fault.heals),
        ("expect", fault.expectation),
        ("outage", f"{window(predicted)}: {predicted.reason.removeprefix(ever)}"),
        ("failback", f"{window(failback)}: {failback.reason}"),
        ("settings", settings.source),
    )
    console.print(Text.assemble((name, "bold"), f": {fault.summary}"))
    for title, text in rows:
        lines = textwrap.wrap(text, max(40, min(console.width, 110) - 14), break_on_hyphens=False)
        for line in (f"  {title:<10}  {lines[0]}", *(f"{'':14}{line}" for line in lines[1:])):
            console.print(line, highlight=False, markup=False, soft_wrap=True)


def _names(settings: Settings) -> Iterable[str]:
    if settings.recipes is not None:
        return [recipe.name for recipe in settings.recipes]
    return [*CATALOGUE, EXEC.name]


def _predicted(fault: Fault, name: str, settings: Settings) -> Prediction:
    for recipe in settings.recipes or ():
        if recipe.name == name and recipe.predict_s is not None:
            return Prediction(*recipe.predict_s, "as the target file says")
    return fault.predict(settings.master, settings.backup)


def window(prediction: Prediction) -> str:
    """The window in a few characters: `2.61 to 3.61 s`, `for ever`, `unknown`."""
    if prediction.for_ever:
        text = "for ever"
    elif prediction.low_s is None:
        text = "unknown"
    elif prediction.high_s is None:
        text = f"{prediction.low_s:.2f} s or more"
    elif prediction.low_s == prediction.high_s:
        text = f"{prediction.low_s:.2f} s" if prediction.low_s else "none"
    elif prediction.low_s == 0:
        text = f"up to {prediction.high_s:.2f} s"
    else:
        text = f"{prediction.low_s:.2f} to {prediction.high_s:.2f} s"
    text += ", split brain" if prediction.split_brain else ""
    return text + (", in part" if prediction.partial and prediction.high_s else "")
