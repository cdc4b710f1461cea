"""What is mutated, and the tests that are to notice."""

from collections.abc import Mapping
from pathlib import Path

PACKAGE = Path(__file__).parents[4] / "locust-plugins" / "switchover"

MODULES: Mapping[str, tuple[str, ...]] = {
    "faults/guard.py": ("unit/faults/test_guard.py", "unit/faults/test_guard_record.py"),
    "faults/watchdog.py": (
        "unit/faults/test_watchdog_main.py",
        "unit/faults/test_watchdog_rules.py",
        "unit/faults/test_watchdog_hang.py",
    ),
    "faults/prediction.py": ("unit/faults/test_prediction.py",),
    "analysis/epoch_ledger.py": ("unit/analysis/test_reconciliation.py",),
    "analysis/outage.py": ("unit/analysis/test_outage.py",),
    "analysis": ("unit/analysis",),
    "model": ("unit/model",),
    "streaming/influx": ("unit/streaming/influx",),
    "telemetry/access_log.py": ("unit/telemetry/test_access_log.py",),
}
"""By path below locust-plugins/switchover: test files and folders below src/test/python."""


def files_of(module: str) -> list[Path]:
    """Of a folder those that stand in it, less those that are a module of their own here."""
    place = PACKAGE / module
    if place.is_file():
        return [place]
    return [path for path in sorted(place.glob("*.py")) if str(path.relative_to(PACKAGE)) not in MODULES]
