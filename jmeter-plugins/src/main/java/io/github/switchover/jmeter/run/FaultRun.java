package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Tree;
import java.util.List;

/** The {@code fault} of run.json, or its {@code change}. Nodes that are not known are null. */
public record FaultRun(Tree tree) {

    /** Kinds of faults. */
    public static final String MASTER = "master";

    public static final String BACKEND = "backend";
    public static final String NONE = "none";

    /** The name and kind of a fault that another program fires and heals. */
    public static final String EXTERNAL = "external";

    /**
     * The nodes of a fault; null if unknown.
     *
     * @param victim the node that was hit
     * @param masterSource how the master was found: header, neighbour, source or counters
     */
    public record FaultNodes(String master, String backup, String victim, String masterSource) {}

    public static FaultRun of(String name, String kind, FaultNodes nodes) {
        return new FaultRun(Tree.of(
                "name", name,
                "kind", kind,
                "master", nodes.master,
                "backup", nodes.backup,
                "victim", nodes.victim,
                "master_source", nodes.masterSource,
                "error", null));
    }

    /** A run in which no fault is fired; {@code error}: the reason, if a fault was planned, else empty. */
    public static FaultRun none(String error) {
        return of(NONE, NONE, new FaultNodes(null, null, null, null)).with("error", error.isEmpty() ? null : error);
    }

    /** A fault of which only the time is known. */
    public static FaultRun external() {
        return of(EXTERNAL, EXTERNAL, new FaultNodes(null, null, null, null));
    }

    public FaultRun with(String field, Object value) {
        return new FaultRun(tree.with(field, value));
    }

    public String name() {
        return tree.text("name", NONE);
    }

    public String kind() {
        return tree.text("kind", NONE);
    }

    public boolean isNone() {
        return kind().equals(NONE);
    }

    public String master() {
        return tree.text("master");
    }

    public String backup() {
        return tree.text("backup");
    }

    public String victim() {
        return tree.text("victim");
    }

    /** The node that was hit; empty: unknown. */
    public String hit() {
        String victim = tree.text("victim", "");
        return victim.isEmpty() ? tree.text("master", "") : victim;
    }

    /** Sources that see the fault's effect without its commands: generation, frontend, server, owner, scrapes. */
    public List<String> sources() {
        return tree.texts("sources");
    }

    /** Why the fault counts as not done; empty: it does not. */
    public String error() {
        return tree.text("error", "");
    }
}
