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
    "analysis/absurd_rows.py": ("unit/analysis/test_absurd_rows.py",),
    "analysis/access_paths.py": ("unit/analysis/test_access_paths.py",),
    "analysis/anatomy.py": ("unit/analysis/test_anatomy.py",),
    "analysis/budget.py": ("unit/analysis/test_budget.py", "unit/analysis/history/test_usual.py"),
    "analysis/budget_reasons.py": ("unit/analysis/test_budget_reasons.py",),
    "analysis/budget_result.py": (
        "unit/analysis/test_budget.py",
        "unit/analysis/test_change_figures.py",
        "unit/analysis/test_change_samples.py",
        "unit/analysis/test_unmeasured_budgets.py",
        "unit/analysis/test_verdict.py",
    ),
    "analysis/change_connections.py": (
        "unit/analysis/test_change_figures.py",
        "unit/analysis/test_change_samples.py",
    ),
    "analysis/change_cost.py": ("unit/analysis/test_change_cost.py",),
    "analysis/change_delay.py": ("unit/analysis/test_change_delay.py",),
    "analysis/change_effect.py": ("unit/analysis/test_change_effect.py",),
    "analysis/change_figures.py": (
        "unit/analysis/test_change_figures.py",
        "unit/analysis/test_change_samples.py",
        "unit/analysis/test_change_twin.py",
    ),
    "analysis/change_reasons.py": ("unit/analysis/test_change_reasons.py",),
    "analysis/change_samples.py": ("unit/analysis/test_change_samples.py",),
    "analysis/change_twin.py": ("unit/analysis/test_change_twin.py",),
    "analysis/client_counts.py": ("unit/analysis/test_client_counts.py",),
    "analysis/clock_jumps.py": ("unit/analysis/test_clock_jumps.py",),
    "analysis/counter_window.py": ("unit/analysis/test_counter_window.py",),
    "analysis/counters.py": ("unit/analysis/test_counters.py",),
    "analysis/dead_connections.py": ("unit/analysis/test_dead_connections.py",),
    "analysis/distribution.py": ("unit/analysis/test_distribution.py",),
    "analysis/effect.py": ("unit/analysis/test_effect.py", "unit/analysis/test_word.py"),
    "analysis/epoch_ledger.py": ("unit/analysis/test_epoch_ledger.py", "unit/analysis/test_reconciliation.py"),
    "analysis/events.py": ("unit/analysis/test_events.py",),
    "analysis/fault_reasons.py": ("unit/analysis/test_fault_reasons.py", "unit/analysis/test_word.py"),
    "analysis/flaws.py": ("unit/analysis/test_flaws_by_rule.py",),
    "analysis/labels.py": ("unit/analysis/test_labels.py",),
    "analysis/latency.py": ("unit/analysis/test_latency.py", "unit/analysis/test_labels.py"),
    "analysis/ledger.py": ("unit/analysis/test_ledger.py",),
    "analysis/log_ledger.py": ("unit/analysis/test_log_ledger.py",),
    "analysis/longest_gap.py": ("unit/analysis/test_longest_gap.py",),
    "analysis/machine.py": ("unit/analysis/test_machine.py",),
    "analysis/most_failed.py": ("unit/analysis/test_most_failed.py",),
    "analysis/node_life.py": ("unit/analysis/test_node_life.py",),
    "analysis/nodes.py": ("unit/analysis/test_nodes.py",),
    "analysis/outage.py": ("unit/analysis/test_outage.py",),
    "analysis/overlapping_requests.py": ("unit/analysis/test_clock_jumps.py",),
    "analysis/own_records.py": ("unit/analysis/test_own_records.py",),
    "analysis/ownership.py": ("unit/analysis/test_ownership.py",),
    "analysis/patient_rows.py": ("unit/analysis/test_patient_rows.py",),
    "analysis/phases.py": ("unit/analysis/test_phases.py",),
    "analysis/population.py": ("unit/analysis/test_phases.py",),
    "analysis/prediction_fit.py": ("unit/analysis/test_prediction_fit.py",),
    "analysis/probes.py": ("unit/analysis/test_probes.py",),
    "analysis/reason.py": ("unit/analysis/test_word.py",),
    "analysis/reconciliation.py": ("unit/analysis/test_reconciliation.py",),
    "analysis/repeats.py": ("unit/analysis/test_repeats.py",),
    "analysis/resolution.py": ("unit/analysis/test_resolution.py",),
    "analysis/round_robin.py": ("unit/analysis/test_distribution.py",),
    "analysis/run_files.py": ("unit/analysis/test_run_files.py",),
    "analysis/silence.py": ("unit/analysis/test_silence.py",),
    "analysis/split_brain.py": ("unit/analysis/test_split_brain.py",),
    "analysis/statistics.py": ("unit/analysis/test_statistics.py",),
    "analysis/stretch_evidence.py": ("unit/analysis/test_stretch_evidence.py",),
    "analysis/stretches.py": ("unit/analysis/test_stretches_by_hand.py",),
    "analysis/trust.py": (
        "unit/analysis/test_trust.py",
        "unit/analysis/test_verdict.py",
        "unit/analysis/test_load_trust.py",
        "unit/analysis/test_most_failed.py",
    ),
    "analysis/verdict.py": (
        "unit/analysis/test_verdict.py",
        "unit/analysis/test_trust.py",
        "unit/analysis/test_word.py",
    ),
    "analysis/warning_texts.py": ("unit/analysis/test_warning_texts.py",),
    "analysis/wholeness.py": ("unit/analysis/test_wholeness.py", "unit/analysis/test_word.py"),
    "analysis/word.py": ("unit/analysis/test_word.py", "unit/analysis/test_verdict.py"),
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
