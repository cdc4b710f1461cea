package io.github.switchover.jmeter.run;

import com.google.gson.JsonElement;

/**
 * What became of the requests.
 *
 * @param probes null without a prober
 * @param samples null without a load
 * @param load null where only {@code switchover report} can tell
 * @param accounting null where only {@code switchover report} can tell
 */
public record RequestFigures(
        Population probes,
        Population samples,
        JsonElement load,
        Distribution distribution,
        JsonElement accounting,
        GeneratorFigures generator) {

    public RequestFigures {
        load = RunFile.known(load);
        accounting = RunFile.known(accounting);
        distribution = distribution == null ? Distribution.of(null, null) : distribution;
    }

    /** What the prober says of itself. */
    public record GeneratorFigures(Long scheduled, Long unsent, Double lagP50Ms, Double lagP99Ms, Double cpuPercent) {}
}
