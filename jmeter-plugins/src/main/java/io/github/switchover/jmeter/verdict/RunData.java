package io.github.switchover.jmeter.verdict;

import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.run.Lines.Ignored;
import io.github.switchover.jmeter.run.Run;
import java.util.List;
import java.util.Map;

/** The data of a run. Probes are iterated twice, samples once, and never kept in memory. Points are filtered. */
public record RunData(
        Run run,
        Iterable<Sample> probes,
        Iterable<Sample> samples,
        List<Point> points,
        List<Ignored> unread,
        RunFiles files) {

    static final String PROBES = "probes";

    static final String SAMPLES = "samples";
    static final String JOURNAL = "journal";

    /** The state of a run's files: missing, damaged by name and therefore not used, and without a checksum. */
    public record RunFiles(List<String> missing, Map<String, String> damaged, List<String> unsealed) {

        public static final RunFiles WHOLE = new RunFiles(List.of(), Map.of(), List.of());
    }

    public long unreadLines() {
        return unread.stream().mapToLong(Ignored::total).sum();
    }

    /** The damage of the first damaged file whose name starts with {@code begin}; empty: no such file is damaged. */
    String whyDamaged(String begin) {
        return files.damaged.entrySet().stream()
                .filter(file -> file.getKey().startsWith(begin))
                .map(file -> file.getKey() + " " + file.getValue() + ": it is not used")
                .findFirst()
                .orElse("");
    }

    boolean isWhole(String begin) {
        return whyDamaged(begin).isEmpty();
    }

    public RunData with(Run described) {
        return new RunData(described, probes, samples, points, unread, files);
    }
}
