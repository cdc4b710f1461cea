package io.github.switchover.jmeter.telemetry;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.Point.EventKind;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.core.Point.Measurements;
import io.github.switchover.jmeter.core.Point.PointSink;
import io.github.switchover.jmeter.target.Node;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The owners of the address, from all sources, and the journal of their changes. Thread-safe.
 *
 * <p>The FIFO reports VRRP states; {@code ip monitor address} reports addresses. A killed Keepalived reports nothing,
 * but its address stays: if a node has both sources, {@code ip monitor address} decides.
 *
 * <p>Times are in ns on the run's clock. {@code how} describes the source and its uncertainty for users.
 */
public final class AddressOwners {

    /** The state of a watched node. */
    private static final class Watched {
        /** The VRRP instance, if the target file names it. */
        String instance = "";

        boolean kernelWatched;

        @Nullable
        Boolean kernel;

        final Map<String, String> states = new LinkedHashMap<>();
        final Map<String, Boolean> claims = new LinkedHashMap<>();
        boolean ended;

        @Nullable
        Boolean holds() {
            return kernel == null ? claimed() : kernel;
        }

        /** True if the states mean ownership; null if they disagree, and the state of {@code instance} is unknown. */
        @Nullable
        Boolean claimed() {
            Boolean named = claims.get(instance);
            if (named != null) {
                return named;
            }
            Set<Boolean> different = new HashSet<>(claims.values());
            return different.size() == 1 ? different.iterator().next() : null;
        }
    }

    private final PointSink journal;
    private final String vip;
    private final Map<String, Watched> nodes = new LinkedHashMap<>();

    public AddressOwners(PointSink journal, String vip) {
        this.journal = journal;
        this.vip = vip;
    }

    /** True for each node that holds the address; null if the node's source has not reported. */
    public synchronized Map<String, Boolean> known() {
        Map<String, Boolean> known = new LinkedHashMap<>();
        nodes.forEach((name, node) -> known.put(name, node.holds()));
        return known;
    }

    /** The last state that Keepalived reported, by node and VRRP instance; empty if Keepalived ended silently. */
    synchronized Map<String, Map<String, String>> states() {
        Map<String, Map<String, String>> reported = new LinkedHashMap<>();
        nodes.forEach((name, node) -> reported.put(name, Map.copyOf(node.states)));
        return reported;
    }

    private Watched watched(String node) {
        return requireNonNull(nodes.get(node));
    }

    /** Registers a source of a node. {@code kernel}: the source observes the address itself. */
    synchronized void watch(Node node, boolean kernel) {
        Watched watched = nodes.computeIfAbsent(node.name(), name -> new Watched());
        watched.instance = node.keepalived() == null ? "" : node.keepalived().text("instance", "");
        watched.kernelWatched |= kernel;
    }

    /** Records whether the kernel has the address. {@code changed} false: the state when the source was opened. */
    void address(String node, @Nullable Boolean holds, long atNs, String how, boolean changed) {
        String instance;
        synchronized (this) {
            Watched watched = watched(node);
            watched.kernel = holds;
            watched.kernelWatched = true;
            instance = watched.instance;
        }
        Map<String, FieldValue> fields = FieldValue.map("state", "", "holds_vip", holds);
        journal.write(Measurements.VRRP, Map.of("node", node, "instance", instance), fields, atNs);
        if (changed && holds != null) {
            String verb = holds ? "holds" : "no longer holds";
            journal.event(EventKind.VRRP, node + " " + verb + " " + vip + " (" + how + ")", atNs, node, instance);
        }
    }

    /** Records a state of Keepalived. {@code changed} false: the state when the source was opened. */
    void notified(String node, Notification notification, long atNs, String how, boolean changed) {
        synchronized (this) {
            Watched watched = watched(node);
            watched.states.put(notification.instance(), notification.state());
            watched.claims.put(notification.instance(), notification.state().equals("MASTER"));
            watched.ended = false;
        }
        writeState(node, notification, atNs);
        if (changed) {
            String priority = notification.priority() == null ? "" : ", priority " + notification.priority();
            String text =
                    node + ": " + notification.instance() + " " + notification.state() + priority + " (" + how + ")";
            journal.event(EventKind.VRRP, text, atNs, node, notification.instance());
        }
    }

