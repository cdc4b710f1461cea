package io.github.switchover.jmeter.view.live;

import java.util.List;
import java.util.Map;

/**
 * {@code verdict.json} as far as it is shown: bounded in size whatever the run was like. Null is what is not known.
 *
 * @param passed null: as far as it can be told without the reconciliation
 * @param probes null without a metronome
 * @param samples null without a load
 * @param distribution by phase, in the order of the run; probes and requests together
 * @param anatomy empty where only {@code switchover report} can tell
 * @param reconciliation null where only {@code switchover report} can tell
 */
public record Judgement(
        Boolean passed,
        boolean trusted,
        List<String> reasons,
        List<String> warnings,
        List<JudgedBudget> budgets,
        JudgedOutage outage,
        JudgedOutage failback,
        Prediction prediction,
        Double splitBrainMs,
        JudgedPopulation probes,
        JudgedPopulation samples,
        Map<String, JudgedAnswers> distribution,
        List<Step> anatomy,
        Reconciliation reconciliation) {

    /** A budget with what became of it; {@code passed} null: unknown. */
    public record JudgedBudget(String name, Double limit, Double value, String unit, Boolean passed, String note) {}

    /** An outage, or the failback. */
    public record JudgedOutage(
            String kind,
            double durationMs,
            double earlyMs,
            boolean censored,
            boolean recovered,
            Long toUs,
            Double lossDerivedMs,
            long impaired) {}

    /** What theory promises for the outage. */
    public record Prediction(Double lowMs, Double highMs, Boolean inside) {}

    /** Counts of requests or probes, of all and by phase. */
    public record JudgedPopulation(JudgedCounts whole, Map<String, JudgedCounts> byPhase) {}

    /** Counts of one phase, or of all of them. */
    public record JudgedCounts(long total, long failed, long late, Map<String, Long> byKind) {

        static final JudgedCounts NONE = new JudgedCounts(0, 0, 0, Map.of());
    }

    /** Answers by name. */
    public record JudgedAnswers(Map<String, Long> backends, Map<String, Long> balancers) {}

    /** A step of the anatomy. */
    public record Step(String step, Double afterKillMs, Double boundMs, String witness, boolean undecided) {}

    /** Whether everybody counted the same. */
    public record Reconciliation(
            boolean exclusive, Long equal, Long explained, Long unexplained, List<ReconciliationLine> lines) {

        /** What one witness counted, beside the clients. */
        public record ReconciliationLine(
                String name,
                String node,
                Long client,
                Long witness,
                Long difference,
                Long unexplained,
                String because) {}
    }

    public Judgement {
        reasons = List.copyOf(reasons);
        warnings = List.copyOf(warnings);
        budgets = List.copyOf(budgets);
        anatomy = List.copyOf(anatomy);
    }

    /** As the console says it: trust comes first, and nobody shall read of what no budget holds that it passed. */
    public String word() {
        if (!trusted) {
            return "not trusted";
        }
        if (Boolean.FALSE.equals(passed)) {
            return "failed";
        }
        boolean back = (outage == null || outage.recovered) && (failback == null || failback.recovered);
        String word = budgets.isEmpty() ? "measured" : "passed";
        return back ? word : "not recovered";
    }

    public boolean good() {
        return word().equals("passed") || word().equals("measured");
    }
}
