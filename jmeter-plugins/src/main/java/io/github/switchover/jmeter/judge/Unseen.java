package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Units;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * For how long nothing was sent: what happened in such a stretch was not seen.
 *
 * <p>A stretch at an edge of an outage is in the bound of that edge. One elsewhere could have hidden a gap of its own
 * length: it is the detection limit of "none" and of "nothing came later".
 */
final class Unseen {

    /** Sends that are further apart than this many intervals stand out from a schedule that is kept. */
    private static final int PROBE_GAP_INTERVALS = 10;

    /**
     * A hypervisor or a busy machine holds a sender up for this long without anything being wrong: 22 stretches of 10 to
     * 25 ms in 30 s of a loop that only sleeps (measured).
     */
    private static final long USUAL_PROBE_GAP_US = 50_000;

    /** A longer probe gap makes "no outage" say too little. */
    private static final double NONE_US = Units.US_PER_S;

    private static final double ALWAYS_SHARP_US = 100_000;

    private Unseen() {}

    /** The detection limit up to which "none" keeps any limit. */
    static double toleratedUs(Double intervalUs) {
        return Math.max(USUAL_PROBE_GAP_US, PROBE_GAP_INTERVALS * (intervalUs == null ? 0 : intervalUs));
    }

    /**
     * The longest probe gap that leaves a figure only less sharp: as long as the outage, or a second if there was none. A
     * gap that a slow schedule explains is always short enough.
     *
     * @param seenUs the outage; 0 if none was seen
     */
    static double limitUs(long seenUs, Double intervalUs) {
        double leastUs = Math.max(ALWAYS_SHARP_US, PROBE_GAP_INTERVALS * (intervalUs == null ? 0 : intervalUs));
        return Math.max(seenUs == 0 ? NONE_US : seenUs, leastUs);
    }

    /**
     * The longest stretch between two sends, from an event to its horizon, outside of what is known as away. The time
     * from the event to the first send and from the last to the horizon counts like that between two.
     *
     * @param probes those of the fresh stream that were sent and recorded, in send order
     */
    static Span longest(List<Probe> probes, long sinceUs, long untilUs, List<Span> away) {
        Span longest = new Span(sinceUs, sinceUs);
        if (untilUs <= sinceUs) {
            return longest;
        }
        List<Span> gaps = Span.merged(away);
        List<Span> stretches = stretches(probes, sinceUs, untilUs);
        stretches.sort(Comparator.comparingLong(Span::lengthUs).reversed());
        for (Span stretch : stretches) {
            if (stretch.lengthUs() <= longest.lengthUs()) {
                break; // Taking away only shortens.
            }
            for (Span left : stretch.without(gaps)) {
                if (left.lengthUs() > longest.lengthUs()) {
                    longest = left;
                }
            }
        }
        return longest;
    }

    private static List<Span> stretches(List<Probe> probes, long sinceUs, long untilUs) {
        List<Span> stretches = new ArrayList<>();
        long beforeUs = sinceUs;
        for (Probe probe : probes) {
            if (probe.startUs() > beforeUs && probe.startUs() < untilUs) {
                stretches.add(new Span(beforeUs, probe.startUs()));
                beforeUs = probe.startUs();
            }
        }
        stretches.add(new Span(beforeUs, untilUs));
        return stretches;
    }
}
