package io.github.switchover.jmeter.target;

import static io.github.switchover.jmeter.target.SourceReader.SourceKind.COMMAND;
import static io.github.switchover.jmeter.target.SourceReader.SourceKind.FIFO;
import static io.github.switchover.jmeter.target.SourceReader.SourceKind.HTTP_PAGE;
import static io.github.switchover.jmeter.target.SourceReader.SourceKind.LOG_FILE;
import static io.github.switchover.jmeter.target.SourceReader.SourceKind.TCP_SOCKET;
import static io.github.switchover.jmeter.target.SourceReader.SourceKind.UNIX_SOCKET;

import io.github.switchover.jmeter.target.KeepalivedSettings.VrrpAdverts;
import io.github.switchover.jmeter.target.KeepalivedSettings.VrrpPreemption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

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
        // Only checked: the plugins read no page of metrics, and a target file is the same for both halves.
        SourceReader.read(table, "metrics", HTTP_PAGE, COMMAND);
        Source accessLog = SourceReader.read(table, "access_log", LOG_FILE, COMMAND);
        List<Source> owners = owners(table);
        Path copy = null;
        KeepalivedSettings settings = null;
        if (table.any("keepalived") instanceof String) {
            copy = table.path("keepalived", table.required("keepalived"));
        } else {
            settings = keepalived(table.table("keepalived"));
        }
        Source.Command ownClock = shared ? null : SourceReader.command(table, "clock");
        Source.Command processes = SourceReader.command(table, "processes");
        Source.Command machineId = SourceReader.command(table, "machine_id");
        table.done();
        Node.NodeSources sources = new Node.NodeSources(haproxy, nginx, accessLog, owners, processes, ownClock, shared);
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

    private static KeepalivedSettings keepalived(TomlTable table) {
        if (table == null) {
            return null;
        }
        KeepalivedSettings usual = KeepalivedSettings.DEFAULT;
        TomlTable check = table.table("check");
        int priority = table.integer("priority", usual.priority(), 1, 255);
        Double advertS = table.durationS("advert_int");
        int version = table.integer("version", usual.version(), 2, 3);
        boolean preempt = table.flag("preempt", usual.preemption().preempt());
        Double delayS = table.durationS("preempt_delay");
        int adverts = table.integer("down_timer_adverts", usual.adverts().downTimerAdverts(), 1, 100);
        boolean unicast = table.flag("unicast", usual.adverts().unicast());
        String instance = table.string("instance", usual.instance());
        KeepalivedSettings settings = new KeepalivedSettings(
                instance.isEmpty() ? usual.instance() : instance,
                version,
                priority,
                new VrrpAdverts(positive(advertS, usual.adverts().advertIntS()), adverts, unicast),
                new VrrpPreemption(preempt, delayS == null ? 0.0 : delayS),
                check == null ? null : check(check));
        table.done();
        return settings;
    }

    private static KeepalivedSettings.Check check(TomlTable table) {
        KeepalivedSettings.Check usual = KeepalivedSettings.Check.DEFAULT;
        double interval = positive(table.durationS("interval"), usual.intervalS());
        // Without a timeout of its own a script has Keepalived's default, the interval.
        KeepalivedSettings.Check check = new KeepalivedSettings.Check(
                interval,
                positive(table.durationS("timeout"), interval),
                table.integer("fall", usual.fall(), 1, 1000),
                table.integer("rise", usual.rise(), 1, 1000),
                table.integer("weight", usual.weight(), -253, 253),
                table.choice("by", CHECKS, usual.by()));
        table.done();
        return check;
    }

    private static double positive(Double seconds, double usual) {
        return seconds == null || seconds == 0 ? usual : seconds;
    }
}
