package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Interval;
import java.util.ArrayList;
import java.util.List;

/**
 * Where did the probes look, and for how long did they not look? What nothing was sent into was not seen.
 *
 * @param grave those that make a figure worthless
 * @param small the other ones
 */
record Holes(List<Interval> grave, List<Interval> small) {

    /** Sends that are further apart than this many intervals leave a hole: whatever happened in it was not seen. */
    static final int INTERVALS = 10;

    /**
     * A busy machine without real-time scheduling holds its senders up for a moment (12 ms measured at 1,000/s). Away
     * from the edges of an outage a hole that short is told, not judged.
     */
    private static final long STALL_US = 50_000;

    /** A hole, or a bound that comes of slots left out, that is a larger part of the outage leaves it unmeasured. */
    static final double BOUND_SHARE = 0.10;

    /**
     * The holes between an event and its horizon.
     *
     * <p>The time from the event to the first send and from the last to the horizon counts like that between two; a hole
     * at an edge of the outage counts whatever its size, also where it began before the event.
     *
     * @param probes those of the fresh stream that were sent and recorded, in send order
     */
    static Holes of(List<Probe> probes, long sinceUs, long untilUs, Outage outage) {
        double holeUs = INTERVALS * (outage.intervalUs() == null ? 0 : outage.intervalUs());
        double graveUs = Math.max(Math.max(holeUs, STALL_US), BOUND_SHARE * outage.durationUs());
        List<Interval> edges = edges(outage);
        List<Interval> atEdges = new ArrayList<>();
        List<Interval> between = new ArrayList<>();
        long beforeUs = Math.min(sinceUs, untilUs);
        for (int i = 0; i < probes.size(); i++) {
            long atUs = probes.get(i).startUs();
            if (sinceUs < atUs && atUs < untilUs) {
                addIfLonger(between, beforeUs, atUs, holeUs);
                beforeUs = atUs;
            }
            if (i > 0) {
                addIfLonger(atEdges, probes.get(i - 1).startUs(), atUs, holeUs);
            }
        }
        addIfLonger(between, beforeUs, Math.max(sinceUs, untilUs), holeUs);
        atEdges.removeIf(pause -> edges.stream().noneMatch(pause::overlaps));
        List<Interval> grave = new ArrayList<>(atEdges);
        List<Interval> small = new ArrayList<>();
        for (Interval pause : between) {
            if (pause.lengthUs() > graveUs) {
                grave.add(pause);
            } else if (!atEdges.contains(pause)) {
                small.add(pause);
            }
        }
        return new Holes(grave, small);
    }

    private static void addIfLonger(List<Interval> pauses, long fromUs, long toUs, double thanUs) {
        if (toUs - fromUs > Math.max(thanUs, 1)) {
            pauses.add(new Interval(fromUs, toUs));
        }
    }

    /** The stretches in which an outage may have begun, and ended. */
    static List<Interval> edges(Outage outage) {
        if (outage.gaps().isEmpty()) {
            return List.of();
        }
        Gap first = outage.gaps().get(0);
        Gap last = outage.gaps().get(outage.gaps().size() - 1);
        List<Interval> edges = new ArrayList<>();
        edges.add(new Interval(Math.min(first.fromUs(), first.firstUs()), Math.max(first.fromUs(), first.firstUs())));
        if (last.closed()) {
            edges.add(new Interval(last.toUs() - last.earlyRightUs(), last.toUs()));
        }
        return edges;
    }

    /** The longest in whole milliseconds, the first of several. */
    static Interval longest(List<Interval> holes) {
        Interval longest = holes.get(0);
        for (Interval hole : holes) {
            if (hole.milliseconds() > longest.milliseconds()) {
                longest = hole;
            }
        }
        return longest;
    }
}
