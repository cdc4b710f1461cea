package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.AnsweredBy;
import io.github.switchover.jmeter.core.PointFormat;
import io.github.switchover.jmeter.core.Sample;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts who answered. Probes and samples are counted together, because a balancer's counter does not know them apart.
 * Not thread-safe.
 */
public final class DistributionTally {

    private final List<Phase> phases;
    private final Map<PhaseName, Map<String, Long>> backends = new EnumMap<>(PhaseName.class);
    private final Map<PhaseName, Map<String, Long>> balancers = new EnumMap<>(PhaseName.class);

    public DistributionTally(List<Phase> phases) {
        this.phases = List.copyOf(phases);
        for (Phase phase : phases) {
            backends.put(phase.name(), inOrder());
            balancers.put(phase.name(), inOrder());
        }
    }

    public void add(Sample sample) {
        AnsweredBy who = sample.identity().answeredBy();
        if (phases.isEmpty() || (who != AnsweredBy.BACKEND && who != AnsweredBy.BALANCER)) {
            return;
        }
        PhaseName phase = Phases.phaseOf(sample, phases);
        count(backends.get(phase), sample.identity().backend());
        count(balancers.get(phase), sample.identity().balancer());
    }

    /** {@code algorithm}: as the settings say, or null. */
    public Distribution distribution(String algorithm) {
        Map<PhaseName, Distribution.Answers> byPhase = new EnumMap<>(PhaseName.class);
        backends.forEach((phase, counts) ->
                byPhase.put(phase, new Distribution.Answers(copy(counts), copy(balancers.get(phase)))));
        return new Distribution(byPhase, algorithm);
    }

    private static Map<String, Long> copy(Map<String, Long> counts) {
        Map<String, Long> copy = inOrder();
        copy.putAll(counts);
        return Collections.unmodifiableMap(copy);
    }

    private static Map<String, Long> inOrder() {
        return new TreeMap<>(PointFormat.CODE_POINT_ORDER);
    }

    private static void count(Map<String, Long> counts, String name) {
        if (!name.isEmpty()) {
            counts.merge(name, 1L, Long::sum);
        }
    }
}
