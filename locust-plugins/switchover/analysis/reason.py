"""Why a run's word is what it is: a code with its figures, and the text that is made of them at the end."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self

from switchover.analysis.word import Word

Figure = int | float | str | None


class ReasonCode(StrEnum):
    """Every reason, by what a program can look for: its code, the word that it leads to, and its text."""

    word: Word
    text: str

    def __new__(cls, code: str, word: Word = Word.NOT_TRUSTED, text: str = "{why}") -> Self:
        found = str.__new__(cls, code)
        found._value_, found.word, found.text = code, word, text
        return found

    NOT_HEALED = (
        "not_healed",
        Word.NOT_HEALED,
        ("the heal of {fault} was not verified: the target may still be broken{why}"),
    )
    STILL_BROKEN = "still_broken", Word.NOT_HEALED, "{fault} was healed, but {seen}"
    STOPPED = "stopped", Word.STOPPED, "{why}"
    NO_END = "no_end", Word.STOPPED, "the run did not reach its end: run.json has no start or no end"
    NOT_FIRED = "not_fired", Word.NOT_FIRED, "{fault} was planned, and was not fired{why}"
    NO_EFFECT = "no_effect", Word.NO_EFFECT, "{fault} was fired without effect: {seen}"
    FAULT_ERROR = "fault_error", Word.NOT_TRUSTED, "{why}"
    NOT_CONFIRMED = (
        "not_confirmed",
        Word.NOT_TRUSTED,
        ("{fault} was fired, but nothing proved that it took effect{why}"),
    )
    HEALED_BY_OTHERS = "healed_by_others", Word.NOT_TRUSTED, "{fault} was healed by {by}, not by the run itself{why}"
    UNWITNESSED = (
        "unwitnessed",
        Word.UNWITNESSED,
        (
            "only its own commands say that {fault} did anything: no request was impaired, and no telemetry of "
            "the target would show it"
        ),
    )
    NO_PROBE = "no_probe", Word.NOT_TRUSTED, "there is no probe: nothing measured the outage"
    FAILED_BEFORE = (
        "failed_before",
        Word.NOT_TRUSTED,
        ("{failed:,} of {total:,} probes failed in the baseline, before the fault{most}"),
    )
    NO_PROBE_BEFORE = (
        "no_probe_before",
        Word.NOT_TRUSTED,
        ("there is no probe in the baseline: nothing says that the service was well before"),
    )
    LOAD_FAILED_BEFORE = (
        "load_failed_before",
        Word.NOT_TRUSTED,
        ("{failed:,} of {total:,} requests of the load failed in the baseline, before the fault{most}"),
    )
    OTHER_MASTER = (
        "other_master",
        Word.NOT_TRUSTED,
        ("{node} gave {answers:,} answers in the baseline: {master} was not the only master"),
    )
    NO_ACCOUNT = "no_account", Word.NOT_TRUSTED, "the generator left no account of what it sent{why}"
    PROBES_LOST = (
        "probes_lost",
        Word.NOT_TRUSTED,
        ("{lost:,} probes were sent, but could not be written down: is the disk full?"),
    )
    LOAD_NOT_ENDED = (
        "load_not_ended",
        Word.NOT_TRUSTED,
        ("the load did not end in order: what it had not written down is missing"),
    )
    WORKER_LOST = "worker_lost", Word.NOT_TRUSTED, "{worker} was lost: what else it had sent is not known"
    SAMPLES_LOST = (
        "samples_lost",
        Word.NOT_TRUSTED,
        ("{lost:,} samples of {worker} could not be written down: is the disk full?"),
    )
    NO_SAMPLE = "no_sample", Word.NOT_TRUSTED, "the load left no sample"
    SAMPLES_DIFFER = (
        "samples_differ",
        Word.NOT_TRUSTED,
        ("the load recorded {recorded:,} samples, and {found:,} are here"),
    )
    PART_MISSING = "part_missing", Word.NOT_TRUSTED, "{name} is missing: the run was to write it, but it is not here"
    LOGS_DAMAGED = "logs_damaged", Word.NOT_TRUSTED, "{why}"
    FILE_DAMAGED = "file_damaged", Word.NOT_TRUSTED, "{what}"
    RECORD_ENDS = (
        "record_ends",
        Word.NOT_TRUSTED,
        ("{name} ends {early_s:.1f} s before the run does: what it witnesses is not known from there on"),
    )
    COUNT_DIFFERS = (
        "count_differs",
        Word.NOT_TRUSTED,
        ("{name} has {found:,} requests, and the run recorded {recorded:,}"),
    )
    UNSEEN = (
        "unseen",
        Word.NOT_TRUSTED,
        (
            "{figure}: nothing was sent for {unseen_ms:,} ms, {after_s:.1f} s after the {event}: what happened "
            "then was not seen"
        ),
    )
    WIDE_BOUND = "wide_bound", Word.NOT_TRUSTED, "{figure}: {low_ms:,} to {high_ms:,} ms is too wide to say anything"
    BUDGET_UNMEASURED = "budget_unmeasured", Word.NOT_TRUSTED, "budget {budget}: {why}"
    NOT_WRITTEN = "not_written", Word.NOT_TRUSTED, "{why}"
    NOT_RECOVERED = (
        "not_recovered",
        Word.NOT_RECOVERED,
        ("{figure}: the service was not back at the end of its phase, {low_ms:,} ms or longer"),
    )
    NOT_WHOLE = "not_whole", Word.NOT_WHOLE, "the pair is not as it was before: {seen}"
    BUDGET_BROKEN = "budget_broken", Word.BROKEN, "{figure}, budget {limit}{why}"
    BUDGET_UNDECIDED = "budget_undecided", Word.UNDECIDED, "{figure}, budget {limit}: this run cannot tell{why}"


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

    def __hash__(self) -> int:
        return hash((self.code, tuple(self.figures.items())))


def because(why: str | None) -> str:
    """What stands behind the text of a reason, if anything is known."""
    return f": {why}" if why else ""
