package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.run.Run;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a run measured. Null is what it could not know, or what only {@code switchover report} computes; it is never 0.
 *
 * @param outage null without a metronome
 * @param failback null where nothing was healed in time to be seen
 * @param probes null without a metronome
 * @param samples null without a load
 * @param splitBrain null without a witness on every balancer, all the time
 * @param longestGap of the samples, between the fault and its heal; null without either
 * @param reasons why it must not be believed; empty: it can be trusted
 */
public record Verdict(
        Run run,
        Outage outage,
        Outage failback,
        Population probes,
        Population samples,
        SplitBrain splitBrain,
        Distribution distribution,
        AnswerGap longestGap,
        List<BudgetResult> budgets,
        List<String> reasons,
        List<String> warnings) {

    public static final int EXIT_PASSED = 0;
    public static final int EXIT_BROKEN = 1;
    public static final int EXIT_UNTRUSTED = 2;

    public Verdict {
        budgets = List.copyOf(budgets);
        reasons = List.copyOf(reasons);
        warnings = List.copyOf(warnings);
    }

    public boolean trusted() {
        return reasons.isEmpty();
    }

    /** As far as anybody looked, the service was back, and stayed, after the fault and after its heal. */
    public boolean recovered() {
        return Stream.of(Optional.ofNullable(outage), Optional.ofNullable(failback))
                .flatMap(Optional::stream)
                .allMatch(Outage::recovered);
    }

    /**
     * Every budget is kept, by figures that can be trusted. Null: as far as it can be told here; the reconciliation,
     * which {@code switchover report} computes, has a budget too.
     */
    public Boolean passed() {
        if (!trusted() || budgets.stream().anyMatch(result -> Boolean.FALSE.equals(result.passed()))) {
            return false;
        }
        boolean reconciled = Boolean.TRUE.equals(run.target().get("exclusive"))
                || budgets.stream().anyMatch(result -> result.budget().name() == Budget.Name.UNEXPLAINED);
        return reconciled ? null : (Boolean) true;
    }

    /** 0 all budgets kept that can be told here, 1 one broken, 2 not trusted or not done; 2 outranks 1. */
    public int exitCode() {
        if (!trusted()) {
            return EXIT_UNTRUSTED;
        }
        return Boolean.FALSE.equals(passed()) ? EXIT_BROKEN : EXIT_PASSED;
    }

    /** The same, with other reasons why it must not be believed. */
    public Verdict withReasons(List<String> others) {
        return new Verdict(
                run,
                outage,
                failback,
                probes,
                samples,
                splitBrain,
                distribution,
                longestGap,
                budgets,
                others,
                warnings);
    }
}
