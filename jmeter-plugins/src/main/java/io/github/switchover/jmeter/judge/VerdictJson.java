package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.run.Run;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code verdict.json}: the verdict as data, in the schema of docs/verdict.md. What is unknown is null, never 0; so is
 * what only {@code switchover report} computes.
 */
public final class VerdictJson {

    public static final int SCHEMA = 1;

    /** Gaps that are listed one by one; {@code gap_count} has them all. */
    static final int GAPS_LIMIT = 200;

    private VerdictJson() {}

    public static Map<String, Object> of(Verdict verdict) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("schema", SCHEMA);
        values.put("run", verdict.run().id());
        values.put("passed", verdict.passed());
        values.put("trusted", verdict.trusted());
        values.put("reasons", verdict.reasons());
        values.put("warnings", verdict.warnings());
        values.put(
                "budgets", verdict.budgets().stream().map(VerdictJson::budget).toList());
        values.put("outage", outage(verdict.outage()));
        values.put("prediction", null);
        values.put("anatomy", null);
        values.put("probes", CountsJson.population(verdict.probes()));
        values.put("samples", CountsJson.population(verdict.samples()));
        values.put("load", verdict.samples() == null ? null : load(verdict.longestGap()));
        SplitBrain splitBrain = verdict.splitBrain();
        values.put("split_brain_ms", splitBrain == null ? null : milliseconds(splitBrain.totalUs()));
        values.put("split_brain", splitBrain(splitBrain));
        values.put("failback", outage(verdict.failback()));
        values.put("distribution", CountsJson.distribution(verdict.distribution()));
        values.put("reconciliation", null);
        values.put("generator", generator(verdict.run()));
        return values;
    }

    static Double milliseconds(long microseconds) {
        return milliseconds((double) microseconds);
    }

    private static Double milliseconds(double microseconds) {
        return Numbers.round(microseconds / 1000, 3);
    }

    /** Limits and values in milliseconds, shares (0 to 1) or requests, as {@code unit} says. */
    private static Map<String, Object> budget(BudgetResult result) {
        Budget budget = result.budget();
        int decimals = budget.unit() == Budget.Unit.MILLISECONDS ? 3 : 9;
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("name", budget.name().label());
        values.put("limit", budget.limit());
        values.put("unit", budget.unit().label());
        values.put("value", result.value() == null ? null : (Double) Numbers.round(result.value(), decimals));
        values.put("passed", result.passed());
        values.put("default", budget.isDefault());
        values.put("note", result.note());
        return values;
    }

    private static Map<String, Object> outage(Outage outage) {
        if (outage == null) {
            return null;
        }
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("kind", outage.kind().label());
        values.put("duration_ms", milliseconds(outage.durationUs()));
        values.put("early_ms", milliseconds(outage.earlyUs()));
        values.put("censored", outage.censored());
        values.put("recovered", outage.recovered());
        values.put("from_us", outage.fromUs());
        values.put("to_us", outage.toUs());
        values.put("envelope_ms", milliseconds(outage.envelopeUs()));
        values.put("sum_of_gaps_ms", milliseconds(outage.sumOfGapsUs()));
        values.put(
                "loss_derived_ms",
                outage.lossDerivedMs() == null ? null : (Double) Numbers.round(outage.lossDerivedMs(), 3));
        values.put("impaired", outage.impaired());
        values.put("interval_ms", outage.intervalUs() == null ? null : milliseconds(outage.intervalUs()));
        values.put("gaps", gaps(outage.gaps()));
        values.put("gap_count", outage.gaps().size());
        values.put("strays", gaps(outage.strays()));
        values.put("stray_count", outage.strays().size());
        return values;
    }

    private static List<Map<String, Object>> gaps(List<Gap> gaps) {
        return gaps.stream().limit(GAPS_LIMIT).map(VerdictJson::gap).toList();
    }

    private static Map<String, Object> gap(Gap gap) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("from_us", gap.fromUs());
        values.put("to_us", gap.toUs());
        values.put("duration_ms", milliseconds(gap.durationUs()));
        values.put("failed", gap.failed());
        values.put("late", gap.late());
        return values;
    }

    private static Map<String, Object> load(AnswerGap longest) {
        Map<String, Object> gap = new LinkedHashMap<>();
        if (longest != null) {
            gap.put("from_us", longest.fromUs());
            gap.put("to_us", longest.toUs());
            gap.put("duration_ms", milliseconds(longest.durationUs()));
        }
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("longest_gap", longest == null ? null : gap);
        values.put("artefacts", null);
        return values;
    }

    private static Map<String, Object> splitBrain(SplitBrain splitBrain) {
        if (splitBrain == null) {
            return null;
        }
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("overlaps", overlaps(splitBrain.overlaps()));
        values.put("handovers", overlaps(splitBrain.handovers()));
        values.put("bound_ms", splitBrain.boundUs() == null ? null : milliseconds(splitBrain.boundUs()));
        return values;
    }

    private static List<Map<String, Object>> overlaps(List<Span> overlaps) {
        return overlaps.stream().map(VerdictJson::overlap).toList();
    }

    private static Map<String, Object> overlap(Span overlap) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("from_us", overlap.fromUs());
        values.put("to_us", overlap.toUs());
        values.put("duration_ms", milliseconds(overlap.durationUs()));
        return values;
    }

    private static Map<String, Object> generator(Run run) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (String name : List.of("scheduled", "unsent", "lag_p50_ms", "lag_p99_ms", "cpu_percent")) {
            values.put(name, run.generator().get(name));
        }
        return values;
    }
}
