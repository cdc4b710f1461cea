package io.github.switchover.jmeter.target;

import io.github.switchover.jmeter.core.Labelled;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.target.Source.Command;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A host of the target with its sources, and its Keepalived settings or the copy of its keepalived.conf. */
public record Node(
        String name,
        Role role,
        @Nullable String host,
        @Nullable Command machineId,
        NodeSources sources,
        @Nullable Path keepalivedCopy,
        @Nullable Tree keepalived) {

    /** The sources of a node. {@code sharedClock}: the node runs on this machine, and has the same clock. */
    public record NodeSources(
            @Nullable Source haproxy,
            @Nullable Source nginx,
            List<Source> vipOwner,
            @Nullable Command clock,
            boolean sharedClock) {}

    /** The role of a node; {@code label()} is its word in the file. */
    public enum Role implements Labelled {
        BALANCER,
        BACKEND
    }
}
