"""Why a run's word is what it is: a code with its figures, and the text that is made of them at the end."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self

from switchover.analysis.word import Word

Figure = int | float | str | None


class ReasonCode(StrEnum):
    """Every reason, by what a program can look for: its code, its text, and the word that it leads to."""

    word: Word
    text: str

    def __new__(cls, code: str, text: str = "{why}", word: Word = Word.NOT_TRUSTED) -> Self:
        found = str.__new__(cls, code)
        found._value_, found.word, found.text = code, word, text
        return found

    NOT_HEALED = (
        "not_healed",
        "the heal of {fault} was not verified: the target may still be broken{why}",
        Word.NOT_HEALED,
    )
    STILL_BROKEN = "still_broken", "{fault} was healed, but {seen}", Word.NOT_HEALED
    STOPPED = "stopped", "{why}", Word.STOPPED
    NO_END = "no_end", "the run did not reach its end: run.json has no start or no end", Word.STOPPED
    NOT_FIRED = "not_fired", "{fault} was planned, and was not fired{why}", Word.NOT_FIRED
    NO_EFFECT = "no_effect", "{fault} was fired without effect: {seen}", Word.NO_EFFECT
    FAULT_ERROR = "fault_error"
    NOT_CONFIRMED = "not_confirmed", "{fault} was fired, but nothing proved that it took effect{why}"
    HEALED_BY_OTHERS = "healed_by_others", "{fault} was healed by {by}, not by the run itself{why}"
    UNWITNESSED = (
        "unwitnessed",
        "only its own commands say that {fault} did anything: no request was impaired, and no telemetry of "
        "the target would show it",
        Word.UNWITNESSED,
    )
    NO_PROBE = "no_probe", "there is no probe: nothing measured the outage"
    FAILED_BEFORE = "failed_before", "{failed:,} of {total:,} probes failed in the baseline{most}"
    NO_PROBE_BEFORE = (
        "no_probe_before",
        "there is no probe in the baseline: nothing says that the service was well before",
    )
    LATE_BEFORE = (
        "late_before",
        "{late:,} of {total:,} probes came late in the baseline: those after the fault need not be its cost",
    )
    LOAD_FAILED_BEFORE = (
        "load_failed_before",
        "{failed:,} of {total:,} requests of the load failed in the baseline{most}",
    )
    OTHER_MASTER = "other_master", "{node} gave {answers:,} answers in the baseline: {master} was not the only master"
    NO_ACCOUNT = "no_account", "the generator left no account of what it sent{why}"
    PROBES_LOST = "probes_lost", "{lost:,} probes were sent, but could not be written down: is the disk full?"
    LOAD_NOT_ENDED = "load_not_ended", "the load did not end in order: what it had not written down is missing"
    WORKER_LOST = "worker_lost", "{worker} was lost: what else it had sent is not known"
    SAMPLES_LOST = "samples_lost", "{lost:,} samples of {worker} could not be written down: is the disk full?"
    NO_SAMPLE = "no_sample", "the load left no sample"
    SAMPLES_DIFFER = "samples_differ", "the load recorded {recorded:,} samples, and {found:,} are here"
    PART_MISSING = "part_missing", "{name} is missing: the run was to write it, but it is not here"
    LOGS_DAMAGED = "logs_damaged"
    FILE_DAMAGED = "file_damaged", "{what}"
    RECORD_ENDS = (
        "record_ends",
        "{name} ends {early_s:.1f} s before the run does: what it witnesses is not known from there on",
    )
    COUNT_DIFFERS = "count_differs", "{name} has {found:,} requests, and the run recorded {recorded:,}"
    UNSEEN = (
        "unseen",
        "{figure}: nothing was sent for {unseen_ms:,} ms, {after_s:.1f} s after the {event}: what happened "
        "then was not seen",
    )
    WIDE_BOUND = "wide_bound", "{figure}: {low_ms:,} to {high_ms:,} ms is too wide to say anything"
    BUDGET_UNMEASURED = "budget_unmeasured", "budget {budget}: {why}"
    NOT_WRITTEN = "not_written"
    NOT_RECOVERED = (
        "not_recovered",
        "{figure}: the service was not back at the end of its phase, {low_ms:,} ms or longer",
        Word.NOT_RECOVERED,
    )
    NOT_WHOLE = "not_whole", "the pair is not as it was before: {seen}", Word.NOT_WHOLE
    BUDGET_BROKEN = "budget_broken", "{figure}, budget {limit}{why}", Word.BROKEN
    BUDGET_UNDECIDED = "budget_undecided", "{figure}, budget {limit}: this run cannot tell{why}", Word.UNDECIDED
    NEEDS_REPORT = "needs_report", "{what}: run switchover report {run}", Word.UNDECIDED
    """Only the short verdict of JMeter's plugin gives it."""


@dataclass(frozen=True, slots=True)
class Reason:
    code: ReasonCode
    figures: Mapping[str, Figure] = field(default_factory=dict)
    """What the text names. `cause`, where the machine's own points tell it, stands at its end in brackets."""

    @property
    def word(self) -> Word:
        return self.code.word

    @property
    def text(self) -> str:
        cause = self.figures.get("cause")
        return self.code.text.format_map(self.figures) + (f" ({cause})" if cause else "")


def because(why: str | None) -> str:
    """What stands behind the text of a reason, if anything is known."""
    return f": {why}" if why else ""
