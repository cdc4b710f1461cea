package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Inline;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * {@code verdict.json}: what a run measured. Null is what it could not know, or what only {@code switchover report}
 * computes; it is never 0.
 *
 * @param run its id
 */
public record Verdict(
        int schema,
        String run,
        @Inline Judgement judgement,
        @Inline ServiceFigures service,
        @Inline RequestFigures requests,
        @Inline OwnerFigures owners) {

    public static final int SCHEMA = 3;
    public static final int EXIT_PASSED = 0;
    public static final int EXIT_INVALID = 2;

    /**
     * What the figures amount to.
     *
     * @param status null: unknown, like {@code exitCode} and {@code trusted}
     * @param valid no figure may be wrong, or be one of something else than the plan says
     * @param reasons why the word is no better
     */
    public record Judgement(
            Status status,
            Integer exitCode,
            Boolean valid,
            List<VerdictReason> reasons,
            List<String> warnings,
            List<LimitResult> limits) {
        public Judgement {
            reasons = RunFile.copy(reasons);
            warnings = RunFile.copy(warnings);
            limits = RunFile.copy(limits);
        }

        /** The loudest word of the reasons; without one {@code fine}, which is what was asked of the run. */
        public static Judgement of(
                Status fine, List<VerdictReason> reasons, List<String> warnings, List<LimitResult> limits) {
            Status status =
                    Status.loudest(reasons.stream().map(VerdictReason::status).toList(), fine);
            boolean valid = reasons.stream().noneMatch(reason -> reason.status().isDistrust());
            return new Judgement(status, status.exitCode(), valid, reasons, warnings, limits);
        }

        /** What a run without any reason is called. */
        public static Status fine(boolean dryRun, Collection<LimitResult> limits) {
            if (dryRun) {
                return Status.DRY_RUN;
            }
            return limits.stream().allMatch(limit -> limit.asked().isDefault()) ? Status.MEASURED : Status.PASSED;
        }
    }

    public Status status() {
        return judgement.status == null ? Status.INVALID : judgement.status;
    }

    public int exitCode() {
        return judgement.exitCode == null ? status().exitCode() : judgement.exitCode;
    }

    public List<VerdictReason> reasons() {
        return judgement.reasons;
    }

    /** The texts of the reasons, the loudest first. */
    public List<String> reasonTexts() {
        return judgement.reasons.stream()
                .sorted((one, other) -> one.status().compareTo(other.status()))
                .map(VerdictReason::text)
                .toList();
    }

    public List<String> warnings() {
        return judgement.warnings;
    }

    public List<LimitResult> limits() {
        return judgement.limits;
    }

    public OutageFigures outage() {
        return service.outage();
    }

    public OutageFigures failback() {
        return service.failback();
    }

    public Population probes() {
        return requests.probes();
    }

    public Population samples() {
        return requests.samples();
    }

    public Distribution distribution() {
        return requests.distribution();
    }

    /** The same, with one more reason. */
    public Verdict because(VerdictReason reason) {
        List<VerdictReason> reasons =
                Stream.concat(reasons().stream(), Stream.of(reason)).toList();
        return with(Judgement.of(status(), reasons, judgement.warnings, judgement.limits));
    }

    public Verdict with(Judgement other) {
        return new Verdict(schema, run, other, service, requests, owners);
    }
}
