package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Inline;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * {@code verdict.json}: what a run measured. Null is what it could not know, or what only {@code switchover report}
 * computes; it is never 0.
 */
public record Verdict(
        @Inline Judgement judgement,
        @Inline ServiceFigures service,
        @Inline RequestFigures requests,
        @Inline OwnerFigures owners) {

    public static final int SCHEMA = 1;
    public static final int EXIT_PASSED = 0;
    public static final int EXIT_BROKEN = 1;
    public static final int EXIT_UNTRUSTED = 2;

    /**
     * What the figures amount to.
     *
     * @param run its id
     * @param passed every budget is kept, by figures that can be trusted; null: as far as it can be told here
     * @param reasons why it must not be believed; empty: it can be trusted
     */
    public record Judgement(
            int schema,
            String run,
            Boolean passed,
            Boolean trusted,
            List<String> reasons,
            List<String> warnings,
            List<BudgetResult> budgets) {
        public Judgement {
            reasons = RunFile.copy(reasons);
            warnings = RunFile.copy(warnings);
            budgets = RunFile.copy(budgets);
        }
    }

    public Boolean passed() {
        return judgement.passed;
    }

    public boolean trusted() {
        return Boolean.TRUE.equals(judgement.trusted);
    }

    public List<String> reasons() {
        return judgement.reasons;
    }

    public List<String> warnings() {
        return judgement.warnings;
    }

    public List<BudgetResult> budgets() {
        return judgement.budgets;
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

    /** As far as the probes looked, the service was back, and stayed, after the fault and after its heal. */
    public boolean recovered() {
        return Stream.of(outage(), failback()).filter(Objects::nonNull).allMatch(OutageFigures::recovered);
    }

    /** 0 all budgets kept that can be told here, 1 one broken, 2 not trusted or not done; 2 outranks 1. */
    public int exitCode() {
        if (!trusted()) {
            return EXIT_UNTRUSTED;
        }
        return Boolean.FALSE.equals(passed()) ? EXIT_BROKEN : EXIT_PASSED;
    }

    /** The verdict in one word or two; what no budget holds is measured, not passed. */
    public String word() {
        return switch (exitCode()) {
            case EXIT_UNTRUSTED -> "not trusted";
            case EXIT_BROKEN -> "failed";
            default -> !recovered() ? "not recovered" : budgets().isEmpty() ? "measured" : "passed";
        };
    }

    /** The same, with one more reason why it must not be believed. */
    public Verdict because(String reason) {
        List<String> reasons =
                Stream.concat(reasons().stream(), Stream.of(reason)).toList();
        return with(new Judgement(
                judgement.schema, judgement.run, false, false, reasons, judgement.warnings, judgement.budgets));
    }

    public Verdict with(Judgement other) {
        return new Verdict(other, service, requests, owners);
    }

    /** The same, with one more warning. */
    public Verdict warning(String text) {
        List<String> warnings =
                Stream.concat(warnings().stream(), Stream.of(text)).toList();
        return with(new Judgement(
                judgement.schema,
                judgement.run,
                judgement.passed,
                judgement.trusted,
                judgement.reasons,
                warnings,
                judgement.budgets));
    }

    /** What is unknown here is taken from a verdict of {@code switchover report} on the same run. */
    public Verdict completedBy(Verdict report) {
        List<BudgetResult> budgets = budgets().stream().map(report::knownOr).toList();
        return new Verdict(
                new Judgement(
                        judgement.schema,
                        judgement.run,
                        judgement.passed,
                        judgement.trusted,
                        judgement.reasons,
                        judgement.warnings,
                        budgets),
                new ServiceFigures(
                        service.outage(), service.failback(), report.service.prediction(), report.service.anatomy()),
                new RequestFigures(
                        requests.probes(),
                        requests.samples(),
                        requests.load(),
                        requests.distribution(),
                        report.requests.reconciliation(),
                        requests.generator()),
                owners);
    }

    private BudgetResult knownOr(BudgetResult own) {
        return own.passed() != null
                ? own
                : budgets().stream()
                        .filter(other -> own.name().equals(other.name()) && other.passed() != null)
                        .findFirst()
                        .orElse(own);
    }
}
