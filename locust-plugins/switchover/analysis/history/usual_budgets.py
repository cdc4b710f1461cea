"""Budgets whose limit is what was usual: looked up in the runs beside the one that is judged."""

import re
from collections.abc import Sequence
from pathlib import Path

from switchover.analysis.budget import Budget
from switchover.analysis.history.entry import entry_of
from switchover.analysis.history.history import counted_once
from switchover.analysis.history.index import read_history
from switchover.analysis.history.usual import resolve
from switchover.model.errors import RunDirectoryError
from switchover.rundir.run_directory import Run, run_json

_REPEATS = re.compile(r".*-x\d{1,6}")
"""The folder of a run that was repeated: its drills have their past beside it, too."""


def history_folder(directory: Path) -> Path:
    """Where the past of a run lies."""
    beside = directory.resolve().parent
    return beside.parent if _REPEATS.fullmatch(beside.name) else beside


def with_usual_limits(budgets: Sequence[Budget], run: Run, directory: Path) -> list[Budget]:
    """The same, with the limits that are known now. Nothing is read where no budget asks for what is usual."""
    if not any(budget.is_to_be_looked_up for budget in budgets):
        return list(budgets)
    entry = entry_of(directory.name, run_json(run), None)
    try:
        past, _ = counted_once(read_history(history_folder(directory)).entries)
    except RunDirectoryError as error:
        return [
            budget.known(None, decides=False, note=str(error)) if budget.is_to_be_looked_up else budget
            for budget in budgets
        ]
    return [resolve(budget, entry, past) for budget in budgets]
