package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.run.Distribution.PhaseAnswers;
import io.github.switchover.jmeter.run.Population;
import io.github.switchover.jmeter.run.RequestCounts;
import io.github.switchover.jmeter.run.Verdict;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What ended in a phase, to the second, and who answered; once the run is judged, the verdict's figures.
 *
 * @param requests null where there were none to count
 * @param probes null without a metronome
 */
public record PhaseCounts(String phase, RequestCounts requests, RequestCounts probes, PhaseAnswers answers) {

    /** The phases as the verdict counts them. */
    static List<PhaseCounts> of(Verdict verdict) {
        Set<String> names = new LinkedHashSet<>(verdict.distribution().byPhase().keySet());
        names.addAll(phases(verdict.samples()).keySet());
        names.addAll(phases(verdict.probes()).keySet());
        return names.stream()
                .map(phase -> new PhaseCounts(
                        phase,
                        phases(verdict.samples()).get(phase),
                        phases(verdict.probes()).get(phase),
                        verdict.distribution().in(phase)))
                .toList();
    }

    private static Map<String, RequestCounts> phases(Population population) {
        return population == null ? Map.of() : population.byPhase();
    }
}
