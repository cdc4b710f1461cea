package io.github.switchover.jmeter.faults;

import io.github.switchover.jmeter.command.CommandRunner;
import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.core.SwitchoverException.SourceException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.http.Resolver;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import io.github.switchover.jmeter.telemetry.HaproxySnapshot;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a node on this machine, independent of the spelling of its host in a target file.
 *
 * <p>A run locks each key of its balancers, so runs that share a balancer exclude each other. The keys are those of
 * Python's {@code drill/node_key.py}; {@code contract/lock_keys.json} ensures this.
 */
final class NodeKeys {

    /** The time limit to resolve one host. If the host is not resolved within this time, its only key is its text. */
    private static final long RESOLVE_NS = 2 * Units.NS_PER_S;

    private static final int MACHINE_ID_BYTES = 4096;
    private static final String THIS_MACHINE = "7f000001";
    private static final int NAME_CHARACTERS = 24;

    /** Finds the keys of a node. Throws FaultException if the node does not answer with its machine id. */
    static List<String> find(Node node, @Nullable HaproxySnapshot snapshot) {
        String host = node.host() == null || node.host().isEmpty() ? node.name() : node.host();
        List<String> keys = new ArrayList<>(of(host, Resolver.find(spelled(host), RESOLVE_NS)));
        Source.Command machineId = node.machineId();
        if (machineId != null) {
            keys.add("machine:" + readMachineId(node.name(), machineId));
        }
        keys.addAll(ofProcess(snapshot));
        return keys;
    }

    /** The key of the HAProxy process that answers. A fault ends only one of a pair's processes. */
    static List<String> ofProcess(@Nullable HaproxySnapshot snapshot) {
        Long pid = snapshot == null ? null : snapshot.info().get("Pid");
        if (snapshot == null || pid == null) {
            return List.of();
        }
        Long start = snapshot.info().get("Start_time_sec");
        String node = snapshot.node().toLowerCase(Locale.ROOT);
        return List.of("haproxy:" + node + ":" + pid + ":" + (start == null ? "" : start));
    }

    private static String readMachineId(String node, Source.Command command) {
        String refusal = node + " cannot be locked for this run, because the command machine_id failed: ";
        String id;
        try {
            byte[] printed = CommandRunner.of(command).fetch(MACHINE_ID_BYTES);
            id = new String(printed, StandardCharsets.UTF_8).strip().toLowerCase(Locale.ROOT);
        } catch (SourceException error) {
            throw new FaultException(refusal + error.getMessage(), error);
        }
        if (id.isEmpty()) {
            throw new FaultException(refusal + "`" + PublicText.command(command.arguments()) + "` printed nothing");
        }
        return id;
    }

    /** The keys of a host: one for its text, because a name may be unresolvable at times, and one for each address. */
    static List<String> of(String host, Collection<InetAddress> addresses) {
        Stream<String> ofAddresses = addresses.stream().map(address -> "address:" + packed(address));
        return Stream.concat(Stream.of("name:" + spelled(host)), ofAddresses)
                .distinct()
                .toList();
    }

    /** The name of the lock file of a key. */
    static String lockFile(String key) {
        return "switchover-" + Identity.sha256(key).substring(0, NAME_CHARACTERS) + ".lock";
    }

    private static String spelled(String host) {
        return host.strip().toLowerCase(Locale.ROOT).replaceFirst("\\.$", "").replaceFirst("^\\[(.*)]$", "$1");
    }

    /** The address in hexadecimal digits. All local addresses of a machine have the same key. */
    private static String packed(InetAddress address) {
        return address.isLoopbackAddress() || address.isAnyLocalAddress()
                ? THIS_MACHINE
                : HexFormat.of().formatHex(address.getAddress());
    }
}
