package io.github.switchover.jmeter.run;

import com.google.gson.annotations.SerializedName;

/** Why a run's word is what it is: the word that each reason leads to, and its text with places for its figures. */
public enum ReasonCode {
    @SerializedName("not_healed")
    NOT_HEALED(Word.NOT_HEALED, "the heal of {fault} was not verified: the target may still be broken{why}"),
    @SerializedName("stopped")
    STOPPED(Word.STOPPED, "{why}"),
    @SerializedName("no_end")
    NO_END(Word.STOPPED, "the run did not reach its end: run.json has no start or no end"),
    @SerializedName("not_fired")
    NOT_FIRED(Word.NOT_FIRED, "{fault} was planned, and was not fired{why}"),
    @SerializedName("fault_error")
    FAULT_ERROR(Word.NOT_TRUSTED, "{why}"),
    @SerializedName("not_confirmed")
    NOT_CONFIRMED(Word.NOT_TRUSTED, "{fault} was fired, but nothing proved that it took effect{why}"),
    @SerializedName("no_probe")
    NO_PROBE(Word.NOT_TRUSTED, "there is no probe: nothing measured the outage"),
    @SerializedName("failed_before")
    FAILED_BEFORE(Word.NOT_TRUSTED, "{failed:,} of {total:,} probes failed in the baseline{most}"),
    @SerializedName("no_probe_before")
    NO_PROBE_BEFORE(
            Word.NOT_TRUSTED, "there is no probe in the baseline: nothing says that the service was well before"),
    @SerializedName("late_before")
    LATE_BEFORE(
            Word.NOT_TRUSTED,
            "{late:,} of {total:,} probes came late in the baseline: those after the fault need not be its cost"),
    @SerializedName("load_failed_before")
    LOAD_FAILED_BEFORE(Word.NOT_TRUSTED, "{failed:,} of {total:,} requests of the load failed in the baseline{most}"),
    @SerializedName("other_master")
    OTHER_MASTER(Word.NOT_TRUSTED, "{node} gave {answers:,} answers in the baseline: {master} was not the only master"),
    @SerializedName("no_account")
    NO_ACCOUNT(Word.NOT_TRUSTED, "the generator left no account of what it sent{why}"),
    @SerializedName("probes_lost")
    PROBES_LOST(Word.NOT_TRUSTED, "{lost:,} probes were sent, but could not be written down: is the disk full?"),
    @SerializedName("load_not_ended")
    LOAD_NOT_ENDED(Word.NOT_TRUSTED, "the load did not end in order: what it had not written down is missing"),
    @SerializedName("worker_lost")
    WORKER_LOST(Word.NOT_TRUSTED, "{worker} was lost: what else it had sent is not known"),
    @SerializedName("samples_lost")
    SAMPLES_LOST(Word.NOT_TRUSTED, "{lost:,} samples of {worker} could not be written down: is the disk full?"),
    @SerializedName("no_sample")
    NO_SAMPLE(Word.NOT_TRUSTED, "the load left no sample"),
    @SerializedName("samples_differ")
    SAMPLES_DIFFER(Word.NOT_TRUSTED, "the load recorded {recorded:,} samples, and {found:,} are here"),
    @SerializedName("part_missing")
    PART_MISSING(Word.NOT_TRUSTED, "{name} is missing: the run was to write it, but it is not here"),
    @SerializedName("file_damaged")
    FILE_DAMAGED(Word.NOT_TRUSTED, "{what}"),
    @SerializedName("record_ends")
    RECORD_ENDS(
            Word.NOT_TRUSTED,
            "{name} ends {early_s:.1f} s before the run does: what it witnesses is not known from there on"),
    @SerializedName("count_differs")
    COUNT_DIFFERS(Word.NOT_TRUSTED, "{name} has {found:,} requests, and the run recorded {recorded:,}"),
    @SerializedName("unseen")
    UNSEEN(
            Word.NOT_TRUSTED,
            "{figure}: nothing was sent for {unseen_ms:,} ms, {after_s:.1f} s after the {event}: what happened then was "
                    + "not seen"),
    @SerializedName("wide_bound")
    WIDE_BOUND(Word.NOT_TRUSTED, "{figure}: {low_ms:,} to {high_ms:,} ms is too wide to say anything"),
    @SerializedName("budget_unmeasured")
    BUDGET_UNMEASURED(Word.NOT_TRUSTED, "budget {budget}: {why}"),
    @SerializedName("not_written")
    NOT_WRITTEN(Word.NOT_TRUSTED, "{why}"),
    @SerializedName("not_recovered")
    NOT_RECOVERED(
            Word.NOT_RECOVERED, "{figure}: the service was not back at the end of its phase, {low_ms:,} ms or longer"),
    @SerializedName("budget_broken")
    BUDGET_BROKEN(Word.BROKEN, "{figure}, budget {limit}{why}"),
    @SerializedName("budget_undecided")
    BUDGET_UNDECIDED(Word.UNDECIDED, "{figure}, budget {limit}: this run cannot tell{why}"),
    @SerializedName("needs_report")
    NEEDS_REPORT(Word.UNDECIDED, "{what}: run switchover report {run}");

    private final Word word;
    private final String template;

    ReasonCode(Word word, String template) {
        this.word = word;
        this.template = template;
    }

    public Word word() {
        return word;
    }

    /** {@code {lost:,}} is a whole number in groups of three digits, {@code {after_s:.1f}} one with one decimal. */
    public String template() {
        return template;
    }
}
