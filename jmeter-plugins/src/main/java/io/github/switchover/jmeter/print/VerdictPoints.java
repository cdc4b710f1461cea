package io.github.switchover.jmeter.print;

import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.PointFormat;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.core.WholeFile;
import io.github.switchover.jmeter.judge.PhaseName;
import io.github.switchover.jmeter.run.LimitResult;
import io.github.switchover.jmeter.run.LimitUnit;
import io.github.switchover.jmeter.run.OutageFigures;
import io.github.switchover.jmeter.run.Population;
import io.github.switchover.jmeter.run.RequestCounts;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunDirectory;
import io.github.switchover.jmeter.run.Status;
import io.github.switchover.jmeter.run.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The verdict as points, for a database: {@code journal-verdict.lp}, written whole each time a run is judged. */
public final class VerdictPoints {

    public static final String JOURNAL = RunDirectory.VERDICT_JOURNAL;

    /** The fault of a run that only measured, and the generator of one without a load. */
    private static final String NONE = "none";

    /** The programs whose versions a history shows. */
    private static final List<String> BALANCERS = List.of("haproxy", "nginx", "keepalived");

    private VerdictPoints() {}

    /**
     * Replaces what there is.
     *
     * @throws io.github.switchover.jmeter.core.RunDirectoryException if it cannot be written
     */
    public static void write(Path directory, Run run, Verdict verdict) {
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

    /** A point for the verdict and one for each limit, at the end of the run; none of a run that has not begun. */
    static List<String> lines(Run run, Verdict verdict) {
        Long endUs =
                run.plan().endUs() == null ? run.plan().startUs() : run.plan().endUs();
        if (endUs == null) {
            return List.of();
        }
        long timeNs = endUs * Units.NS_PER_US;
        String fault = run.fault() == null ? NONE : run.fault().name();
        String named = run.settings().generator();
        String generator = named == null || named.isEmpty() ? NONE : named;
        List<String> lines = new ArrayList<>();
        lines.add(PointFormat.format(
                Measurements.VERDICT,
                Map.of("run", run.id(), "fault", fault, "generator", generator),
                fields(run, verdict),
                timeNs));
        for (LimitResult limit : verdict.limits()) {
            lines.add(PointFormat.format(
                    Measurements.LIMIT, Map.of("run", run.id(), "name", limit.name()), fields(limit), timeNs));
        }
        lines.removeIf(String::isEmpty);
        return lines;
    }

    private static Map<String, FieldValue> fields(Run run, Verdict verdict) {
        Map<String, FieldValue> fields = new LinkedHashMap<>();
        Status status = verdict.judgement().status();
        if (status != null) {
            fields.put("verdict", FieldValue.of(status.text()));
        }
        flag(fields, "valid", verdict.judgement().valid());
        Integer exitCode = verdict.judgement().exitCode();
        whole(fields, "exit_code", exitCode == null ? null : (Long) (long) exitCode);
        lengths(fields, "outage", verdict.outage());
        lengths(fields, "failback", verdict.failback());
        flag(fields, "recovered", recovered(verdict));
        decimal(fields, "split_brain_ms", verdict.owners().splitBrainMs());
        decimal(
                fields,
                "failed_percent",
                failedPercent(verdict.samples() == null ? verdict.probes() : verdict.samples()));
        if (verdict.samples() != null) {
            whole(fields, "failed", verdict.samples().whole().failed());
            whole(fields, "samples", verdict.samples().whole().total());
        }
        if (verdict.probes() != null) {
            whole(fields, "probes", verdict.probes().whole().total());
            whole(fields, "probes_failed", verdict.probes().whole().failed());
        }
        status(fields, "target", run.target() == null ? "" : run.target().shownName());
        status(fields, "change", run.change() == null ? "" : run.change().name());
        status(fields, "versions", versions(run.start().versions()));
        return fields;
    }

    /** Of the balancers: {@code haproxy 2.6.12, keepalived 2.2.7}. */
    private static String versions(Map<String, String> known) {
        return BALANCERS.stream()
                .filter(known::containsKey)
                .map(name -> name + " " + known.get(name))
                .collect(Collectors.joining(", "));
    }

    private static void lengths(Map<String, FieldValue> fields, String name, OutageFigures outage) {
        if (outage != null) {
            decimal(fields, name + "_low_ms", outage.length().lowMs());
            decimal(fields, name + "_high_ms", outage.length().highMs());
        }
    }

    /** After the fault and after its heal; null where neither was looked at. */
    private static Boolean recovered(Verdict verdict) {
        List<Boolean> known = new ArrayList<>();
        for (OutageFigures outage : Arrays.asList(verdict.outage(), verdict.failback())) {
            if (outage != null && outage.length().recovered() != null) {
                known.add(outage.length().recovered());
            }
        }
        return known.isEmpty() ? null : (Boolean) !known.contains(false);
    }

    /** Of the requests of the switchover, in percent; null where there were none. */
    private static Double failedPercent(Population population) {
        RequestCounts counts = population == null ? null : population.byPhase().get(PhaseName.SWITCHOVER.label());
        return counts == null || counts.total() == 0 ? null : (Double) (counts.failed() * 100.0 / counts.total());
    }

    private static Map<String, FieldValue> fields(LimitResult limit) {
        LimitUnit unit = limit.asked().unit();
        double scale = unit == LimitUnit.SHARE ? 100.0 : 1.0;
        Map<String, FieldValue> fields = new LinkedHashMap<>();
        Double most = limit.asked().limit();
        decimal(fields, "limit", most == null ? null : (Double) (most * scale));
        decimal(fields, "low", limit.low() == null ? null : (Double) (limit.low() * scale));
        decimal(fields, "high", limit.high() == null ? null : (Double) (limit.high() * scale));
        fields.put("state", FieldValue.of(limit.state().text()));
        fields.put("unit", FieldValue.of(unit(unit)));
        return fields;
    }

    private static String unit(LimitUnit unit) {
        return switch (unit) {
            case MILLISECONDS -> "ms";
            case SHARE -> "percent";
            case REQUESTS -> "count";
        };
    }

    private static void status(Map<String, FieldValue> fields, String name, String value) {
        if (!value.isEmpty()) {
            fields.put(name, FieldValue.of(value));
        }
    }

    private static void flag(Map<String, FieldValue> fields, String name, Boolean value) {
        if (value != null) {
            fields.put(name, FieldValue.of((boolean) value));
        }
    }

    private static void whole(Map<String, FieldValue> fields, String name, Long value) {
        if (value != null) {
            fields.put(name, FieldValue.of((long) value));
        }
    }

    private static void decimal(Map<String, FieldValue> fields, String name, Double value) {
        if (value != null) {
            fields.put(name, FieldValue.of((double) value));
        }
    }
}
