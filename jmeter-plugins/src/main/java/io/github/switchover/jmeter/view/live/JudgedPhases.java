package io.github.switchover.jmeter.view.live;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The phases as the verdict counts them. */
final class JudgedPhases {

    private static final Judgement.JudgedAnswers NOBODY = new Judgement.JudgedAnswers(Map.of(), Map.of());

    private JudgedPhases() {}

    static List<PhaseCounts> of(Judgement judgement) {
        Set<String> names = new LinkedHashSet<>(judgement.distribution().keySet());
        names.addAll(phases(judgement.samples()).keySet());
        names.addAll(phases(judgement.probes()).keySet());
        return names.stream()
                .map(phase -> new PhaseCounts(
                        phase,
                        phases(judgement.samples()).get(phase),
                        phases(judgement.probes()).get(phase),
                        judgement.distribution().getOrDefault(phase, NOBODY)))
                .toList();
    }

    private static Map<String, Judgement.JudgedCounts> phases(Judgement.JudgedPopulation population) {
        return population == null ? Map.of() : population.byPhase();
    }
}
