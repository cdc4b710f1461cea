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
    "analysis/anatomy.py": ("unit/analysis/test_anatomy.py",),
    "analysis/budget.py": ("unit/analysis/test_budget.py", "unit/analysis/history/test_usual.py"),
    "analysis/budget_result.py": (
        "unit/analysis/test_budget.py",
        "unit/analysis/test_change_figures.py",
        "unit/analysis/test_change_samples.py",
        "unit/analysis/test_unmeasured_budgets.py",
        "unit/analysis/test_verdict.py",
    ),
    "analysis/counters.py": ("unit/analysis/test_counters.py",),
    "analysis/distribution.py": ("unit/analysis/test_distribution.py",),
    "analysis/effect.py": ("unit/analysis/test_effect.py", "unit/analysis/test_word.py"),
    "analysis/epoch_ledger.py": ("unit/analysis/test_epoch_ledger.py", "unit/analysis/test_reconciliation.py"),
    "analysis/fault_reasons.py": ("unit/analysis/test_fault_reasons.py", "unit/analysis/test_word.py"),
    "analysis/latency.py": ("unit/analysis/test_latency.py", "unit/analysis/test_labels.py"),
    "analysis/ledger.py": ("unit/analysis/test_ledger.py",),
    "analysis/log_ledger.py": ("unit/analysis/test_log_ledger.py",),
    "analysis/longest_gap.py": ("unit/analysis/test_longest_gap.py",),
    "analysis/machine.py": ("unit/analysis/test_machine.py",),
    "analysis/node_life.py": ("unit/analysis/test_node_life.py",),
    "analysis/outage.py": ("unit/analysis/test_outage.py",),
    "analysis/phases.py": ("unit/analysis/test_phases.py",),
    "analysis/population.py": ("unit/analysis/test_phases.py",),
    "analysis/prediction_fit.py": ("unit/analysis/test_prediction_fit.py",),
    "analysis/probes.py": ("unit/analysis/test_probes.py",),
    "analysis/reconciliation.py": ("unit/analysis/test_reconciliation.py",),
    "analysis/resolution.py": ("unit/analysis/test_resolution.py",),
    "analysis/round_robin.py": ("unit/analysis/test_distribution.py",),
    "analysis/split_brain.py": ("unit/analysis/test_split_brain.py",),
    "analysis/statistics.py": ("unit/analysis/test_statistics.py",),
    "analysis/trust.py": (
        "unit/analysis/test_trust.py",
        "unit/analysis/test_verdict.py",
        "unit/analysis/test_load_trust.py",
        "unit/analysis/test_most_failed.py",
    ),
    "analysis/wholeness.py": ("unit/analysis/test_wholeness.py", "unit/analysis/test_word.py"),
    "analysis": ("unit/analysis",),
    "model": ("unit/model",),
    "streaming/influx/database_client.py": (
        "unit/streaming/influx/test_database_client.py",
        "unit/streaming/influx/test_database_requests.py",
    ),
    "streaming/influx/destination.py": ("unit/streaming/influx/test_contract_influx.py",),
    "streaming/influx/fetch.py": ("unit/streaming/influx/test_fetch.py",),
    "streaming/influx/follower.py": ("unit/streaming/influx/test_follower.py",),
    "streaming/influx/journal_sender.py": ("unit/streaming/influx/test_follower.py",),
    "streaming/influx/outside_followers.py": ("unit/streaming/influx/test_process.py",),
    "streaming/influx/outside_way.py": ("unit/streaming/influx/test_follower_process.py",),
    "streaming/influx/parent.py": ("unit/streaming/influx/test_process.py",),
    "streaming/influx/process.py": ("unit/streaming/influx/test_follower_process.py",),
    "streaming/influx/spec.py": ("unit/streaming/influx/test_process.py",),
    "streaming/influx/stored_points.py": ("unit/streaming/influx/test_fetch.py",),
    "streaming/influx/stored_runs.py": ("unit/streaming/influx/test_stored_runs.py",),
    "streaming/influx/upload.py": ("unit/streaming/influx/test_upload.py",),
    "streaming/influx/write_result.py": ("unit/streaming/influx/test_contract_influx.py",),
    "streaming/influx/writer.py": ("unit/streaming/influx/test_writer.py",),
    "telemetry/access_log.py": ("unit/telemetry/test_access_log.py",),
}
"""By path below locust-plugins/switchover: test files and folders below src/test/python."""


def files_of(module: str) -> list[Path]:
    """Of a folder those that stand in it, less those that are a module of their own here."""
    place = PACKAGE / module
    if place.is_file():
        return [place]
    return [path for path in sorted(place.glob("*.py")) if str(path.relative_to(PACKAGE)) not in MODULES]
