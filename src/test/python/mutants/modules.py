"""What is mutated, and the tests that are to notice."""

from collections.abc import Mapping

MODULES: Mapping[str, tuple[str, ...]] = {
    "faults/guard.py": ("unit/faults/test_guard.py", "unit/drill/test_drill_order.py"),
    "faults/watchdog.py": ("unit/faults/test_watchdog_rules.py", "unit/faults/test_watchdog_hang.py"),
    "faults/prediction.py": ("unit/faults/test_prediction.py",),
    "analysis/epoch_ledger.py": ("unit/analysis/test_reconciliation.py",),
    "analysis/outage.py": ("unit/analysis/test_outage.py",),
    "model": ("unit/model",),
    "streaming/influx": ("unit/streaming/influx",),
    "telemetry/access_log.py": ("unit/telemetry/test_access_log.py",),
}
"""By path below locust-plugins/switchover: test files and folders below src/test/python."""
