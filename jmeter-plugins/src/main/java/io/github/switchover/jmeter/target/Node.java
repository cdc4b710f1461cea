package io.github.switchover.jmeter.target;

import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.target.Source.Command;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A host of the target, and the sources that observe it. Every source is optional: null or empty if the file names no
 * source.
 *
 * @param machineId a command that prints an identifier that only this node has, such as /etc/machine-id
 * @param keepalivedCopy a copy of the node's keepalived.conf
 * @param keepalived the node's Keepalived settings, as in run.json; {@code switchover report} computes a prediction
 *     from these settings
 */
public record Node(
        String name,
        Role role,
        @Nullable String host,
        @Nullable Command machineId,
        NodeSources sources,
        @Nullable Path keepalivedCopy,
        @Nullable Tree keepalived) {

    /**
     * The sources of a node.
     *
     * @param haproxy a socket, a page or a command
     * @param nginx a page or a command
     * @param vipOwner sources of the address owner: the notify FIFO reports VRRP states, a streamed {@code ip
     *     monitor} reports addresses
     * @param clock a command that prints the node's time
     * @param sharedClock true for {@code clock = "shared"}: the node runs on this machine, and has the same clock
     */
    public record NodeSources(
            @Nullable Source haproxy,
            @Nullable Source nginx,
            List<Source> vipOwner,
            @Nullable Command clock,
            boolean sharedClock) {

        public NodeSources {
            vipOwner = List.copyOf(vipOwner);
        }
    }

    /** The role of a node; {@code label()} is its word in the file. */
    public enum Role {
        BALANCER,
        BACKEND;

        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Role of(String label) {
            return label.equals(BALANCER.label()) ? BALANCER : BACKEND;
        }
    }
}
