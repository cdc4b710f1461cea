"""Run directories of real drills in the lab, kept small in src/test/resources/runs (its README says how).

PYTHONPATH=src/test/python python -m support.kept_runs        judges them again, and keeps the new verdicts
"""

import gzip
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from switchover.cli.main import main

KEPT = Path(__file__).parents[2] / "resources" / "runs"
NAMES = sorted(path.parent.name for path in KEPT.glob("*/run.json"))


def kept_run(name: str, parent: Path) -> Path:
    """A copy of a kept run directory in `parent`, its tables and journals unpacked as the drill wrote them."""
    copy = parent / name
    shutil.copytree(KEPT / name, copy)
    for packed in list(copy.rglob("*.gz")):
        packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
        packed.unlink()
    return copy


def write() -> None:
    for name in NAMES:
        with TemporaryDirectory() as folder:
            copy = kept_run(name, Path(folder))
            main(["report", str(copy)])
            shutil.copyfile(copy / "verdict.json", KEPT / name / "verdict.json")


if __name__ == "__main__":
    write()
