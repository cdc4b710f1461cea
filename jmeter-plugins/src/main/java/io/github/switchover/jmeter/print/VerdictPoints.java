package io.github.switchover.jmeter.print;

import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.PointFormat;
import io.github.switchover.jmeter.core.WholeFile;
import io.github.switchover.jmeter.run.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The verdict as points, for a database: {@code journal-verdict.lp}, written whole each time a run is judged. */
public final class VerdictPoints {

    public static final String JOURNAL = "journal-verdict.lp";

    private static final String VERDICT = "switchover_verdict";
    private static final String BUDGET = "switchover_budget";

    /** The fault of a run that only measured, and the generator of one without a load. */
    private static final String NOBODY = "none";

    /** Of a budget in {@code verdict.json}, and in the database. */
    private static final Map<String, String> UNITS = Map.of("ms", "ms", "share", "percent", "requests", "count");

    private static final long NS_PER_US = 1000;

    private VerdictPoints() {}

    /**
     * Replaces what there is.
     *
     * @param verdict as {@code verdict.json} has it
     * @throws io.github.switchover.jmeter.core.RunDirectoryException if it cannot be written
     */
    public static void write(Path directory, Run run, Map<String, Object> verdict) {
        Path path = directory.resolve(JOURNAL);
        StringBuilder text = new StringBuilder();
        lines(run, verdict).forEach(line -> text.append(line).append('\n'));
        WholeFile.write(path, text.toString());
        try {
            // Another file has come in its place: of this one nothing has been sent.
            Files.deleteIfExists(path.resolveSibling(JOURNAL + ".sent"));
        } catch (IOException error) {
            return; // Then it says how far the old one was sent, which this one is read from.
        }
    }

    /** A point for the verdict and one for each budget, at the end of the run; none of a run that has not begun. */
    static List<String> lines(Run run, Map<String, Object> verdict) {
        Long endUs =
                run.plan().endUs() == null ? run.plan().startUs() : run.plan().endUs();
        if (endUs == null) {
            return List.of();
        }
        long timeNs = endUs * NS_PER_US;
        String fault = run.fault() == null ? NOBODY : run.fault().name();
        String generator = run.settings().get("generator") instanceof String name && !name.isEmpty() ? name : NOBODY;
        List<String> lines = new ArrayList<>();
        lines.add(PointFormat.format(
                VERDICT, Map.of("run", run.id(), "fault", fault, "generator", generator), fields(verdict), timeNs));
        for (Object budget : verdict.get("budgets") instanceof List<?> budgets ? budgets : List.of()) {
            Map<?, ?> values = (Map<?, ?>) budget;
            lines.add(PointFormat.format(
                    BUDGET, Map.of("run", run.id(), "name", (String) values.get("name")), budget(values), timeNs));
        }
        lines.removeIf(String::isEmpty);
        return lines;
    }

    private static Map<String, FieldValue> fields(Map<String, Object> verdict) {
        Map<?, ?> outage = map(verdict.get("outage"));
        Map<?, ?> failback = map(verdict.get("failback"));
        Map<?, ?> samples = map(verdict.get("samples"));
        Map<?, ?> probes = map(verdict.get("probes"));
        Map<?, ?> prediction = map(verdict.get("prediction"));
        Map<String, FieldValue> fields = new LinkedHashMap<>();
        flag(fields, "passed", verdict.get("passed"));
        flag(fields, "trusted", verdict.get("trusted"));
        whole(fields, "exit_code", exitCode(verdict.get("trusted"), verdict.get("passed")));
        decimal(fields, "outage_ms", outage.get("duration_ms"));
        decimal(fields, "outage_early_ms", outage.get("early_ms"));
        decimal(fields, "failback_ms", failback.get("duration_ms"));
        decimal(fields, "split_brain_ms", verdict.get("split_brain_ms"));
        decimal(fields, "failed_percent", failedPercent(samples.isEmpty() ? probes : samples));
        whole(fields, "failed", samples.get("failed"));
        whole(fields, "samples", samples.get("total"));
        whole(fields, "probes", probes.get("total"));
        whole(fields, "probes_failed", probes.get("failed"));
        whole(fields, "unexplained", map(verdict.get("reconciliation")).get("unexplained"));
        decimal(fields, "predicted_low_ms", prediction.get("low_ms"));
        decimal(fields, "predicted_high_ms", prediction.get("high_ms"));
        return fields;
    }

    /** As the verdict has it; null where it cannot be told whether the budgets are kept. */
    private static Long exitCode(Object trusted, Object passed) {
        if (Boolean.FALSE.equals(trusted)) {
            return 2L;
        }
        return trusted == null || passed == null ? null : (Long) (Boolean.TRUE.equals(passed) ? 0L : 1L);
    }

    /** Of the requests of the switchover, in percent; null where there were none. */
    private static Double failedPercent(Map<?, ?> population) {
        Map<?, ?> counts = map(map(population.get("by_phase")).get("switchover"));
        return counts.get("total") instanceof Number total && total.longValue() > 0
                ? (Double) (((Number) counts.get("failed")).longValue() * 100.0 / total.longValue())
                : null;
    }

    private static Map<String, FieldValue> budget(Map<?, ?> budget) {
        double scale = "share".equals(budget.get("unit")) ? 100.0 : 1.0;
        Map<String, FieldValue> fields = new LinkedHashMap<>();
        for (String name : List.of("limit", "value")) {
            if (budget.get(name) instanceof Number number) {
                fields.put(name, FieldValue.of(number.doubleValue() * scale));
            }
        }
        flag(fields, "passed", budget.get("passed"));
        fields.put("unit", FieldValue.of(UNITS.get((String) budget.get("unit"))));
        return fields;
    }

    private static Map<?, ?> map(Object value) {
        return value instanceof Map<?, ?> map ? map : Map.of();
    }

    private static void flag(Map<String, FieldValue> fields, String name, Object value) {
        if (value instanceof Boolean flag) {
            fields.put(name, FieldValue.of((boolean) flag));
        }
    }

    private static void whole(Map<String, FieldValue> fields, String name, Object value) {
        if (value instanceof Number number) {
            fields.put(name, FieldValue.of(number.longValue()));
        }
    }

    private static void decimal(Map<String, FieldValue> fields, String name, Object value) {
        if (value instanceof Number number) {
            fields.put(name, FieldValue.of(number.doubleValue()));
        }
    }
}
