package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.Population;
import io.github.switchover.jmeter.run.RequestCounts;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Counts one population, by phase and in all. Not thread-safe. */
public final class PopulationTally {

    private final List<Phase> phases;
    private final long lateUs;
    private final Map<PhaseName, Tally> tallies = new EnumMap<>(PhaseName.class);
    private final Tally outside = new Tally();
    private long lines;
    private long firstUs = Long.MAX_VALUE;
    private long lastUs = Long.MIN_VALUE;

    public PopulationTally(List<Phase> phases, long lateUs) {
        this.phases = List.copyOf(phases);
        this.lateUs = lateUs;
    }

    public void add(Sample sample) {
        lines++;
        firstUs = Math.min(firstUs, sample.startUs());
        lastUs = Math.max(lastUs, sample.endUs());
        tally(sample).add(sample, lateUs);
    }

    /** How many were added. */
    public long lines() {
        return lines;
    }

    /**
     * The counts so far.
     *
     * @param points those that tell of users, among others
     * @param ownTime rates and users are means over the part of a phase that lies between the first start and the last
     *     end, for a load begins after the run does, and ends before it
     */
    public Population population(List<Point> points, boolean ownTime) {
        Span span = ownTime && lines > 0 ? new Span(firstUs, lastUs) : null;
        List<Phase> sent = phases.stream().map(phase -> phase.within(span)).toList();
        Map<String, RequestCounts> byPhase = new LinkedHashMap<>();
        Tally whole = new Tally();
        whole.addAll(outside);
        for (Phase phase : sent) {
            Tally tally = tallies.getOrDefault(phase.name(), new Tally());
            byPhase.put(phase.name().label(), tally.counts(phase.seconds(), Users.mean(points, phase)));
            whole.addAll(tally);
        }
        double seconds = sent.isEmpty()
                ? 0
                : (sent.get(sent.size() - 1).toUs() - sent.get(0).fromUs()) / (double) Units.US_PER_S;
        return new Population(whole.counts(seconds, null), byPhase);
    }

    private Tally tally(Sample sample) {
        return phases.isEmpty()
                ? outside
                : tallies.computeIfAbsent(Phases.phaseOf(sample, phases), name -> new Tally());
    }
}
