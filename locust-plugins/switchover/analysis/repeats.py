"""Several drills of one fault together: a distribution that theory can be held against, and one word for all."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from switchover.analysis.prediction_fit import Series, fit_series
from switchover.analysis.verdict import Verdict
from switchover.analysis.word import Word, loudest


@dataclass(frozen=True, slots=True)
class Repeats:
    """What the drills say together."""

    drills: Sequence[tuple[str, Verdict]]
    """The run directory of each by its name, and its verdict."""
    asked: int
    series: Series
    word: Word

    @property
    def less_sharp(self) -> int:
        """Drills that can be trusted, in which the probes stood still for longer than is usual."""
        return sum(verdict.trusted and verdict.is_less_sharp for _, verdict in self.drills)


def judge_repeats(drills: Sequence[tuple[str, Verdict]], asked: int) -> Repeats:
    """`asked`: how many drills there were to be."""
    verdicts = [verdict for _, verdict in drills]
    series = series_of(verdicts)
    return Repeats(drills, asked, series, word_of_repeats([verdict.word for verdict in verdicts], series, asked))


def series_of(verdicts: Sequence[Verdict]) -> Series:
    """Only of what can be believed."""
    trusted = [verdict for verdict in verdicts if verdict.trusted]
    fitted = [
        (v.figures.prediction, v.events.outage)
        for v in trusted
        if v.figures.prediction is not None and v.events.outage is not None
    ]
    uniform = all(verdict.run.fault is not None and verdict.run.fault.uniform for verdict in trusted)
    return fit_series(
        [fit for fit, _ in fitted],
        [outage for _, outage in fitted],
        uniform=uniform,
        not_trusted=len(verdicts) - len(trusted),
    )


def word_of_repeats(words: Iterable[Word], series: Series, asked: int) -> Word:
    """That of the worst drill; a series with fewer drills than asked for was stopped, and one may be refuted."""
    found = list(words)
    if len(found) < asked or not found:
        found.append(Word.STOPPED)
    if series.refuted:
        found.append(Word.REFUTED)
    worst = max(word.exit_code for word in found)
    return loudest({word for word in found if word.exit_code == worst}, Word.MEASURED)
