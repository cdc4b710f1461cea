package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.command.CommandStream.LineEvent;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.SwitchoverException.SourceException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.http.Resolver;
import io.github.switchover.jmeter.run.ServerClocks.ClockReading;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Follows {@code ip -ts monitor address} on a node. Only lines about the virtual address are used. */
final class AddressSource extends OwnershipSource {

    /** The time until a second query, which finds changes between the first query and the start of the monitor. */
    private static final long RECHECK_NS = Units.NS_PER_S;

    /** The period of queries to a remote node: a waiting ssh process does not detect that its node is dead. */
    static final long ALIVE_NS = 5 * Units.NS_PER_S;

    /** After this many consecutive unanswered queries, the ownership is unknown from the last answer or line on. */
    private static final int MISSES = 2;

    private static final long NEVER = Long.MAX_VALUE;
    private static final int LIMIT_BYTES = 1024 * 1024;

    private final String vipHost;
    private final Source.@Nullable Command show;
    private final boolean isRemote;
    private final long aliveEachNs;
    private final Set<String> interfaces = new HashSet<>();
    private Set<InetAddress> vip = Set.of();
    private @Nullable Boolean holds;
    private @Nullable ClockReading offset;
    private long lookAtNs = NEVER;
    private int misses;

    /** The time of the last answer or line of a remote node. */
    private long aliveNs = NEVER;

    private long movedNs;

    /** The time of a query whose answer contradicted the known state. The next answer decides. */
    private long doubtedNs = NEVER;

    /** The start of the last period of unknown ownership. Delayed lines may belong to this period. */
    private long unknownFromNs = NEVER;

    private long unknownToNs;

    /** {@code aliveEachNs}: the period of queries, {@link #ALIVE_NS}. */
    AddressSource(
            Node node,
            Source.Command source,
            String vipHost,
            AddressOwners ownership,
            RunClock clock,
            Health health,
            long aliveEachNs) {
        super(node, source, ownership, clock, health);
        this.vipHost = vipHost;
        this.aliveEachNs = aliveEachNs;
        show = AddressLine.showCommand(source);
        isRemote = !node.sources().sharedClock();
        ownership.watch(node, true);
    }

    /** True if a node has one of the addresses now, by a single query. */
    static @Nullable Boolean holdsAddress(Node node, Set<InetAddress> addresses, double timeoutS) {
        for (Source source : node.sources().vipOwner()) {
            Source.Command show = source instanceof Source.Command command ? AddressLine.showCommand(command) : null;
            if (show != null) {
                try {
                    return !interfaces(show, addresses, timeoutS).isEmpty();
                } catch (SourceException error) {
                    // Try the next source.
                }
            }
        }
        return null;
    }

    @Override
    void handle(LineEvent item) {
        if (item instanceof LineEvent.Read text) {
            AddressLine line = AddressLine.parse(text.text());
            isAliveAt(text.arrivedNs());
            if (line != null && vip.contains(line.address())) {
                moved(line, text.arrivedNs());
            }
        } else if (item instanceof LineEvent.Opened) {
            offset = measuredOffset();
            if (!look(true)) {
                ownership.address(node.name(), null, clock.nowNs(), "", false);
            }
            lookAtNs = System.nanoTime() + Math.min(RECHECK_NS, aliveEachNs);
            ready().countDown();
        } else if (item instanceof LineEvent.Closed closed) {
            lost(closed.reason(), closed.atNs());
        }
    }

    @Override
    void tick() throws InterruptedException {
        if (System.nanoTime() < lookAtNs) {
            return;
        }
        lookAtNs = isRemote && show != null ? System.nanoTime() + aliveEachNs : NEVER;
        boolean answered = look(false);
        misses = answered ? 0 : misses + 1;
        if (vip.isEmpty()) {
            lookAtNs = System.nanoTime() + Math.min(RECHECK_NS, aliveEachNs);
        } else if (isRemote && misses == MISSES) {
            forget(clock.nowNs());
        }
    }

    @Override
    void lost(String reason, long atNs) {
        health.failed(reason);
        lookAtNs = NEVER;
        misses = 0;
        forget(atNs);
        ready().countDown();
    }

