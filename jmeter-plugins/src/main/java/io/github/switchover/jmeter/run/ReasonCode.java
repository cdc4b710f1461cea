package io.github.switchover.jmeter.run;

import com.google.gson.annotations.SerializedName;

/** Why a run's word is what it is: the word that each reason leads to, and its text with places for its figures. */
public enum ReasonCode {
    @SerializedName("not_healed")
    NOT_HEALED(Status.NOT_HEALED, "the heal of {fault} was not verified: the target may still be broken{why}"),
    @SerializedName("stopped")
    STOPPED(Status.STOPPED, "{why}"),
    @SerializedName("no_end")
    NO_END(Status.STOPPED, "the run did not reach its end: run.json has no start or no end"),
    @SerializedName("not_fired")
    NOT_FIRED(Status.NOT_FIRED, "{fault} was planned, and was not fired{why}"),
    @SerializedName("fault_error")
    FAULT_ERROR(Status.INVALID, "{why}"),
    @SerializedName("not_confirmed")
    NOT_CONFIRMED(Status.INVALID, "{fault} was fired, but nothing proved that it took effect{why}"),
    @SerializedName("no_probe")
    NO_PROBE(Status.INVALID, "there is no probe: nothing measured the outage"),
    @SerializedName("failed_before")
    FAILED_BEFORE(Status.INVALID, "{failed:,} of {total:,} probes failed in the baseline{most}"),
    @SerializedName("no_probe_before")
    NO_PROBE_BEFORE(Status.INVALID, "there is no probe in the baseline: nothing says that the service was well before"),
    @SerializedName("late_before")
    LATE_BEFORE(
            Status.INVALID,
            "{late:,} of {total:,} probes came late in the baseline: those after the fault need not be its cost"),
    @SerializedName("load_failed_before")
    LOAD_FAILED_BEFORE(Status.INVALID, "{failed:,} of {total:,} requests of the load failed in the baseline{most}"),
    @SerializedName("other_master")
    OTHER_MASTER(Status.INVALID, "{node} gave {answers:,} answers in the baseline: {master} was not the only master"),
    @SerializedName("no_account")
    NO_ACCOUNT(Status.INVALID, "the generator left no account of what it sent{why}"),
    @SerializedName("probes_lost")
    PROBES_LOST(Status.INVALID, "{lost:,} probes were sent, but could not be written down: is the disk full?"),
    @SerializedName("load_not_ended")
    LOAD_NOT_ENDED(Status.INVALID, "the load did not end in order: what it had not written down is missing"),
    @SerializedName("worker_lost")
    WORKER_LOST(Status.INVALID, "{worker} was lost: what else it had sent is not known"),
    @SerializedName("samples_lost")
    SAMPLES_LOST(Status.INVALID, "{lost:,} samples of {worker} could not be written down: is the disk full?"),
    @SerializedName("no_sample")
    NO_SAMPLE(Status.INVALID, "the load left no sample"),
    @SerializedName("samples_differ")
    SAMPLES_DIFFER(Status.INVALID, "the load recorded {recorded:,} samples, and {found:,} are here"),
    @SerializedName("part_missing")
    PART_MISSING(Status.INVALID, "{name} is missing: the run was to write it, but it is not here"),
    @SerializedName("file_damaged")
    FILE_DAMAGED(Status.INVALID, "{what}"),
    @SerializedName("record_ends")
    RECORD_ENDS(
            Status.INVALID,
            "{name} ends {early_s:.1f} s before the run does: what it shows is not known from there on"),
    @SerializedName("count_differs")
    COUNT_DIFFERS(Status.INVALID, "{name} has {found:,} requests, and the run recorded {recorded:,}"),
    @SerializedName("unseen")
    UNSEEN(
            Status.INVALID,
            "{figure}: nothing was sent for {unseen_ms:,} ms, {after_s:.1f} s after the {event}: what happened then was "
                    + "not seen"),
    @SerializedName("wide_bound")
    WIDE_BOUND(Status.INVALID, "{figure}: {low_ms:,} to {high_ms:,} ms is too wide to say anything"),
    @SerializedName("limit_unmeasured")
    LIMIT_UNMEASURED(Status.INVALID, "limit {name}: {why}"),
    @SerializedName("not_written")
    NOT_WRITTEN(Status.INVALID, "{why}"),
    @SerializedName("not_recovered")
    NOT_RECOVERED(
            Status.NOT_RECOVERED,
            "{figure}: the service was not back at the end of its phase, {low_ms:,} ms or longer"),
    @SerializedName("limit_exceeded")
    LIMIT_EXCEEDED(Status.FAILED, "{figure}, limit {limit}{why}"),
    @SerializedName("limit_inconclusive")
    LIMIT_INCONCLUSIVE(Status.INCONCLUSIVE, "{figure}, limit {limit}: this run cannot tell{why}"),
    @SerializedName("needs_report")
    NEEDS_REPORT(Status.INCONCLUSIVE, "{what}: run switchover report {run}");

    private final Status status;
    private final String template;

    ReasonCode(Status status, String template) {
        this.status = status;
        this.template = template;
    }

    public Status status() {
        return status;
    }

    /** {@code {lost:,}} is a whole number in groups of three digits, {@code {after_s:.1f}} one with one decimal. */
    public String template() {
        return template;
    }
}
