"""A phase second by second, as the bootstrap resamples it: counts, who answered, and how long answers took."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log

import numpy as np

from switchover.analysis.compare.bootstrap import Floats, Statistic
from switchover.analysis.phases import Phase
from switchover.analysis.requests.store import Store
from switchover.model.outcome import Outcome

CELL = log(1.01)
"""Latencies are counted in cells of 1 %."""
PRECISION = 0.01
SECOND_US = 1_000_000
MOST = 3600
"""Of a longer phase several seconds are taken as one, so that a day needs no more memory than an hour."""


@dataclass(frozen=True, slots=True)
class Seconds:
    """The whole seconds of one phase of one population."""

    total: Floats
    failed: Floats
    late: Floats
    answered: Mapping[str, Floats] = field(default_factory=dict)
    """By backend."""
    times: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    """A row for each second, a column for each cell of latency: good and late answers."""
    tops_ms: Floats = field(default_factory=lambda: np.zeros(0))
    """How long the answers of a cell took."""
    each: int = 1
    """Seconds that are taken as one."""

    def __len__(self) -> int:
        return len(self.total)

    def share_of(self, counts: Floats) -> Statistic:
        return lambda weights: _ratio(weights @ counts, weights @ self.total)

    def share_of_backend(self, name: str) -> Statistic:
        mine = self.answered.get(name, np.zeros(len(self)))
        everybody = sum(self.answered.values(), np.zeros(len(self)))
        return lambda weights: _ratio(weights @ mine, weights @ everybody)

    def rate(self) -> Statistic:
        return lambda weights: weights @ self.total / (len(self) * self.each)

    def quantile(self, percent: int) -> Statistic:
        """Nearest rank, as the verdict has it, to the precision of a cell."""

        def found(weights: Floats) -> Floats:
            if not self.times.size:
                return np.full(len(weights), np.nan)
            upto = np.cumsum(weights @ self.times, axis=1)
            wanted = np.ceil(upto[:, -1:] * percent / 100)
            values = self.tops_ms[np.argmax(upto >= np.maximum(wanted, 1), axis=1)]
            return np.where(upto[:, -1] > 0, values, np.nan)

        return found

    def mean_ms(self) -> Floats:
        """The value of each second; where nothing was answered, the value of all seconds."""
        answers = self.times.sum(axis=1) if self.times.size else np.zeros(len(self))
        sums = self.times @ self.tops_ms if self.times.size else np.zeros(len(self))
        overall = sums.sum() / answers.sum() if answers.sum() else 0.0
        means: Floats = np.where(answers > 0, sums / np.maximum(answers, 1), overall)
        return means


def seconds_of(tables: Store, table: str, phase: Phase, *, scheduled: bool) -> Seconds:
    """`scheduled`: latencies count from when requests were due."""
    first_us, last_us = tables.row(f"SELECT min(start_us), max(end_us) FROM {table}")
    from_us = max(phase.from_us, first_us or 0)
    whole = max(0, (min(phase.to_us, last_us or 0) - from_us) // SECOND_US)
    each = max(1, -(-whole // MOST))
    n, each_us = whole // each, each * SECOND_US
    second = f"(start_us - {from_us}) // {each_us}"
    where = f"outcome <> '{Outcome.UNSENT}' AND start_us >= {from_us} AND start_us < {from_us + n * each_us}"
    counts = np.zeros((3, n))
    for place, *counted in tables.rows(
        f"SELECT {second}, count(*), count(*) FILTER (outcome = '{Outcome.FAILED}'), "
        f"count(*) FILTER (outcome = '{Outcome.LATE}') FROM {table} WHERE {where} GROUP BY 1"
    ):
        counts[:, place] = counted
    answered: dict[str, Floats] = {}
    for name, place, count in tables.rows(
        f"SELECT backend, {second}, count(*) FROM {table} WHERE {where} AND backend <> '' "
        "AND answered_by IN ('backend', 'balancer') GROUP BY 1, 2"
    ):
        answered.setdefault(name, np.zeros(n))[place] = count
    due = "coalesce(intended_us, start_us)" if scheduled else "start_us"
    cell = f"CAST(ceil(ln(greatest(end_us - {due}, 0) + 1) / {CELL}) AS INTEGER)"
    cells = tables.rows(
        f"SELECT {second}, {cell}, count(*) FROM {table} WHERE {where} "
        f"AND outcome IN ('{Outcome.GOOD}', '{Outcome.LATE}') GROUP BY 1, 2"
    )
    columns = {found: column for column, found in enumerate(sorted({row[1] for row in cells}))}
    times = np.zeros((n, len(columns)))
    for place, found, count in cells:
        times[place, columns[found]] = count
    tops_ms = np.expm1(np.array(list(columns)) * CELL) / 1000
    return Seconds(counts[0], counts[1], counts[2], dict(sorted(answered.items())), times, tops_ms, each)


def _ratio(part: Floats, whole: Floats) -> Floats:
    shares: Floats = np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)
    return shares
