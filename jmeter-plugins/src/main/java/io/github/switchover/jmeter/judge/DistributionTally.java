package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.AnsweredBy;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.PointFormat;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.run.Distribution;
import io.github.switchover.jmeter.run.Distribution.AnswerShare;
import io.github.switchover.jmeter.run.Distribution.PhaseAnswers;
import java.util.EnumMap;
import java.util.LinkedHashMap;
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
        Map<String, PhaseAnswers> byPhase = new LinkedHashMap<>();
        backends.forEach((phase, counts) ->
                byPhase.put(phase.label(), new PhaseAnswers(shares(counts), shares(balancers.get(phase)))));
        return Distribution.of(algorithm, byPhase);
    }

    private static Map<String, AnswerShare> shares(Map<String, Long> counts) {
        long total = counts.values().stream().mapToLong(Long::longValue).sum();
        Map<String, AnswerShare> shares = new LinkedHashMap<>();
        counts.forEach((name, count) ->
                shares.put(name, new AnswerShare(count, Numbers.round((double) count / total, 6))));
        return shares;
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
