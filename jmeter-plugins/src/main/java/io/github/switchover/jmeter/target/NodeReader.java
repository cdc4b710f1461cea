package io.github.switchover.jmeter.target;

import static io.github.switchover.jmeter.target.NodeReader.SourceReader.SourceKind.COMMAND;
import static io.github.switchover.jmeter.target.NodeReader.SourceReader.SourceKind.FIFO;
import static io.github.switchover.jmeter.target.NodeReader.SourceReader.SourceKind.HTTP_PAGE;
import static io.github.switchover.jmeter.target.NodeReader.SourceReader.SourceKind.LOG_FILE;
import static io.github.switchover.jmeter.target.NodeReader.SourceReader.SourceKind.TCP_SOCKET;
import static io.github.switchover.jmeter.target.NodeReader.SourceReader.SourceKind.UNIX_SOCKET;

import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.target.NodeReader.SourceReader.SourceKind;
import io.github.switchover.jmeter.target.Source.SourceText;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/** Reads one {@code [[node]]}. */
final class NodeReader {

    private static final List<String> ROLES =
            Arrays.stream(Node.Role.values()).map(Node.Role::label).toList();
    private static final List<String> CHECKS = List.of("process", "http", "unknown");

    private NodeReader() {}

    static Node read(TomlTable table) {
        String name = table.required("name");
        table.place("node " + name);
        Object clock = table.any("clock");
        boolean shared = "shared".equals(clock);
        Node.Role role = Node.Role.of(table.choice("role", ROLES, null));
        String host = table.string("host");
        Source haproxy = SourceReader.read(table, "haproxy", UNIX_SOCKET, TCP_SOCKET, HTTP_PAGE, COMMAND);
        Source nginx = SourceReader.read(table, "nginx", HTTP_PAGE, COMMAND);
        // These keys are checked, but not used: only the Python program uses them, and both programs accept the same
        // target files.
        SourceReader.read(table, "metrics", HTTP_PAGE, COMMAND);
        SourceReader.read(table, "access_log", LOG_FILE, COMMAND);
        List<Source> owners = owners(table);
        Path copy = null;
        Tree settings = null;
        if (table.any("keepalived") instanceof String) {
            copy = table.path("keepalived", table.required("keepalived"));
        } else {
            settings = keepalived(table.table("keepalived"));
        }
        Source.Command ownClock = shared ? null : SourceReader.command(table, "clock");
        SourceReader.command(table, "processes");
        Source.Command machineId = SourceReader.command(table, "machine_id");
        table.done();
        Node.NodeSources sources = new Node.NodeSources(haproxy, nginx, owners, ownClock, shared);
        return new Node(name, role, host, machineId, sources, copy, settings);
    }

    /** One source, or a list of sources (a list whose entries are lists or {@code fifo:} names). */
    private static List<Source> owners(TomlTable table) {
        Object value = table.any("vip_owner");
        List<TomlTable> tables = value instanceof List<?> list && list.stream().anyMatch(NodeReader::isSource)
                ? list.stream().map(entry -> table.alone("vip_owner", entry)).toList()
                : List.of(table);
        return tables.stream()
                .map(entry -> SourceReader.read(entry, "vip_owner", FIFO, COMMAND))
                .filter(Objects::nonNull)
                .toList();
    }

    private static boolean isSource(Object entry) {
        return entry instanceof List || (entry instanceof String text && text.startsWith("fifo:"));
    }

