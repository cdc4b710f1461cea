package io.github.switchover.jmeter.target;

import java.nio.file.Path;
import java.util.List;

/**
 * A host of the target and the ways to watch it; every way is optional, null or empty where the file names none.
 *
 * @param haproxy a socket, a page or a command
 * @param nginx a page or a command
 * @param accessLog a file or a command
 * @param vipOwner ownership witnesses: the notify FIFO says VRRP states, a streamed {@code ip monitor} says addresses
 * @param keepalivedCopy a copy of its keepalived.conf
 * @param keepalived or its settings
 * @param sharedClock {@code clock = "shared"}: the node runs on this machine, so its clock is ours
 * @param processes a command that prints /proc/loadavg and then /proc/PID/stat lines
 */
public record Node(
        String name,
        Role role,
        String host,
        Source haproxy,
        Source nginx,
        Source accessLog,
        List<Source> vipOwner,
        Path keepalivedCopy,
        KeepalivedSettings keepalived,
        Source.Command clock,
        boolean sharedClock,
        Source.Command processes) {

    public Node {
        vipOwner = List.copyOf(vipOwner);
    }

    public static NodeBuilder builder(String name, Role role) {
        return new NodeBuilder(name, role);
    }

    /** What a node does; {@code label()} is what stands in the file. */
    public enum Role {
        BALANCER("balancer"),
        BACKEND("backend");

        private final String label;

        Role(String label) {
            this.label = label;
        }

        public String label() {
            return label;
        }

        static Role of(String label) {
            return label.equals(BALANCER.label) ? BALANCER : BACKEND;
        }
    }

    /** A node as it is put together; what is not said there is not. Not thread-safe. */
    public static final class NodeBuilder {

        private final String name;
        private final Role role;
        private String host;
        private Source haproxy;
        private Source nginx;
        private Source accessLog;
        private List<Source> vipOwner = List.of();
        private Path keepalivedCopy;
        private KeepalivedSettings keepalived;
        private Source.Command clock;
        private boolean sharedClock;
        private Source.Command processes;

        private NodeBuilder(String name, Role role) {
            this.name = name;
            this.role = role;
        }

        public Node build() {
            return new Node(
                    name,
                    role,
                    host,
                    haproxy,
                    nginx,
                    accessLog,
                    vipOwner,
                    keepalivedCopy,
                    keepalived,
                    clock,
                    sharedClock,
                    processes);
        }

        public NodeBuilder host(String value) {
            host = value;
            return this;
        }

        public NodeBuilder haproxy(Source value) {
            haproxy = value;
            return this;
        }

        public NodeBuilder nginx(Source value) {
            nginx = value;
            return this;
        }

        public NodeBuilder accessLog(Source value) {
            accessLog = value;
            return this;
        }

        public NodeBuilder vipOwner(List<Source> value) {
            vipOwner = value;
            return this;
        }

        public NodeBuilder keepalivedCopy(Path value) {
            keepalivedCopy = value;
            return this;
        }

        public NodeBuilder keepalived(KeepalivedSettings value) {
            keepalived = value;
            return this;
        }

        public NodeBuilder clock(Source.Command value) {
            clock = value;
            return this;
        }

        public NodeBuilder sharedClock(boolean value) {
            sharedClock = value;
            return this;
        }

        public NodeBuilder processes(Source.Command value) {
            processes = value;
            return this;
        }
    }
}