    /** Records that the state of the node's Keepalived is unknown. */
    void unknown(String node, long atNs) {
        String instance;
        synchronized (this) {
            instance = watched(node).instance;
        }
        writeState(node, new Notification(instance, "", null), atNs);
    }

    /** Records that the FIFO cannot be read any more, so that its states are no longer valid. */
    void lost(String node, long atNs) {
        synchronized (this) {
            Watched watched = watched(node);
            watched.states.clear();
            watched.claims.clear();
        }
        unknown(node, atNs);
    }

    /** Records that no process writes to the FIFO: after a STOP, or because Keepalived ended and left its addresses. */
    void silent(String node, long atNs) {
        Map<String, String> left = new LinkedHashMap<>();
        boolean isUnreported;
        synchronized (this) {
            Watched watched = watched(node);
            if (watched.ended) {
                return;
            }
            watched.ended = true;
            isUnreported = watched.states.isEmpty();
            watched.states.forEach((instance, state) -> {
                if (!Notification.ENDED.contains(state)) {
                    left.put(instance, state);
                }
            });
            left.keySet().forEach(instance -> watched.states.put(instance, ""));
        }
        if (!isUnreported && left.isEmpty()) {
            return;
        }
        left.keySet().forEach(instance -> writeState(node, new Notification(instance, "", null), atNs));
        String was = left.entrySet().stream()
                .filter(entry -> !entry.getValue().isEmpty())
                .map(entry -> entry.getKey() + " was " + entry.getValue())
                .collect(Collectors.joining(", "));
        String text = node + ": Keepalived ended without a report" + (was.isEmpty() ? "" : " (" + was + ")");
        journal.event(EventKind.VRRP, text, atNs, node, "");
    }

    /**
     * Writes a state, and the ownership if no source observes the address.
     *
     * <p>An unknown state is not written if a source observes the address: the point would mean that this source is
     * lost.
     */
    private void writeState(String node, Notification notification, long atNs) {
        Boolean claimed;
        synchronized (this) {
            Watched watched = watched(node);
            if (notification.state().isEmpty() && watched.kernelWatched) {
                return;
            }
            claimed = watched.kernel == null ? watched.claimed() : null;
        }
        Boolean holds = notification.state().isEmpty() ? null : claimed;
        Map<String, FieldValue> fields =
                FieldValue.map("state", notification.state(), "priority", notification.priority(), "holds_vip", holds);
        journal.write(Measurements.VRRP, Map.of("node", node, "instance", notification.instance()), fields, atNs);
    }

    /** One line of Keepalived's notify FIFO, with the effective priority. */
    record Notification(
            String instance, String state, @Nullable Integer priority) {

        static final Set<String> ENDED = Set.of("STOP", "DELETED");

        private static final Set<String> STATES = Set.of("MASTER", "BACKUP", "FAULT", "STOP", "DELETED");
        private static final Pattern LINE =
                Pattern.compile("(INSTANCE|GROUP) \"([^\"\\x00-\\x1f]{1,128})\" ([A-Z_]{1,32})(?: ([0-9]{1,3}))?");

        /**
         * Parses {@code INSTANCE "VI_1" MASTER 101}. Null for invalid lines and for groups.
         *
         * <p>{@code MASTER_PRIORITY} has a new priority. {@code MASTER_RX_LOWER_PRI}: the master received a lower
         * priority.
         */
        static @Nullable Notification parse(String line) {
            Matcher match = LINE.matcher(line);
            if (!match.matches() || !match.group(1).equals("INSTANCE")) {
                return null;
            }
            String state = match.group(3).replaceFirst("_PRIORITY$", "").replaceFirst("_RX_LOWER_PRI$", "");
            if (!STATES.contains(state)) {
                return null;
            }
            String priority = match.group(4);
            return new Notification(match.group(2), state, priority == null ? null : Integer.valueOf(priority));
        }
    }
}
