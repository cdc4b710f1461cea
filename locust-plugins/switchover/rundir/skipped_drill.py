"""A scheduled drill that was not begun: a folder with one file, so that the history knows of it."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from switchover.rundir.run_directory import SCHEMA, SKIPPED_FILE, create_run_directory, run_id, write_json


def keep_skipped_drill(
    out: Path, name: str, target: Mapping[str, Any], reason: str, command: Sequence[str], *, is_change: bool = False
) -> Path:
    """Its folder, beside those of the runs; `name` is that of its fault or change, `target` as run.json has it."""
    directory = create_run_directory(out, run_id(f"{name}-skipped"))
    values = {
        "schema": SCHEMA,
        "id": directory.name,
        "skipped_us": time.time_ns() // 1000,
        "target": dict(target),
        "change" if is_change else "fault": {"name": name},
        "reason": reason,
        "command": list(command),
    }
    write_json(directory / SKIPPED_FILE, values)
    return directory
