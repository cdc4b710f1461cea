package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Point.EventKind;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.core.Point.Measurements;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.judge.Phases.Phase.PhaseName;
import io.github.switchover.jmeter.run.PointFormat;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunDirectory;
import io.github.switchover.jmeter.run.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The verdict as points, for a database: {@code journal-verdict.lp}, written whole each time a run is judged. */
public final class VerdictPoints {

    /** The programs whose versions a history shows. */
    private static final List<String> BALANCERS = List.of("haproxy", "nginx", "keepalived");

    private VerdictPoints() {}

    /**
     * Writes the verdict's points, replacing the file.
     *
     * @throws io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException if it cannot be written
     */
    public static void write(Path directory, Run run, Verdict verdict) {
        Path path = directory.resolve(RunDirectory.VERDICT_JOURNAL);
        WholeFile.write(
                path,
                lines(run, verdict.tree()).stream().map(line -> line + '\n').collect(Collectors.joining()));
        try {
            // Another file has come in its place: of this one nothing has been sent.
            Files.deleteIfExists(path.resolveSibling(RunDirectory.VERDICT_JOURNAL + ".sent"));
        } catch (IOException error) {
            return; // The mark then keeps the old file's position, from which this file would be sent.
        }
    }

    /**
     * A point for the verdict and one for each limit, at the end of the run, and events. Empty for a run that has not
     * begun.
     */
    static List<String> lines(Run run, Tree verdict) {
        Long endUs =
                run.plan().endUs() == null ? run.plan().startUs() : run.plan().endUs();
        if (endUs == null) {
            return List.of();
        }
        String generator = run.settings().text("generator", "");
        Map<String, String> tags = Map.of(
                "run", run.id(),
                "fault", run.fault().name(),
                "generator", generator.isEmpty() ? "none" : generator);
        List<String> lines = new ArrayList<>();
        lines.add(PointFormat.format(Measurements.VERDICT, tags, fields(run, verdict), endUs * Units.NS_PER_US));
        for (Tree limit : verdict.list("limits")) {
            Map<String, String> named = Map.of("run", run.id(), "name", limit.text("name", ""));
            lines.add(PointFormat.format(Measurements.LIMIT, named, fields(limit), endUs * Units.NS_PER_US));
        }
        addEvents(lines, run, verdict.child("outage"), EventKind.FIRST_SUCCESS);
        addEvents(lines, run, verdict.child("failback"), EventKind.FAILBACK);
        lines.removeIf(String::isEmpty);
        return lines;
    }

    /** The first bad probe of the switchover, or of the failback, and the end of its outage. */
    private static void addEvents(List<String> lines, Run run, Tree outage, EventKind end) {
        if (outage.has("first_bad_us")) {
            double lengthMs = Units.msOfUs(outage.whole("to_us") - outage.whole("from_us"));
            String text = Numbers.fixed(lengthMs, 3) + " ms without a lasting answer";
            addEvent(lines, run, EventKind.FIRST_FAILURE, text, outage.whole("first_bad_us"));
            if (!outage.is("censored")) {
                addEvent(lines, run, end, text, outage.whole("to_us"));
            }
        }
    }

    private static void addEvent(List<String> lines, Run run, EventKind kind, String text, long atUs) {
        Map<String, String> tags = Map.of("run", run.id(), "kind", kind.label());
        Map<String, FieldValue> fields = Map.of("text", FieldValue.of(text));
        lines.add(PointFormat.format(Measurements.EVENT, tags, fields, atUs * Units.NS_PER_US));
    }

    private static Map<String, FieldValue> fields(Run run, Tree verdict) {
        Map<String, FieldValue> fields = new LinkedHashMap<>();
        Tree samples = verdict.child("samples");
        Tree probes = verdict.child("probes");
        text(fields, "verdict", verdict.text("verdict", ""));
        if (verdict.has("valid")) {
            fields.put("valid", FieldValue.of(verdict.is("valid")));
        }
        whole(fields, "exit_code", verdict.whole("exit_code"));
        List<Tree> outages = new ArrayList<>();
        for (String name : List.of("outage", "failback")) {
            Tree outage = verdict.child(name);
            decimal(fields, name + "_low_ms", outage.number("low_ms"));
            decimal(fields, name + "_high_ms", outage.number("high_ms"));
            if (outage.has("recovered")) {
                outages.add(outage);
            }
        }
        if (!outages.isEmpty()) {
            fields.put("recovered", FieldValue.of(outages.stream().allMatch(outage -> outage.is("recovered"))));
        }
        decimal(fields, "split_brain_ms", verdict.number("split_brain_ms"));
        Tree quoted =
                (verdict.has("samples") ? samples : probes).child("by_phase").child(PhaseName.SWITCHOVER.label());
        if (quoted.whole("total", 0) > 0) {
            fields.put("failed_percent", FieldValue.of(quoted.whole("failed") * 100.0 / quoted.whole("total")));
        }
        whole(fields, "failed", samples.whole("failed"));
        whole(fields, "samples", samples.whole("total"));
        whole(fields, "probes", probes.whole("total"));
        whole(fields, "probes_failed", probes.whole("failed"));
        text(fields, "target", targetName(run.tree().child("target")));
        text(fields, "change", run.tree().child("change").text("name", ""));
        Tree versions = run.tree().child("versions");
        text(
                fields,
                "versions",
                BALANCERS.stream()
                        .filter(versions::has)
                        .map(name -> name + " " + versions.text(name))
                        .collect(Collectors.joining(", ")));
        return fields;
    }

    private static Map<String, FieldValue> fields(Tree limit) {
        String unit = limit.text("unit", "ms");
        double scale = unit.equals("share") ? 100 : 1;
        Map<String, FieldValue> fields = new LinkedHashMap<>();
        for (String name : List.of("limit", "low", "high")) {
            Double value = limit.number(name);
            decimal(fields, name, value == null ? null : (Double) (value * scale));
        }
        text(fields, "state", limit.text("state", ""));
        text(fields, "unit", unit.equals("share") ? "percent" : unit.equals("requests") ? "count" : unit);
        return fields;
    }

    /** The name in a history: {@code lab}, or the name of the target file, else the address; empty: unknown. */
    private static String targetName(Tree target) {
        String file = target.text("file", "");
        String name = file.substring(file.lastIndexOf('/') + 1).replaceFirst("\\.toml$", "");
        return target.is("lab") ? "lab" : name.isEmpty() ? target.text("url", "") : name;
    }

    private static void text(Map<String, FieldValue> fields, String name, String value) {
        if (!value.isEmpty()) {
            fields.put(name, FieldValue.of(value));
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
