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
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The verdict as points for a database: {@code journal-verdict.lp}, rewritten each time a run is judged. */
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
            // The journal is a new file, so nothing of it has been sent: delete the mark of the old file.
            Files.deleteIfExists(path.resolveSibling(RunDirectory.VERDICT_JOURNAL + ".sent"));
        } catch (IOException error) {
            return; // With the old mark, sending starts at the old file's position.
        }
    }

    /**
     * Returns a point for the verdict and one for each limit, at the end of the run, and events. Empty if the run has
     * not begun.
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

    /** Adds an event for the first bad probe, and one for the end of its outage. */
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
        Tree samples = verdict.child("samples");
        Tree probes = verdict.child("probes");
        Tree outage = verdict.child("outage");
        Tree failback = verdict.child("failback");
        List<Tree> outages =
                Stream.of(outage, failback).filter(one -> one.has("recovered")).toList();
        Tree quoted =
                (verdict.has("samples") ? samples : probes).child("by_phase").child(PhaseName.SWITCHOVER.label());
        long total = quoted.whole("total", 0);
        Tree versions = run.tree().child("versions");
        String balancers = BALANCERS.stream()
                .filter(versions::has)
                .map(name -> name + " " + versions.text(name))
                .collect(Collectors.joining(", "));
        return FieldValue.map(
                "verdict", filled(verdict.text("verdict", "")),
                "valid", verdict.has("valid") ? (Boolean) verdict.is("valid") : null,
                "exit_code", verdict.whole("exit_code"),
                "outage_low_ms", outage.number("low_ms"),
                "outage_high_ms", outage.number("high_ms"),
                "failback_low_ms", failback.number("low_ms"),
                "failback_high_ms", failback.number("high_ms"),
                "recovered",
                        outages.isEmpty() ? null : (Boolean) outages.stream().allMatch(one -> one.is("recovered")),
                "split_brain_ms", verdict.number("split_brain_ms"),
                "failed_percent", total == 0 ? null : (Double) (quoted.whole("failed") * 100.0 / total),
                "failed", samples.whole("failed"),
                "samples", samples.whole("total"),
                "probes", probes.whole("total"),
                "probes_failed", probes.whole("failed"),
                "target", filled(targetName(run.tree().child("target"))),
                "change", filled(run.tree().child("change").text("name", "")),
                "versions", filled(balancers));
    }

    private static Map<String, FieldValue> fields(Tree limit) {
        String unit = limit.text("unit", "ms");
        boolean isShare = unit.equals("share");
        double scale = isShare ? 100 : 1;
        return FieldValue.map(
                "limit", scaled(limit.number("limit"), scale),
                "low", scaled(limit.number("low"), scale),
                "high", scaled(limit.number("high"), scale),
                "state", filled(limit.text("state", "")),
                "unit", isShare ? "percent" : unit.equals("requests") ? "count" : unit);
    }

    private static Double scaled(Double value, double scale) {
        return value == null ? null : (Double) (value * scale);
    }

    /** The text; null if it is empty. */
    private static String filled(String text) {
        return text.isEmpty() ? null : text;
    }

    /**
     * The name of the target in a history: {@code lab}, the name of the target file, or the address. Empty: unknown.
     */
    private static String targetName(Tree target) {
        String file = target.text("file", "");
        String name = file.substring(file.lastIndexOf('/') + 1).replaceFirst("\\.toml$", "");
        return target.is("lab") ? "lab" : name.isEmpty() ? target.text("url", "") : name;
    }
}
