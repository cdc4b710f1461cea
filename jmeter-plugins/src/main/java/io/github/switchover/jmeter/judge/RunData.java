package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.run.Lines.Ignored;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.SampleReader;
import java.util.List;
import java.util.Map;

/**
 * The data of a run for the judge.
 *
 * @param probes read twice
 * @param samples of the load, which may be millions; read once, and never kept in memory
 * @param points the points that the figures need
 */
public record RunData(
        Run run,
        Iterable<Sample> probes,
        Iterable<Sample> samples,
        List<Point> points,
        UnreadLines unread,
        RunFiles files) {

    static final String PROBES = "probes";

    static final String SAMPLES = "samples";
    static final String JOURNAL = "journal";

    /**
     * The state of the files.
     *
     * @param missing files that the run was to write and that are not here
     * @param damaged by name, why a file is not as the run left it; the file is not used
     * @param unsealed files without a checksum, so that damage would not be detected
     */
    public record RunFiles(List<String> missing, Map<String, String> damaged, List<String> unsealed) {

        public static final RunFiles WHOLE = new RunFiles(List.of(), Map.of(), List.of());
    }

    /** Lines that could not be used; complete when probes and samples have been read. */
    public record UnreadLines(Ignored probes, Ignored samples) {

        public static UnreadLines none() {
            return new UnreadLines(new Ignored(), new Ignored());
        }

        long total() {
            return probes.total() + samples.total();
        }

        /** The number of rows that stood for a request; a header in the middle of a log is no request. */
        static long rows(Ignored log) {
            return log.total() - log.reasons().getOrDefault(SampleReader.REPEATED_HEADER, 0L);
        }
    }

    /** Why a file whose name begins so is not whole; empty: all of them are. */
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
