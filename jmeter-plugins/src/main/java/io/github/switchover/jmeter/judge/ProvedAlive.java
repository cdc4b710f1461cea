package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Outcome;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Until when the good answers prove that the service was alive.
 *
 * <p>An answer proves it for the time at which it was read; where the prober was held up until just before then, for the
 * time at which the probe was sent: the answer may have lain there for as long.
 */
final class ProvedAlive {

    /**
     * A prober that is not held up sends a probe within this time of when it is due: the 99th percentile is 0.1 to 0.6
     * ms (measured).
     */
    private static final long HELD_UP_US = 1_000;

    /** When good answers were read, and the latest time that those read until then prove. */
    private final long[] reads;

    private final long[] proofs;

    /** Of probes in send order. */
    ProvedAlive(List<Probe> probes) {
        List<Probe> good = probes.stream()
                .filter(probe -> probe.outcome() == Outcome.GOOD)
                .sorted(Comparator.comparingLong(Probe::endUs))
                .toList();
        reads = new long[good.size()];
        proofs = new long[good.size()];
        int sent = 0;
        Probe caughtUp = null;
        for (int index = 0; index < reads.length; index++) {
            Probe probe = good.get(index);
            for (; sent < probes.size() && probes.get(sent).startUs() <= probe.endUs(); sent++) {
                Probe before = probes.get(sent);
                caughtUp = before.startUs() - before.dueUs() > HELD_UP_US ? before : caughtUp;
            }
            boolean hasJustCaughtUp = caughtUp != null && probe.endUs() - caughtUp.startUs() <= HELD_UP_US;
            boolean isBehind =
                    sent < probes.size() && probe.endUs() - probes.get(sent).dueUs() > HELD_UP_US;
            long provedUs = hasJustCaughtUp || isBehind ? probe.startUs() : probe.endUs();
            reads[index] = probe.endUs();
            proofs[index] = index == 0 ? provedUs : Math.max(proofs[index - 1], provedUs);
        }
    }

    /** By the answers that were read until this one was. */
    long by(long readUs) {
        int last = Arrays.binarySearch(reads, readUs);
        while (last + 1 < reads.length && reads[last + 1] == readUs) {
            last++;
        }
        return proofs[last];
    }
}
