package io.github.switchover.jmeter.run;

import com.google.gson.JsonElement;

/**
 * What became of the requests.
 *
 * @param probes null without a metronome
 * @param samples null without a load
 * @param load null where only {@code switchover report} can tell
 * @param reconciliation null where only {@code switchover report} can tell
 */
public record RequestFigures(
        Population probes,
        Population samples,
        JsonElement load,
        Distribution distribution,
        JsonElement reconciliation,
        GeneratorFigures generator) {

    public RequestFigures {
        load = RunFile.known(load);
        reconciliation = RunFile.known(reconciliation);
        distribution = distribution == null ? Distribution.of(null, null) : distribution;
    }

    /** What the metronome says of itself. */
    public record GeneratorFigures(Long scheduled, Long unsent, Double lagP50Ms, Double lagP99Ms, Double cpuPercent) {}
}
