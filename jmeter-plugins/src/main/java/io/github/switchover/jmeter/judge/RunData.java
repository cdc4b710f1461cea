package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.run.Run;
import java.util.List;

/**
 * The analysis knows a run only as this.
 *
 * @param probes of the prober; walked through twice
 * @param samples of the load, which may be millions; walked through once, and never held
 * @param points those that the figures look at
 * @param unread lines that could not be used
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

    public RunData {
        flaws = List.copyOf(flaws);
        points = List.copyOf(points);
        missing = List.copyOf(missing);
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
        return flaws.stream().noneMatch(flaw -> flaw.name().startsWith(begin));
    }

    /** The same, of a run that is described otherwise. */
    public RunData with(Run described) {
        return new RunData(described, probes, samples, points, unread, missing, flaws);
    }
}
