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

    public static final int SCHEMA = 2;
    public static final int EXIT_PASSED = 0;
    public static final int EXIT_UNTRUSTED = 2;

    /**
     * What the figures amount to.
     *
     * @param word null: unknown, like {@code exitCode} and {@code trusted}
     * @param trusted no figure may be wrong, or be one of something else than the plan says
     * @param reasons why the word is no better
     */
    public record Judgement(
            Word word,
            Integer exitCode,
            Boolean trusted,
            List<VerdictReason> reasons,
            List<String> warnings,
            List<BudgetResult> budgets) {
        public Judgement {
            reasons = RunFile.copy(reasons);
            warnings = RunFile.copy(warnings);
            budgets = RunFile.copy(budgets);
        }

        /** The loudest word of the reasons; without one {@code fine}, which is what was asked of the run. */
        public static Judgement of(
                Word fine, List<VerdictReason> reasons, List<String> warnings, List<BudgetResult> budgets) {
            Word word = Word.loudest(reasons.stream().map(VerdictReason::word).toList(), fine);
            boolean trusted = reasons.stream().noneMatch(reason -> reason.word().isDistrust());
            return new Judgement(word, word.exitCode(), trusted, reasons, warnings, budgets);
        }

        /** What a run without any reason is called. */
        public static Word fine(boolean rehearsed, Collection<BudgetResult> budgets) {
            if (rehearsed) {
                return Word.REHEARSED;
            }
            return budgets.stream().allMatch(budget -> budget.asked().isDefault()) ? Word.MEASURED : Word.PASSED;
        }
    }

    public Word word() {
        return judgement.word == null ? Word.NOT_TRUSTED : judgement.word;
    }

    public int exitCode() {
        return judgement.exitCode == null ? word().exitCode() : judgement.exitCode;
    }

    public List<VerdictReason> reasons() {
        return judgement.reasons;
    }

    /** The texts of the reasons, the loudest first. */
    public List<String> reasonTexts() {
        return judgement.reasons.stream()
                .sorted((one, other) -> one.word().compareTo(other.word()))
                .map(VerdictReason::text)
                .toList();
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

    /** The same, with one more reason. */
    public Verdict because(VerdictReason reason) {
        List<VerdictReason> reasons =
                Stream.concat(reasons().stream(), Stream.of(reason)).toList();
        return with(Judgement.of(word(), reasons, judgement.warnings, judgement.budgets));
    }

    public Verdict with(Judgement other) {
        return new Verdict(schema, run, other, service, requests, owners);
    }
}
