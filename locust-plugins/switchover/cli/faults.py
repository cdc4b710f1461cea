"""`switchover faults`: print all faults, and their predicted outages in a lab with default settings."""

import argparse
from dataclasses import replace

from rich.console import Console
from rich.table import Table
from rich.text import Text

from switchover.faults.catalogue import CATALOGUE, EXEC
from switchover.faults.mechanism import Mechanism
from switchover.faults.recorded_prediction import predict_both
from switchover.lab.spec import LB1, LB2
from switchover.model.errors import UsageError
from switchover.predict.nodes import NodeKeepalived
from switchover.predict.prediction import Prediction
from switchover.report import figures_text

FAULTS = {**CATALOGUE, EXEC.name: EXEC}


PARSER = {
    "help": "list the faults that a drill can fire, with their predicted outages in the lab",
    "description": "List the faults with their predicted outages in the lab. With names, describe these faults in "
    "full. To predict the outages of your own pair, use 'switchover predict'.",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="*", help="faults to describe in full")


def run(arguments: argparse.Namespace) -> int:
    if unknown := [name for name in arguments.name if name not in FAULTS]:
        raise UsageError(f"no fault is named {unknown[0]!r}; known: {', '.join(sorted(FAULTS))}")
    console = Console()
    for name in arguments.name:
        _print_one(console, FAULTS[name])
    if not arguments.name:
        _print_all(console)
    return 0


def _print_all(console: Console) -> None:
    table = Table(title="Faults")
    for title in ("fault", "action and heal", "outage", "failback"):
        table.add_column(title, no_wrap=title != "action and heal")
    for name, fault in FAULTS.items():
        windows = (window(prediction).replace(", ", "\n") for prediction in predict_in_lab(fault))
        table.add_row(name, Text(f"{fault.does}\nheal: {fault.heals}"), *windows)
    console.print(table)
    console.print("'switchover faults NAME' describes one fault in full.", soft_wrap=True)


def _print_one(console: Console, fault: Mechanism) -> None:
    predicted, failback = predict_in_lab(fault)
    rows = {
        "action": fault.does,
        "proof": fault.proof,
        "heal": fault.heals,
        "expected": fault.expectation,
        "outage": f"{window(predicted)}: {predicted.reason.removeprefix('for ever: ')}",
        "failback": f"{window(failback)}: {failback.reason}",
    }
    console.print(Text.assemble((fault.name, "bold"), f": {fault.summary}"))
    grid = Table.grid(padding=(0, 2))
    for title, text in rows.items():
        grid.add_row(f"  {title:<10}", Text(text))
    console.print(grid)


def predict_in_lab(fault: Mechanism) -> tuple[Prediction, Prediction]:
    predicted, failback = predict_both(fault, NodeKeepalived(LB1), NodeKeepalived(LB2))
    if fault.lab_window_s is not None:
        low_s, high_s = fault.lab_window_s
        predicted = replace(predicted, low_s=low_s, high_s=high_s)
    return predicted, failback


def window(prediction: Prediction) -> str:
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
