"""`switchover heal`: undo a fault that is still in force after its run."""

import argparse
from contextlib import suppress
from pathlib import Path

from switchover.faults.guard import HEAL_S
from switchover.faults.healer import Healer, Undo
from switchover.faults.watchdog import FIRED_FILE
from switchover.model.clock import Clock
from switchover.model.errors import FaultError, SwitchoverError, UsageError
from switchover.process.command import run_command
from switchover.rundir.journal import Journal
from switchover.rundir.run_directory import JOURNAL_FILE, read_run
from switchover.target.model import FaultRecipe, fill_names
from switchover.target.reader import load_target

PARSER = {
    "help": "undo the fault of a run by hand",
    "description": "Undo the fault or the change of the run RUN, verify the result, then run the command "
    "'release' of the target file. The commands come from the target file, and the names of the nodes come from "
    "run.json. A healthy pair is not changed. Exit codes: 0 healed; 2 not healed.",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", type=Path, metavar="RUN", help="run directory")
    parser.add_argument(
        "--target", type=Path, metavar="FILE", help="target file (default: the target file of the run)"
    )


def run(arguments: argparse.Namespace) -> int:
    directory: Path = arguments.run
    run_facts = read_run(directory, as_written=False)
    fault, is_change = run_facts.change or run_facts.fault, run_facts.change is not None
    if fault is None or not (directory / FIRED_FILE).exists():
        raise UsageError(f"nothing was fired in {directory}, so there is nothing to heal")
    target_file = arguments.target or run_facts.target.file
    if target_file is None:
        raise UsageError(f"run.json of {directory} names no target file: name the file with --target FILE")
    if arguments.target is None and run_facts.target.lab and not Path(target_file).exists():
        raise UsageError(f"the lab of {directory} has ended, so there is nothing to heal")
    target = load_target(Path(target_file))
    recipe = target.changes.get(fault.name) if is_change else target.faults.get(fault.name)
    if recipe is None:
        table = "change" if is_change else "fault"
        raise FaultError(f"{target.source} has no [{table}.{fault.name}], which the run {directory} fired")
    if is_change and recipe.heal is None:
        raise FaultError(f"{recipe.table} has no undo, so the change cannot be undone")
    names = {name: value for name, value in (("master", fault.master), ("backup", fault.backup)) if value}
    healed = "undone" if is_change else "healed"
    _heal(recipe.filled_in(names), healed)
    print(f"{fault.name} is {healed}")
    with suppress(SwitchoverError):  # heal the fault even if the event cannot be written
        journal = Journal(directory / JOURNAL_FILE, {"run": run_facts.id})
        kind, now_ns = "undo" if is_change else "heal", Clock.of_process().now_us() * 1000
        node = fault.victim or fault.master or ""
        journal.event(kind, f"{fault.name}: {healed} by hand", time_ns=now_ns, node=node)
        journal.close()
    if target.release is None:
        return 0
    result = run_command(fill_names(target.release, names), variables=target.variables)
    print(f"release: {result}")
    return 0 if result.ok else 2


def _heal(recipe: FaultRecipe, healed: str) -> None:
    undo = Undo(recipe.name, recipe.heal, recipe.verify_healed, variables=recipe.variables, disarm=recipe.disarm)
    result = Healer(undo, note=lambda key, answer: print(f"{recipe.word(key)}: {answer}")).run(HEAL_S)
    if not result.is_healed:
        answers = "; ".join(f"{recipe.word(key)}: {answer}" for key, answer in result.failures)
        advice = f"run the {recipe.word('heal')} command of {recipe.table} on the node itself"
        raise FaultError(f"{recipe.name} IS NOT {healed.upper()}: {answers}; {advice}")
