package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Inline;
import java.util.List;

/**
 * The fault of a run.
 *
 * @param kind {@link #MASTER}, {@link #BACKEND}, {@link #EXTERNAL} or {@link #NONE}
 * @param sources what sees its effect without its commands: generation, frontend, server, owner, scrapes
 * @param error why it counts as not done, if it does; else null
 */
public record FaultRun(
        String name,
        String kind,
        @Inline FaultNodes nodes,
        @Inline FaultPrediction prediction,
        List<String> sources,
        String error) {

    public static final String MASTER = "master";
    public static final String BACKEND = "backend";
    public static final String NONE = "none";

    /** Name and kind of a fault that somebody else fires and heals. */
    public static final String EXTERNAL = "external";

    /**
     * The nodes that it was about; null is what is not known.
     *
     * @param victim the node that was hit
     * @param masterSource how the master was found: header, neighbour, source or counters
     */
    public record FaultNodes(String master, String backup, String victim, String masterSource) {
        static final FaultNodes UNKNOWN = new FaultNodes(null, null, null, null);
    }

    /**
     * What theory predicts for the outage and the failback.
     *
     * @param predictHighMs null with a low end: the outage has no end
     * @param failbackSettledMs when, after the heal, the address is back at the master; null: unknown, or it stays
     * @param uniform kills at random moments give outages spread evenly over the window
     */
    public record FaultPrediction(
            Double predictLowMs,
            Double predictHighMs,
            String predictReason,
            boolean uniform,
            Double failbackLowMs,
            Double failbackHighMs,
            Double failbackSettledMs) {
        static final FaultPrediction NONE = new FaultPrediction(null, null, "", false, null, null, null);
    }

    public FaultRun {
        RunFile.require("name of the fault", name);
        RunFile.require("kind of the fault", kind);
        sources = RunFile.copy(sources);
    }

    /** Nothing is predicted yet. */
    public static FaultRun of(String name, String kind, FaultNodes nodes) {
        return new FaultRun(name, kind, nodes, FaultPrediction.NONE, List.of(), null);
    }

    /** A run in which nothing is fired; {@code error}: why not, where it was planned, else null. */
    public static FaultRun none(String error) {
        return new FaultRun(NONE, NONE, FaultNodes.UNKNOWN, FaultPrediction.NONE, List.of(), error);
    }

    /** A fault of which only the time is known. */
    public static FaultRun external() {
        return of(EXTERNAL, EXTERNAL, FaultNodes.UNKNOWN);
    }

    public boolean isNone() {
        return kind.equals(NONE);
    }

    public String master() {
        return nodes.master;
    }

    public String backup() {
        return nodes.backup;
    }

    public String victim() {
        return nodes.victim;
    }

    /** The node that was hit; empty: unknown. */
    public String hit() {
        String node = nodes.victim != null && !nodes.victim.isEmpty() ? nodes.victim : nodes.master;
        return node == null ? "" : node;
    }

    public FaultRun withPrediction(FaultPrediction predicted) {
        return new FaultRun(name, kind, nodes, predicted, sources, error);
    }

    public FaultRun withSources(List<String> others) {
        return new FaultRun(name, kind, nodes, prediction, others, error);
    }

    public FaultRun withError(String why) {
        return new FaultRun(name, kind, nodes, prediction, sources, why);
    }
}
