package io.github.switchover.jmeter.run;

import com.google.gson.JsonElement;
import io.github.switchover.jmeter.run.OwnerFigures.TimedStretch;
import java.util.List;
import java.util.Map;

/**
 * What became of the requests.
 *
 * @param probes null without a metronome
 * @param samples null without a load, like {@code load}
 * @param reconciliation null where only {@code switchover report} can tell
 */
public record RequestFigures(
        Population probes,
        Population samples,
        LoadFigures load,
        Distribution distribution,
        Reconciliation reconciliation,
        GeneratorFigures generator) {

    public RequestFigures {
        distribution = distribution == null ? Distribution.of(null, null) : distribution;
    }

    /**
     * What the load's users felt.
     *
     * @param longestGap between two good answers; null: there were no two, or no fault
     * @param artefacts what {@code switchover report} computes of it; null here
     */
    public record LoadFigures(TimedStretch longestGap, JsonElement artefacts) {
        public LoadFigures {
            artefacts = RunFile.known(artefacts);
        }
    }

    /** What the metronome says of itself. */
    public record GeneratorFigures(Long scheduled, Long unsent, Double lagP50Ms, Double lagP99Ms, Double cpuPercent) {}

    /** Whether all witnesses counted the same; {@code exclusive}: all traffic was ours. */
    public record Reconciliation(
            boolean exclusive, Long equal, Long explained, Long unexplained, List<ReconciliationLine> lines) {
        public Reconciliation {
            lines = RunFile.copy(lines);
        }
    }

    /** What one witness counted, beside the clients. */
    public record ReconciliationLine(
            String name,
            String node,
            Long client,
            Long witness,
            Long difference,
            Long unexplained,
            Map<String, Long> explainedBy) {
        public ReconciliationLine {
            name = name == null ? "" : name;
            node = node == null ? "" : node;
            explainedBy = RunFile.copy(explainedBy);
        }
    }
}
