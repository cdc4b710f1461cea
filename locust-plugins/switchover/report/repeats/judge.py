"""Several drills of one fault together: a distribution that theory can be held against, and one word for all."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from switchover.figures.prediction_fit import Series, fit_series
from switchover.figures.probes import tolerated_us
from switchover.verdict.judge import Verdict
from switchover.verdict.record import Status, loudest


@dataclass(frozen=True, slots=True)
class Repeats:
    """What the drills say together."""

    drills: Sequence[tuple[str, Verdict]]
    """The run directory of each by its name, and its verdict."""
    asked: int
    series: Series
    status: Status

    @property
    def less_sharp(self) -> int:
        """Drills that can be trusted, in which no probe was sent for longer than is usual."""
        return sum(verdict.valid and _is_less_sharp(verdict) for _, verdict in self.drills)


def _is_less_sharp(verdict: Verdict) -> bool:
    """Whether a probe gap was longer than usual, so that the outage is known less exactly."""
    outages = [one.outage for one in verdict.events.watched]
    return any(outage.detection_limit_us > tolerated_us(outage.interval_us) for outage in outages)


def judge_repeats(drills: Sequence[tuple[str, Verdict]], asked: int) -> Repeats:
    """`asked`: how many drills there were to be."""
    verdicts = [verdict for _, verdict in drills]
    series = series_of(verdicts)
    return Repeats(drills, asked, series, status_of_repeats([verdict.status for verdict in verdicts], series, asked))


def series_of(verdicts: Sequence[Verdict]) -> Series:
    """Only of what can be believed."""
    valid = [verdict for verdict in verdicts if verdict.valid]
    fitted = [
        (v.figures.prediction, v.events.outage)
        for v in valid
        if v.figures.prediction is not None and v.events.outage is not None
    ]
    uniform = all(verdict.run.fault is not None and verdict.run.fault.uniform for verdict in valid)
    return fit_series(
        [fit for fit, _ in fitted],
        [outage for _, outage in fitted],
        uniform=uniform,
        invalid=len(verdicts) - len(valid),
    )


def status_of_repeats(statuses: Iterable[Status], series: Series, asked: int) -> Status:
    """That of the worst drill; a series with fewer drills than asked for was stopped, and one may be refuted."""
    found = list(statuses)
    if len(found) < asked or not found:
        found.append(Status.STOPPED)
    if series.refuted:
        found.append(Status.REFUTED)
    worst = max(status.exit_code for status in found)
    return loudest({status for status in found if status.exit_code == worst}, Status.MEASURED)