    /**
     * Reads the settings of keepalived.conf that determine the time of a switchover. Missing settings have Keepalived's
     * defaults.
     */
    private static Tree keepalived(TomlTable table) {
        if (table == null) {
            return null;
        }
        TomlTable check = table.table("check");
        String instance = table.string("instance", "VI_1");
        int priority = table.integer("priority", 100, 1, 255);
        Double advertS = table.durationS("advert_int");
        int version = table.integer("version", 2, 2, 3);
        boolean preempt = table.flag("preempt", true);
        Double delayS = table.durationS("preempt_delay");
        Tree settings = Tree.of(
                "instance",
                instance.isEmpty() ? "VI_1" : instance,
                "version",
                version,
                "priority",
                priority,
                "advert_int_s",
                positive(advertS, 1),
                "down_timer_adverts",
                table.integer("down_timer_adverts", 3, 1, 100),
                "unicast",
                table.flag("unicast", false),
                "preempt",
                preempt,
                "preempt_delay_s",
                delayS == null ? 0.0 : delayS,
                "check",
                check == null ? null : check(check));
        table.done();
        return settings;
    }

    /** Reads a {@code vrrp_script}. The default of its timeout is its interval, as in Keepalived. */
    private static Tree check(TomlTable table) {
        double interval = positive(table.durationS("interval"), 1);
        Tree check = Tree.of(
                "interval_s", interval,
                "timeout_s", positive(table.durationS("timeout"), interval),
                "fall", table.integer("fall", 1, 1, 1000),
                "rise", table.integer("rise", 1, 1, 1000),
                "weight", table.integer("weight", -20, -253, 253),
                "by", table.choice("by", CHECKS, "unknown"));
        table.done();
        return check;
    }

    private static double positive(Double seconds, double usual) {
        return seconds == null || seconds == 0 ? usual : seconds;
    }

    /** Reads a source, and checks its kind. */
    static final class SourceReader {

        private SourceReader() {}

        /** The kinds of source that a key may name, with an example for the error message. */
        enum SourceKind {
            UNIX_SOCKET(Source.UnixSocket.class, "\"unix:/run/haproxy/admin.sock\""),
            TCP_SOCKET(Source.TcpSocket.class, "\"tcp://lb1:9999\""),
            HTTP_PAGE(Source.HttpPage.class, "\"http://lb1:8404/stats\""),
            COMMAND(Source.Command.class, "[\"ssh\", \"lb1\", …]"),
            FIFO(Source.Fifo.class, "\"fifo:/run/keepalived/notify.fifo\""),
            LOG_FILE(Source.LogFile.class, "\"/var/log/nginx/access.log\"");

            private final Class<? extends Source> type;
            private final String example;

            SourceKind(Class<? extends Source> type, String example) {
                this.type = type;
                this.example = example;
            }
        }

        /**
         * Returns the source that the key configures; null if the key is missing. The source must be of one of the
         * given kinds.
         */
        static Source read(TomlTable table, String key, SourceKind... kinds) {
            Object value = table.any(key);
            if (value == null) {
                return null;
            }
            Source found = parse(table, key, value);
            if (found != null && Arrays.stream(kinds).anyMatch(kind -> kind.type.isInstance(found))) {
                return found;
            }
            String examples = Arrays.stream(kinds).map(kind -> kind.example).collect(Collectors.joining(" or "));
            String instead = value instanceof String text
                    ? ReadableText.quoted(PublicText.text(text))
                    : ReadableText.kindOf(value);
            throw table.error(key, "must be " + examples + ", not " + instead);
        }

        static Source.Command command(TomlTable table, String key) {
            return (Source.Command) read(table, key, SourceKind.COMMAND);
        }

        private static Source parse(TomlTable table, String key, Object value) {
            if (value instanceof List) {
                return new Source.Command(table.arguments(key), table.variables());
            }
            if (!(value instanceof String text)) {
                return null;
            }
            Source found = SourceText.of(text);
            if (found instanceof Source.UnixSocket socket) {
                return new Source.UnixSocket(table.locate(socket.path()));
            }
            if (found instanceof Source.Fifo fifo) {
                return new Source.Fifo(table.locate(fifo.path()));
            }
            return found == null && text.indexOf('/') >= 0 && !SourceText.isAddress(text)
                    ? new Source.LogFile(table.locate(text))
                    : found;
        }
    }
}
