package io.github.switchover.jmeter.verdict;

import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.core.Sample;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One request on a fixed schedule, with only the fields that the outage needs. */
public record Probe(long startUs, long endUs, long dueUs, Outcome outcome) {

    /** The percentile of the response times of good answers that is the usual time. */
    static final int USUAL_PERCENT = 99;

    private static final Comparator<Probe> SEND_ORDER =
            Comparator.comparingLong(Probe::startUs).thenComparingLong(Probe::endUs);

    public boolean impaired() {
        return outcome.isImpaired();
    }

    /**
     * Returns the probes on fresh connections in send order, without probes that the client could not send. A probe is
     * late here only if its response took longer than {@code lateUs} after the sending.
     */
    public static List<Probe> fresh(Iterable<Sample> samples, long lateUs) {
        List<Probe> probes = new ArrayList<>();
        for (Sample sample : samples) {
            long tookUs = sample.endUs() - sample.startUs();
            Outcome outcome = Outcome.of(sample.success(), sample.error(), tookUs, lateUs);
            if (sample.request().stream().equals("fresh") && outcome != Outcome.UNSENT) {
                Long intendedUs = sample.times().intendedUs();
                long dueUs = intendedUs == null ? sample.startUs() : intendedUs;
                probes.add(new Probe(sample.startUs(), sample.endUs(), dueUs, outcome));
            }
        }
        probes.sort(SEND_ORDER);
        return probes;
    }

    /** Returns the 99th percentile (nearest rank) of the response times of good answers before {@code beforeUs}. */
    static @Nullable Long usualUs(List<Probe> probes, long beforeUs) {
        long[] ranked = probes.stream()
                .filter(probe -> probe.outcome == Outcome.GOOD && probe.endUs <= beforeUs)
                .mapToLong(probe -> probe.endUs - probe.startUs)
                .sorted()
                .toArray();
        int rank = (int) (((long) ranked.length * USUAL_PERCENT + 99) / 100);
        return ranked.length == 0 ? null : ranked[rank - 1];
    }
}
