package io.github.switchover.jmeter.target;

import io.github.switchover.jmeter.core.Tree;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * A host of the target and the sources to watch it. Every source is optional: null or empty if the file names none.
 *
 * @param machineId a command that prints an identifier that only this node has, such as /etc/machine-id
 * @param keepalivedCopy a copy of its keepalived.conf
 * @param keepalived or its settings, as in run.json; {@code switchover report} makes a prediction of them
 */
public record Node(
        String name,
        Role role,
        String host,
        Source.Command machineId,
        NodeSources sources,
        Path keepalivedCopy,
        Tree keepalived) {

    /**
     * The sources that are read from a node.
     *
     * @param haproxy a socket, a page or a command
     * @param nginx a page or a command
     * @param vipOwner ownership sources: the notify FIFO reports VRRP states, a streamed {@code ip monitor} addresses
     * @param clock a command that prints the node's time
     * @param sharedClock {@code clock = "shared"}: the node runs on this machine, so both have the same clock
     */
    public record NodeSources(
            Source haproxy, Source nginx, List<Source> vipOwner, Source.Command clock, boolean sharedClock) {

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
