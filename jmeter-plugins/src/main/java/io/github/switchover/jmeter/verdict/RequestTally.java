package io.github.switchover.jmeter.verdict;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.verdict.Phases.Phase;
import io.github.switchover.jmeter.verdict.Phases.Phase.PhaseName;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Counts the requests of one population (probes or samples), by phase and in total. Not thread-safe. */
final class RequestTally {

    private final List<Phase> phases;
    private final long lateUs;
    private final Map<PhaseName, RequestCounts> counts = new EnumMap<>(PhaseName.class);
    private final RequestCounts whole = new RequestCounts();
    private long lines;

    /** The counts of one phase, or of all phases. A request that could not be sent is only in {@code unsent}. */
    static final class RequestCounts {

        private final Map<Outcome, Long> outcomes = new EnumMap<>(Outcome.class);
        private final Map<String, Long> kinds = new TreeMap<>();
        private final Map<String, Long> answered = new TreeMap<>();
        private final Map<String, Map<Outcome, Long>> streams = new TreeMap<>();

        private void add(Sample sample, Outcome outcome) {
            outcomes.merge(outcome, 1L, Long::sum);
            if (outcome == Outcome.UNSENT) {
                return;
            }
            answered.merge(sample.identity().answeredBy().label(), 1L, Long::sum);
            if (outcome == Outcome.FAILED) {
                kinds.merge(sample.error() == null ? "unknown" : sample.error().label(), 1L, Long::sum);
            }
            String stream = sample.request().stream();
            if (!stream.isEmpty()) {
                streams.computeIfAbsent(stream, name -> new EnumMap<>(Outcome.class))
                        .merge(outcome, 1L, Long::sum);
            }
        }

        long total() {
            return of(Outcome.GOOD) + failed() + late();
        }

        long failed() {
            return of(Outcome.FAILED);
        }

        long late() {
            return of(Outcome.LATE);
        }

        long unsent() {
            return of(Outcome.UNSENT);
        }

        private long of(Outcome outcome) {
            return outcomes.getOrDefault(outcome, 0L);
        }

        private Tree tree() {
            Tree byStream = Tree.EMPTY;
            for (Map.Entry<String, Map<Outcome, Long>> stream : streams.entrySet()) {
                byStream = byStream.with(stream.getKey(), counted(stream.getValue()));
            }
            return counted(outcomes)
                    .with("unsent", unsent())
                    .with("rate", null)
                    .with("users", null)
                    .with("by_kind", kinds)
                    .with("by_answered_by", answered)
                    .with("by_stream", byStream)
                    .with("latency_ms", null);
        }

        private static Tree counted(Map<Outcome, Long> outcomes) {
            long failed = outcomes.getOrDefault(Outcome.FAILED, 0L);
            long late = outcomes.getOrDefault(Outcome.LATE, 0L);
            long good = outcomes.getOrDefault(Outcome.GOOD, 0L);
            return Tree.of("total", good + failed + late, "failed", failed, "late", late);
        }
    }

    RequestTally(List<Phase> phases, long lateUs) {
        this.phases = phases;
        this.lateUs = lateUs;
        phases.forEach(phase -> counts.put(phase.name(), new RequestCounts()));
    }

    /** Counts a request and returns its phase. */
    @Nullable
    PhaseName add(Sample sample) {
        lines++;
        Outcome outcome = Outcome.of(sample, lateUs);
        whole.add(sample, outcome);
        if (phases.isEmpty()) {
            return null;
        }
        PhaseName phase = Phases.phaseOf(sample, phases);
        requireNonNull(counts.get(phase)).add(sample, outcome);
        return phase;
    }

    long lines() {
        return lines;
    }

    boolean has(PhaseName phase) {
        return counts.containsKey(phase);
    }

    /** The counts of a phase; all 0 if the run did not have the phase. */
    RequestCounts in(PhaseName phase) {
        return counts.getOrDefault(phase, new RequestCounts());
    }

    RequestCounts whole() {
        return whole;
    }

    Tree tree() {
        Tree byPhase = Tree.EMPTY;
        for (PhaseName phase : counts.keySet()) {
            byPhase = byPhase.with(phase.label(), in(phase).tree());
        }
        return whole.tree().with("by_phase", byPhase);
    }
}
