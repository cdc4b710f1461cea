"""`switchover faults`: print the faults with their predicted outages, for the lab or a target file."""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from switchover.faults.catalogue import CATALOGUE, EXEC, fault_named
from switchover.faults.mechanism import Mechanism
from switchover.faults.recorded_prediction import predict_both
from switchover.lab.keepalived_options import parse_keepalived
from switchover.model.errors import UsageError
from switchover.predict.nodes import NodeKeepalived, read_node
from switchover.predict.prediction import Prediction
from switchover.report import figures_text
from switchover.target.model import FaultRecipe, Target
from switchover.target.reader import load_target


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of Keepalived on both nodes, and the source of these settings."""

    master: NodeKeepalived
    backup: NodeKeepalived
    source: str
    recipes: Mapping[str, FaultRecipe] = field(default_factory=dict)
    """The faults of the target file; empty for the lab."""


def register(subparsers: Any) -> None:
    """Add the command to the command line."""
    faults = subparsers.add_parser(
        "faults",
        help="list the faults that a drill can fire, with their predicted outages",
        description="List the faults with their predicted outages. With names, describe these faults in full.",
    )
    faults.add_argument("name", nargs="*", help="faults to describe in full")
    faults.add_argument("--target", type=Path, metavar="FILE", help="target file with faults and settings")
    faults.add_argument(
        "--keepalived",
        default="",
        metavar="K=V,…",
        help="settings of Keepalived in the lab, such as advert_int=1,check=http",
    )
    faults.set_defaults(handler=faults_command)


def faults_command(arguments: argparse.Namespace) -> int:
    if arguments.target and arguments.keepalived:
        raise UsageError("--keepalived is for the lab: a target file has its own settings")
    if arguments.target:
        settings = settings_of_target(arguments.target, load_target(arguments.target))
    else:
        pair = parse_keepalived(arguments.keepalived)
        source = (
            f"the lab's {f'settings with {arguments.keepalived}' if arguments.keepalived else 'default settings'}"
        )
        settings = Settings(NodeKeepalived(pair.lb1), NodeKeepalived(pair.lb2), source)
    console, names = Console(), {*settings.recipes, *CATALOGUE, EXEC.name}
    if unknown := [name for name in arguments.name if name not in names]:
        raise UsageError(f"no fault is named {unknown[0]!r}; known: {', '.join(sorted(names))}")
    for name in arguments.name:
        _print_one(console, name, settings)
    if not arguments.name:
        console.print(_catalogue(settings, bool(arguments.target)))
        hint = f"Settings: {settings.source}. 'switchover faults NAME' describes one fault in full."
        console.print(hint, soft_wrap=True)
    return 0


def settings_of_target(path: Path, target: Target) -> Settings:
    """Return the settings in a target file."""
    vip = target.endpoint.host
    nodes = [read for node in target.balancers if (read := read_node(node, vip)).settings]
    nodes.sort(key=lambda node: -node.settings.effective_priority if node.settings else 0)
    master, backup = nodes if len(nodes) == 2 else (NodeKeepalived(), NodeKeepalived())
    return Settings(master, backup, str(path), target.faults)


def _catalogue(settings: Settings, of_target: bool) -> Table:
    table = Table(title="Faults")
    for title in ("fault", "action and heal", "outage", "failback"):
        table.add_column(title, no_wrap=title != "action and heal")
    for name in settings.recipes if of_target else (*CATALOGUE, EXEC.name):
        fault = fault_named(name)
        windows = (window(prediction).replace(", ", "\n") for prediction in predict_fault(fault, name, settings))
        table.add_row(name, Text(f"{fault.does}\nheal: {fault.heals}"), *windows)
    return table


def _print_one(console: Console, name: str, settings: Settings) -> None:
    fault = fault_named(name)
    predicted, failback = predict_fault(fault, name, settings)
    rows = {
        "action": fault.does,
        "proof": fault.proof,
        "heal": fault.heals,
        "expected": fault.expectation,
        "outage": f"{window(predicted)}: {predicted.reason.removeprefix('for ever: ')}",
        "failback": f"{window(failback)}: {failback.reason}",
        "settings": settings.source,
    }
    console.print(Text.assemble((name, "bold"), f": {fault.summary}"))
    grid = Table.grid(padding=(0, 2))
    for title, text in rows.items():
        grid.add_row(f"  {title:<10}", Text(text))
    console.print(grid)


def predict_fault(fault: Mechanism, name: str, settings: Settings) -> tuple[Prediction, Prediction]:
    """Return the predictions of the outage and the failback. A target file or the lab may set the outage window."""
    predicted, failback = predict_both(fault, settings.master, settings.backup)
    recipe = settings.recipes.get(name)
    if recipe is not None and recipe.predict_s is not None:
        return Prediction(*recipe.predict_s, "from the target file"), failback
    if not settings.recipes and fault.lab_window_s is not None:
        low_s, high_s = fault.lab_window_s
        predicted = replace(predicted, low_s=low_s, high_s=high_s)
    return predicted, failback


def window(prediction: Prediction) -> str:
    """Return a window as a short text: `2.61–3.61 s`, `until healed`, `unknown`."""
    low_s, high_s = prediction.low_s, prediction.high_s
    if prediction.for_ever:
        shown = "until healed"
    elif low_s is None:
        shown = figures_text.UNKNOWN
    elif high_s == 0:
        shown = "none"
    elif low_s == 0 and high_s is not None:
        shown = figures_text.at_most(high_s * 1000)
    else:
        shown = figures_text.window(low_s * 1000, None if high_s is None else high_s * 1000)
    shown += ", SPLIT BRAIN" if prediction.split_brain else ""
    return shown + (", in part" if prediction.partial and high_s else "")