    private void moved(AddressLine line, long arrivedNs) {
        if (line.deleted()) {
            interfaces.remove(line.iface());
        } else {
            interfaces.add(line.iface());
        }
        Boolean has = !interfaces.isEmpty();
        health.works();
        movedNs = arrivedNs;
        doubtedNs = NEVER;
        Long stampNs = line.stampNs();
        ClockReading known = stampNs == null ? null : offset;
        long atNs = stampNs == null || known == null ? arrivedNs : happenedNs(known, stampNs, arrivedNs);
        boolean wasUnknown = unknownFromNs <= atNs && atNs < unknownToNs;
        if (!has.equals(holds) || wasUnknown) {
            holds = has;
            ownership.address(node.name(), has, atNs, known == null ? "ip monitor, on arrival" : bound(known), true);
        }
    }

    private void isAliveAt(long atNs) {
        if (isRemote) {
            aliveNs = aliveNs == NEVER ? atNs : Math.max(aliveNs, atNs);
        }
    }

    /** Queries the addresses, and uses the answer unless a newer line arrived meanwhile. False: there was no answer. */
    private boolean look(boolean first) {
        long askedNs = clock.nowNs();
        Set<String> found;
        try {
            if (vip.isEmpty()) {
                vip = Set.copyOf(Resolver.resolve(vipHost, Units.ns(Transport.TIMEOUT_S)));
            }
            if (show == null) {
                return false;
            }
            found = interfaces(show, vip, Transport.TIMEOUT_S);
            health.works();
            handleLines(0);
        } catch (SourceException | UnknownHostException error) {
            health.failed(String.valueOf(error.getMessage()));
            return false;
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            return false;
        }
        if (movedNs < askedNs) {
            take(found, askedNs, first);
        }
        return true;
    }

    private void take(Set<String> found, long askedNs, boolean first) {
        Boolean has = !found.isEmpty();
        if (isRemote && holds != null && !has.equals(holds)) {
            if (doubtedNs == NEVER) {
                doubtedNs = askedNs;
                lookAtNs = System.nanoTime();
                return; // The line about the move may still arrive: the next answer decides.
            }
            forget(doubtedNs);
        }
        doubtedNs = NEVER;
        isAliveAt(askedNs);
        interfaces.clear();
        interfaces.addAll(found);
        if (first || !has.equals(holds)) {
            if (holds == null) {
                unknownToNs = askedNs;
            }
            holds = has;
            ownership.address(node.name(), has, askedNs, "ip address show, found later", !first);
        }
    }

    /** Sets the ownership to unknown from the last answer or line on: while the connection is cut, no line arrives. */
    private void forget(long atNs) {
        doubtedNs = NEVER;
        if (holds != null) {
            long sinceNs = aliveNs == NEVER ? atNs : Math.min(atNs, aliveNs + 1);
            unknownFromNs = sinceNs;
            unknownToNs = atNs;
            holds = null;
            interfaces.clear();
            ownership.address(node.name(), null, sinceNs, "", false);
        }
    }

    /** The time of the change from the node's time stamp and clock offset, but never later than the line's arrival. */
    private long happenedNs(ClockReading known, long stampNs, long arrivedNs) {
        long atNs = isRemote ? stampNs - known.offsetUs() * Units.NS_PER_US : clock.fromWallNs(stampNs);
        return Math.min(AddressLine.localToUtcNs(atNs, arrivedNs), arrivedNs);
    }

    private static String bound(ClockReading known) {
        return known.boundUs() == 0
                ? "ip monitor"
                : "ip monitor, ±" + Numbers.fixed(Units.msOfUs(known.boundUs()), 1) + " ms";
    }

    /** The offset of the node's clock. Null: unknown, and times of arrival are used instead. */
    private @Nullable ClockReading measuredOffset() {
        try {
            return ClockOffset.measure(node, clock);
        } catch (SourceException error) {
            return null;
        }
    }

    private static Set<String> interfaces(Source.Command show, Set<InetAddress> addresses, double timeoutS) {
        byte[] answer = Transport.fetch(show, null, timeoutS, LIMIT_BYTES);
        List<String> lines = new String(answer, StandardCharsets.UTF_8).lines().toList();
        Set<String> found = AddressLine.interfacesWith(lines, addresses);
        if (found == null) {
            throw new SourceException("`" + show + "` printed no addresses");
        }
        return found;
    }
}
