"""Why a run's word is what it is: a code with its figures, and the text that is made of them at the end."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from switchover.analysis.word import Word

Figure = int | float | str | None


class ReasonCode(StrEnum):
    """Every reason, by what a program can look for."""

    NOT_HEALED = "not_healed"
    STILL_BROKEN = "still_broken"
    STOPPED = "stopped"
    NO_END = "no_end"
    NOT_FIRED = "not_fired"
    NO_EFFECT = "no_effect"
    FAULT_ERROR = "fault_error"
    NOT_CONFIRMED = "not_confirmed"
    HEALED_BY_OTHERS = "healed_by_others"
    UNWITNESSED = "unwitnessed"
    NO_PROBE = "no_probe"
    FAILED_BEFORE = "failed_before"
    NO_PROBE_BEFORE = "no_probe_before"
    LOAD_FAILED_BEFORE = "load_failed_before"
    OTHER_MASTER = "other_master"
    NO_ACCOUNT = "no_account"
    PROBES_LOST = "probes_lost"
    LOAD_NOT_ENDED = "load_not_ended"
    WORKER_LOST = "worker_lost"
    SAMPLES_LOST = "samples_lost"
    NO_SAMPLE = "no_sample"
    SAMPLES_DIFFER = "samples_differ"
    PART_MISSING = "part_missing"
    LOGS_DAMAGED = "logs_damaged"
    UNSEEN = "unseen"
    WIDE_BOUND = "wide_bound"
    BUDGET_UNMEASURED = "budget_unmeasured"
    NOT_WRITTEN = "not_written"
    NOT_RECOVERED = "not_recovered"
    NOT_WHOLE = "not_whole"
    BUDGET_BROKEN = "budget_broken"
    BUDGET_UNDECIDED = "budget_undecided"


_TEXTS: Mapping[ReasonCode, tuple[Word, str]] = {
    ReasonCode.NOT_HEALED: (
        Word.NOT_HEALED,
        "the heal of {fault} was not verified: the target may still be broken{why}",
    ),
    ReasonCode.STILL_BROKEN: (Word.NOT_HEALED, "{fault} was healed, but {seen}"),
    ReasonCode.STOPPED: (Word.STOPPED, "{why}"),
    ReasonCode.NO_END: (Word.STOPPED, "the run did not reach its end: run.json has no start or no end"),
    ReasonCode.NOT_FIRED: (Word.NOT_FIRED, "{fault} was planned, and was not fired{why}"),
    ReasonCode.NO_EFFECT: (Word.NO_EFFECT, "{fault} was fired without effect: {seen}"),
    ReasonCode.FAULT_ERROR: (Word.NOT_TRUSTED, "{why}"),
    ReasonCode.NOT_CONFIRMED: (Word.NOT_TRUSTED, "{fault} was fired, but nothing proved that it took effect{why}"),
    ReasonCode.HEALED_BY_OTHERS: (Word.NOT_TRUSTED, "{fault} was healed by {by}, not by the run itself{why}"),
    ReasonCode.UNWITNESSED: (
        Word.UNWITNESSED,
        "only its own commands say that {fault} did anything: no request was impaired, and no telemetry of the "
        "target would show it",
    ),
    ReasonCode.NO_PROBE: (Word.NOT_TRUSTED, "there is no probe: nothing measured the outage"),
    ReasonCode.FAILED_BEFORE: (
        Word.NOT_TRUSTED,
        "{failed:,} of {total:,} probes failed in the baseline, before the fault",
    ),
    ReasonCode.NO_PROBE_BEFORE: (
        Word.NOT_TRUSTED,
        "there is no probe in the baseline: nothing says that the service was well before",
    ),
    ReasonCode.LOAD_FAILED_BEFORE: (
        Word.NOT_TRUSTED,
        "{failed:,} of {total:,} requests of the load failed in the baseline, before the fault",
    ),
    ReasonCode.OTHER_MASTER: (
        Word.NOT_TRUSTED,
        "{node} gave {answers:,} answers in the baseline: {master} was not the only master",
    ),
    ReasonCode.NO_ACCOUNT: (Word.NOT_TRUSTED, "the generator left no account of what it sent{why}"),
    ReasonCode.PROBES_LOST: (
        Word.NOT_TRUSTED,
        "{lost:,} probes were sent, but could not be written down: is the disk full?",
    ),
    ReasonCode.LOAD_NOT_ENDED: (
        Word.NOT_TRUSTED,
        "the load did not end in order: what it had not written down is missing",
    ),
    ReasonCode.WORKER_LOST: (Word.NOT_TRUSTED, "{worker} was lost: what else it had sent is not known"),
    ReasonCode.SAMPLES_LOST: (
        Word.NOT_TRUSTED,
        "{lost:,} samples of {worker} could not be written down: is the disk full?",
    ),
    ReasonCode.NO_SAMPLE: (Word.NOT_TRUSTED, "the load left no sample"),
    ReasonCode.SAMPLES_DIFFER: (
        Word.NOT_TRUSTED,
        "the load recorded {recorded:,} samples, and {found:,} are here",
    ),
    ReasonCode.PART_MISSING: (Word.NOT_TRUSTED, "{name} is missing: the run was to write it, but it is not here"),
    ReasonCode.LOGS_DAMAGED: (Word.NOT_TRUSTED, "{why}"),
    ReasonCode.UNSEEN: (
        Word.NOT_TRUSTED,
        "{figure}: nothing was sent for {unseen_ms:,} ms, {after_s:.1f} s after the {event}: what happened then was "
        "not seen",
    ),
    ReasonCode.WIDE_BOUND: (
        Word.NOT_TRUSTED,
        "{figure}: {low_ms:,} to {high_ms:,} ms is too wide to say anything",
    ),
    ReasonCode.BUDGET_UNMEASURED: (Word.NOT_TRUSTED, "budget {budget}: {why}"),
    ReasonCode.NOT_WRITTEN: (Word.NOT_TRUSTED, "{why}"),
    ReasonCode.NOT_RECOVERED: (
        Word.NOT_RECOVERED,
        "{figure}: the service was not back at the end of its phase, {low_ms:,} ms or longer",
    ),
    ReasonCode.NOT_WHOLE: (Word.NOT_WHOLE, "the pair is not as it was before: {seen}"),
    ReasonCode.BUDGET_BROKEN: (Word.BROKEN, "{figure}, budget {limit}{why}"),
    ReasonCode.BUDGET_UNDECIDED: (Word.UNDECIDED, "{figure}, budget {limit}: this run cannot tell{why}"),
}
"""The word that a reason leads to, and its text."""


@dataclass(frozen=True, slots=True)
class Reason:
    code: ReasonCode
    figures: Mapping[str, Figure] = field(default_factory=dict)
    """What the text names. `cause`, where the machine's own points tell it, stands at its end in brackets."""

    @property
    def word(self) -> Word:
        return _TEXTS[self.code][0]

    @property
    def text(self) -> str:
        cause = self.figures.get("cause")
        return _TEXTS[self.code][1].format_map(self.figures) + (f" ({cause})" if cause else "")

    def __hash__(self) -> int:
        return hash((self.code, tuple(self.figures.items())))


def because(why: str | None) -> str:
    """What stands behind the text of a reason, if anything is known."""
    return f": {why}" if why else ""
