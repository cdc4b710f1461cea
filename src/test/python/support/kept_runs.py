"""Run directories of real drills in the lab, kept small in src/test/resources/runs (its README says how)."""

import gzip
import shutil
from pathlib import Path

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
