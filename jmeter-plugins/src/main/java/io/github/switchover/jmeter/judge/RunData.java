package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Ignored;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.SampleReader;
import io.github.switchover.jmeter.run.Run;
import java.util.List;

/**
 * A run as the judge knows it.
 *
 * @param probes walked through twice
 * @param samples of the load, which may be millions; walked through once, and never held
 * @param points those that the figures look at
 * @param missing files that the run was to write and that are not here
 * @param flaws files that are not as the run left them
 */
public record RunData(
        Run run,
        Iterable<Sample> probes,
        Iterable<Sample> samples,
        List<Point> points,
        UnreadLines unread,
        List<String> missing,
        List<Flaw> flaws) {

    /** How the names of files begin. */
    static final String PROBES = "probes";

    static final String SAMPLES = "samples";
    static final String JOURNAL = "journal";

    /** A file that is not as the run left it. */
    public record Flaw(String name, VerdictReason reason) {}

    /** Lines that could not be used; complete when probes and samples have been read. */
    public record UnreadLines(Ignored probes, Ignored samples, Ignored journals) {

        public static UnreadLines none() {
            return new UnreadLines(new Ignored(), new Ignored(), new Ignored());
        }

        long total() {
            return probes.total() + samples.total() + journals.total();
        }

        /** Rows that stood for a request; a header in the middle of a log stands for none. */
        static long rows(Ignored log) {
            return log.total() - log.reasons().getOrDefault(SampleReader.REPEATED_HEADER, 0L);
        }
    }

    /** Why a file whose name begins so is not whole; empty: all of them are. */
    String whyFlawed(String begin) {
        return flaws.stream()
                .filter(flaw -> flaw.name().startsWith(begin))
                .map(flaw -> flaw.reason().text())
                .findFirst()
                .orElse("");
    }

    boolean isWhole(String begin) {
        return whyFlawed(begin).isEmpty();
    }

    /** The same, of a run that is described otherwise. */
    public RunData with(Run described) {
        return new RunData(described, probes, samples, points, unread, missing, flaws);
    }
}
