"""The settings of a drill: a field for each option of tables/options.toml, and what else a drill is told."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, get_args

from switchover.drill.option import option
from switchover.model.errors import UsageError
from switchover.model.held_kind import HeldKind


@dataclass(frozen=True, slots=True, kw_only=True)
class DrillSettings:
    """One drill as it was chosen. Times in seconds, rates per second; None: not chosen."""

    target: Path | None = option("target")
    fault: str | None = option("fault")
    change: str | None = option("change")
    times: int = option("times")
    every_s: float = option("every")
    arm: bool = option("arm")
    dry_run: bool = option("dry-run")
    allow_no_backup: bool = option("allow-no-backup")
    allow_other_address: bool = option("allow-other-address")
    allow_unidentified: bool = option("allow-unidentified")
    repeat: int = option("repeat")
    generator: str | None = option("generator")
    plan: Path | None = option("plan")
    users: int = option("users")
    spawn_rate: float = option("spawn-rate")
    jmeter_home: Path | None = option("jmeter-home")
    connections: Mapping[HeldKind, int] | None = option("connections")
    retrying_client: bool = option("retrying-client")
    probe_rate: float | None = option("probe-rate")
    """0: no prober, so the outage is not measured."""
    kept_rate: float = option("kept-rate")
    timeout_s: tuple[float, float] | None = option("timeout")
    late_s: float = option("late")
    scrape_s: float = option("scrape")
    baseline_s: float = option("baseline")
    hold_s: float | None = option("hold")
    recover_s: float | None = option("recover")
    fault_at_s: float | None = option("fault-at")
    heal_at_s: float | None = option("heal-at")
    seed: int | None = option("seed")
    limits: tuple[str, ...] = option("limit")
    influx: str | None = option("influx")
    influx_wait_s: float = option("influx-wait")
    prometheus: str | None = option("prometheus")
    out: Path = option("out")

    directory: Path | None = None
    """The run directory, where it is made already."""
    name: str = ""
    """Of the run; empty: as its fault."""
    url: str | None = None
    """Where there is no target file: what the load is sent to, an HTTP URL if it is to be probed."""
    command: tuple[str, ...] = ()
    """What the user typed."""
    prefix: str = "--"
    """How the names of the options begin where they were typed."""

    @property
    def what(self) -> str:
        """The fault or the change; empty: it only measures."""
        return self.fault or self.change or ""

    def typed(self, option: str) -> str:
        """An option as its user writes it."""
        return self.prefix + option

    def to_json(self) -> str:
        return json.dumps(asdict(self), default=str)

    @classmethod
    def from_json(cls, text: str) -> "DrillSettings":
        """The settings that `to_json` wrote; UsageError for anything else."""
        try:
            return cls(**{name: _of_json(name, value) for name, value in json.loads(text).items()})
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise UsageError(
                f"a drill was given no usable settings ({type(error).__name__}: {error}): it reads one line of JSON"
            ) from error


_TYPES = {one.name: one.type for one in fields(DrillSettings)}


def _of_json(name: str, value: Any) -> Any:
    """JSON has no paths and no tuples."""
    if isinstance(value, list):
        return tuple(value)
    kind = _TYPES[name]
    return Path(value) if value is not None and Path in (kind, *get_args(kind)) else value
