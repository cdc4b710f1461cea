package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Tree;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The {@code fault} or {@code change} of run.json. Unknown nodes are null. */
public record FaultRun(Tree tree) {

    public static final String MASTER = "master";
    public static final String BACKEND = "backend";
    public static final String NONE = "none";

    /** The name and kind of a fault that another program fires and heals. */
    public static final String EXTERNAL = "external";

    /** The nodes of a fault, and the source of the master's name. */
    public record FaultNodes(
            @Nullable String master,
            @Nullable String backup,
            @Nullable String victim,
            @Nullable String masterSource) {
        private static final FaultNodes UNKNOWN = new FaultNodes(null, null, null, null);
    }

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

    /** A run without a fired fault. {@code error}: the reason if a fault was planned, otherwise empty. */
    public static FaultRun none(String error) {
        return of(NONE, NONE, FaultNodes.UNKNOWN).with("error", error.isEmpty() ? null : error);
    }

    /** Returns a fault that another program fired, of which only the time is known. */
    public static FaultRun external() {
        return of(EXTERNAL, EXTERNAL, FaultNodes.UNKNOWN);
    }

    public FaultRun with(String field, @Nullable Object value) {
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

    public @Nullable String master() {
        return tree.text("master");
    }

    public @Nullable String victim() {
        return tree.text("victim");
    }

    /** The name of the node that was hit; empty: unknown. */
    public String hit() {
        String victim = tree.text("victim", "");
        return victim.isEmpty() ? tree.text("master", "") : victim;
    }

    /** The sources that show the effect: generation, frontend, server, owner, scrapes. */
    public List<String> sources() {
        return tree.texts("sources");
    }

    /** The reason why the fault counts as not fired; empty: the fault counts as fired. */
    public String error() {
        return tree.text("error", "");
    }
}
