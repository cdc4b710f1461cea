package io.github.switchover.jmeter.run;

import com.google.gson.JsonElement;
import io.github.switchover.jmeter.core.Inline;
import io.github.switchover.jmeter.core.LeftOut;
import io.github.switchover.jmeter.core.Units;
import java.util.List;
import java.util.Map;

/**
 * What a run was started with; null is what it does not say.
 *
 * @param generator what makes the load
 * @param keepalived by node: its settings, or the name of the copy of its configuration in the run directory
 * @param load what the load says of itself, by the names of its own generator, and its {@code state}
 */
public record RunSettings(
        List<String> limits,
        @Inline ProbeSettings probing,
        @Inline FaultSettings firing,
        @Inline Balancing balancing,
        String generator,
        Map<String, JsonElement> keepalived,
        JsonElement load) {

    private static final double LATE_MS = 1000.0;

    /**
     * How the prober probes; rates per second.
     *
     * @param probeRate of probes on fresh connections; 0: there is no prober
     * @param keptRate of probes on connections that stay
     * @param lateMs a good answer later than this after it was due is late
     */
    public record ProbeSettings(
            Double probeRate,
            Double keptRate,
            Double timeoutConnectMs,
            Double timeoutReadMs,
            Double lateMs,
            Double scrapeIntervalMs) {
        static final ProbeSettings UNKNOWN = new ProbeSettings(null, null, null, null, null, null);
    }

    /**
     * What may be fired, and what was to be fired by itself.
     *
     * @param armed null: the target names no fault
     * @param faultAtS after the start of the run, like {@code healAtS}
     * @param change that was to be made; null: none
     */
    public record FaultSettings(
            Boolean armed,
            String faultPlanned,
            Double faultAtS,
            Double healAtS,
            @LeftOut String change) {
        static final FaultSettings NONE = new FaultSettings(null, null, null, null);

        /** Without changes. */
        public FaultSettings(Boolean armed, String faultPlanned, Double faultAtS, Double healAtS) {
            this(armed, faultPlanned, faultAtS, healAtS, null);
        }
    }

    /** How the balancers spread requests; {@code weights} by backend. */
    public record Balancing(String algorithm, Map<String, Double> weights) {
        static final Balancing UNKNOWN = new Balancing(null, null);
    }

    static final RunSettings UNKNOWN =
            new RunSettings(null, ProbeSettings.UNKNOWN, FaultSettings.NONE, Balancing.UNKNOWN, null, null, null);

    public RunSettings {
        limits = RunFile.copy(limits);
        load = RunFile.known(load);
    }

    /** A run without a prober, of which nothing else is known. */
    public static RunSettings unprobed() {
        return UNKNOWN.with(new ProbeSettings(0.0, null, null, null, null, null));
    }

    public RunSettings with(ProbeSettings other) {
        return new RunSettings(limits, other, firing, balancing, generator, keepalived, load);
    }

    /** The same, in which this fault was to be fired. */
    public RunSettings planned(String fault) {
        FaultSettings planned = new FaultSettings(firing.armed, fault, firing.faultAtS, firing.healAtS, firing.change);
        return new RunSettings(limits, probing, planned, balancing, generator, keepalived, load);
    }

    /** The same with a load that has told of itself. */
    public RunSettings with(String otherGenerator, JsonElement otherLoad) {
        return new RunSettings(limits, probing, firing, balancing, otherGenerator, keepalived, otherLoad);
    }

    /** Whether a prober was asked for. */
    public boolean isProbed() {
        return probing.probeRate == null || probing.probeRate != 0;
    }

    /** Of the probes on fresh connections; null: unknown, or there is none. */
    public Double probeRate() {
        return probing.probeRate != null && probing.probeRate != 0 ? probing.probeRate : null;
    }

    /** The latest that a good answer may come after it was due. */
    public long lateUs() {
        return (long) Math.rint((probing.lateMs == null ? LATE_MS : probing.lateMs) * Units.US_PER_MS);
    }

    /** {@link LoadFacts#RUNNING} or {@link LoadFacts#ENDED}; null: there is no load, or it has told nothing. */
    public String loadState() {
        JsonElement state = load == null || !load.isJsonObject()
                ? null
                : load.getAsJsonObject().get(LoadMerge.STATE);
        return state == null || !state.isJsonPrimitive() ? null : state.getAsString();
    }
}
