"""Read the logs of a load generator or a balancer as a run without probes and without a fault."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path

from switchover.evidence.logs.format import Account
from switchover.evidence.requests.files import text_bytes, why_not_read
from switchover.evidence.requests.reader import HowToRead, read_logs
from switchover.evidence.requests.stamps import STEP_NAMES, time_step_of
from switchover.evidence.requests.store import Store
from switchover.evidence.requests.table import TYPES, Requests, new_table
from switchover.evidence.run_data import LogScope, RunData, count_lost_rows
from switchover.model.errors import RunDirectoryError, UsageError
from switchover.model.interval import Span
from switchover.rundir.run_directory import Plan, Run
from switchover.rundir.run_records import RunSettings


def load_logs(
    paths: Sequence[Path],
    how: HowToRead | None = None,
    columns: Collection[str] = tuple(TYPES),
) -> RunData:
    """Read several logs as one run. `columns`: the request columns that are read."""
    how = how or HowToRead()
    samples, account = _read_samples(paths, how, columns)
    name = paths[0].name if len(paths) == 1 else f"{paths[0].name} and {len(paths) - 1} more"
    start_us, end_us = samples.row("SELECT min(start_us), max(end_us) FROM {requests}")
    # A run without a fault has only the phase `baseline`.
    plan = Plan(start_us=start_us, end_us=end_us + 1)
    run = Run(id=name, name=name, settings=RunSettings.of({"probe_rate": 0.0}), plan=plan)
    run.warnings += account.warnings()
    if step_us := time_step_of(samples):
        unit = STEP_NAMES[step_us]
        run.warnings.append(
            f"times in the log have a resolution of {unit}, so figures have this resolution, and a time "
            f"without a good response may be {unit} longer than reported"
        )
    return RunData(
        run=run,
        probes=new_table(samples.store, "probe_rows"),
        samples=samples,
        unread=tuple(account.why_invalid()),
        lost_rows={"samples": count_lost_rows(account)},
        scope=_scope(account, how),
    )


def _read_samples(paths: Sequence[Path], how: HowToRead, columns: Collection[str]) -> tuple[Requests, Account]:
    """Return all requests of the logs, and an account of the ignored lines."""
    absent = next((path for path in paths if not path.is_file()), None)
    if absent is not None:
        raise RunDirectoryError(f"cannot read {absent}: {why_not_read(absent) or 'it is a directory'}")
    if len({path.resolve() for path in paths}) < len(paths):
        raise UsageError(f"{paths[0].name} is given twice, and its requests would be counted twice")
    account = Account()
    samples = read_logs(Store(text_bytes(paths)), "sample_rows", paths, account, how, columns)
    if not samples:
        reasons = [str(account)] * (account.total > 0) + (account.damage + account.notes)[:1]
        raise RunDirectoryError(": ".join([f"{paths[0]} has no readable request", *reasons]))
    return _in_window(samples, how.window), account


def _in_window(samples: Requests, window: Span | None) -> Requests:
    if window is None:
        return samples
    inside = Requests(
        samples.store,
        f"(SELECT rowid, * FROM {samples.source} WHERE start_us >= {window.from_us} AND start_us < {window.to_us})",
        samples.columns,
    )
    if not inside:
        first_us, last_us = samples.row("SELECT min(start_us), max(end_us) FROM {requests}")
        raise RunDirectoryError(
            f"no request began from {_utc(window.from_us)} to {_utc(window.to_us)} UTC: "
            f"the logs cover {_utc(first_us)} to {_utc(last_us)}"
        )
    return inside


def _utc(at_us: int) -> str:
    return f"{datetime.fromtimestamp(at_us / 1e6, UTC):%Y-%m-%d %H:%M:%S}"


def _scope(account: Account, how: HowToRead) -> LogScope:
    """Return which requests are judged together. Without `--clocks-within`, each file is judged separately."""
    files: dict[str, list[int]] = {}
    if how.clocks_within_us is None and len(account.logs) > 1:
        names = [Path(log).name for log in account.logs]
        for part, (log, name) in enumerate(zip(account.logs, names, strict=True)):
            files[name if names.count(name) == 1 else log] = [part]
    return LogScope(files, how.clocks_within_us or 0, how.by_label, how.window)
