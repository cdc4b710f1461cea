package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.command.ChildProcesses;
import io.github.switchover.jmeter.command.CommandStream;
import io.github.switchover.jmeter.command.LineEvent;
import io.github.switchover.jmeter.command.LineSource;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.SourceException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.http.Resolver;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/** Follows {@code ip -ts monitor address} on a node, for the virtual address alone. */
final class AddressSource implements OwnershipSource {

    /** The monitor does not say when it has begun to listen; a second look this much later finds what fell between. */
    private static final long RECHECK_NS = Units.NS_PER_S;

    /**
     * How often a node on another machine is asked for its addresses besides. An ssh that only waits for lines does not
     * notice that its node is dead, or that the way to it is cut.
     */
    private static final long ALIVE_NS = 5 * Units.NS_PER_S;

    /** Questions in a row without an answer after which nothing is known since the last sign of life. */
    private static final int MISSES = 2;

    private static final String FOUND_LATER = "ip address show, found later";
    private static final long NEVER = Long.MAX_VALUE;
    private static final int LIMIT_BYTES = 1024 * 1024;

    /** Finds the addresses of the target's host. */
    interface Lookup {
        List<InetAddress> addressesOf(String host) throws UnknownHostException;
    }

    private final CountDownLatch ready = new CountDownLatch(1);
    private final Node node;
    private final String vipHost;
    private final AddressOwners ownership;
    private final RunClock clock;
    private final ChildProcesses children;
    private final Health health;
    private final LineSource stream;
    private final Source.Command show;
    private final Set<String> interfaces = new HashSet<>();
    private Set<InetAddress> vip = Set.of();
    private Boolean holds;
    private long recheckAtNs = NEVER;
    private ClockOffset offset;
    private long aliveEachNs = ALIVE_NS;
    private Lookup lookup = host -> Resolver.resolve(host, Units.ns(Transport.TIMEOUT_S));
    private long askAtNs = NEVER;
    private AddressQuestion question;
    private int misses;

    /** The last sign of life of a node on another machine, and when the last line about the address came. */
    private long aliveNs = NEVER;

    private long movedNs;

    /** When the question was asked whose answer was another than what is known, with no line about it so far. */
    private long doubtedNs = NEVER;

    /** The last time in which nothing was known: lines that come late may tell of it. */
    private long unknownFromNs = NEVER;

    private long unknownToNs;

    AddressSource(
            Node node,
            Source.Command source,
            String vipHost,
            AddressOwners ownership,
            RunClock clock,
            ChildProcesses children,
            Health health) {
        this.node = node;
        this.vipHost = vipHost;
        this.ownership = ownership;
        this.clock = clock;
        this.children = children;
        this.health = health;
        stream = new CommandStream(source, clock, children);
        show = AddressLine.showCommand(source);
        ownership.watch(node, true);
    }

    /** Tests ask more often. */
    AddressSource askEach(long everyNs) {
        aliveEachNs = everyNs;
        return this;
    }

    /** Tests have a name server of their own. */
    AddressSource lookUpBy(Lookup other) {
        lookup = other;
        return this;
    }

    @Override
    public CountDownLatch ready() {
        return ready;
    }

    @Override
    public void run(CountDownLatch stop) throws InterruptedException {
        try {
            while (stop.getCount() > 0) {
                stream.poll(POLL_NS).forEach(this::handle);
                if (System.nanoTime() >= recheckAtNs) {
                    recheck();
                }
                askAgain();
            }
        } catch (RuntimeException error) {
            lost(OwnershipSource.defect(error), clock.nowNs());
        } finally {
            ready.countDown();
            stream.close();
        }
    }

    /**
     * Whether a node has one of the addresses now, asked once; null where its sources cannot be asked.
     *
     * @param children may be null
     */
    static Boolean holdsAddress(Node node, Set<InetAddress> addresses, double timeoutS, ChildProcesses children) {
        for (Source source : node.sources().vipOwner()) {
            Source.Command show = source instanceof Source.Command command ? AddressLine.showCommand(command) : null;
            if (show != null) {
                try {
                    return !interfaces(show, addresses, timeoutS, children).isEmpty();
                } catch (SourceException error) {
                    // The next source may say it.
                }
            }
        }
        return null;
    }

    private void handle(LineEvent item) {
        if (item instanceof LineEvent.Read text) {
            AddressLine line = AddressLine.parse(text.text());
            isAliveAt(text.arrivedNs());
            if (line != null && vip.contains(line.address())) {
                moved(line, text.arrivedNs());
            }
        } else if (item instanceof LineEvent.Opened) {
            look(true);
            recheckAtNs = System.nanoTime() + RECHECK_NS;
            if (!node.sources().sharedClock() && show != null) {
                askAtNs = System.nanoTime() + aliveEachNs;
            }
            ready.countDown();
        } else if (item instanceof LineEvent.Closed closed) {
            lost(closed.reason(), closed.atNs());
        }
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
        boolean stamped = line.stampNs() != null && offset != null;
        long atNs = stamped ? happenedNs(line.stampNs(), arrivedNs) : arrivedNs;
        boolean wasUnknown = unknownFromNs <= atNs && atNs < unknownToNs;
        if (!has.equals(holds) || wasUnknown) {
            holds = has;
            ownership.address(node.name(), has, atNs, stamped ? bound() : "ip monitor, on arrival", true);
        }
    }

    private void isAliveAt(long atNs) {
        if (!node.sources().sharedClock()) {
            aliveNs = aliveNs == NEVER ? atNs : Math.max(aliveNs, atNs);
        }
    }

    /** Asks a node on another machine again and again, and takes what it has said. */
    private void askAgain() throws InterruptedException {
        AddressQuestion answered = question;
        if (answered != null && answered.isOver()) {
            stream.poll(0).forEach(this::handle);
            if (question == answered) {
                question = null;
                takeAnswer(answered);
            }
        }
        if (question == null && System.nanoTime() >= askAtNs && !vip.isEmpty()) {
            askAtNs = System.nanoTime() + aliveEachNs;
            Set<InetAddress> asked = vip;
            question = new AddressQuestion(() -> interfaces(show, asked, Transport.TIMEOUT_S, children), clock.nowNs());
        }
    }

    private void takeAnswer(AddressQuestion answered) {
        if (answered.found() == null) {
            misses++;
            if (misses == MISSES) {
                health.failed(answered.error());
                forget(clock.nowNs());
            }
            return;
        }
        misses = 0;
        health.works();
        if (movedNs >= answered.askedNs()) {
            return; // A line that came since is newer.
        }
        Boolean has = !answered.found().isEmpty();
        if (holds != null && !has.equals(holds)) {
            if (doubtedNs == NEVER) {
                doubtedNs = answered.askedNs();
                askAtNs = System.nanoTime();
                return; // The line about it may be on its way: the next answer decides.
            }
            forget(doubtedNs);
        }
        doubtedNs = NEVER;
        isAliveAt(answered.askedNs());
        interfaces.clear();
        interfaces.addAll(answered.found());
        if (!has.equals(holds)) {
            if (holds == null) {
                unknownToNs = answered.askedNs();
            }
            holds = has;
            ownership.address(node.name(), has, answered.askedNs(), FOUND_LATER, true);
        }
    }

    /** Nothing is known since the last sign of life: no news comes while the way is cut. */
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

    /** By the node's stamp, since its clock is known; never later than the line's arrival. */
    private long happenedNs(long stampNs, long arrivedNs) {
        long atNs = node.sources().sharedClock()
                ? clock.fromWallNs(stampNs)
                : stampNs - offset.offsetUs() * Units.NS_PER_US;
        return Math.min(AddressLine.localToUtcNs(atNs, arrivedNs), arrivedNs);
    }

    private String bound() {
        return offset.boundUs() == 0
                ? "ip monitor"
                : "ip monitor, ±" + Numbers.fixed(Units.msOfUs(offset.boundUs()), 1) + " ms";
    }

    /** Asks for the addresses once; {@code first}: nothing is known from before. */
    private void look(boolean first) {
        long askedNs = clock.nowNs();
        Set<String> found = null;
        try {
            if (first) {
                offset = measuredOffset();
            }
            if (first || vip.isEmpty()) {
                vip = Set.copyOf(lookup.addressesOf(vipHost));
            }
            found = show == null ? null : interfaces(show, vip, Transport.TIMEOUT_S, children);
            if (found != null) {
                isAliveAt(askedNs);
            }
            health.works();
        } catch (SourceException | UnknownHostException error) {
            health.failed(error.getMessage());
        }
        if (found == null) {
            if (first) {
                ownership.address(node.name(), null, askedNs, "", false);
            }
            return;
        }
        Boolean has = !found.isEmpty();
        interfaces.clear();
        interfaces.addAll(found);
        if (first || !has.equals(holds)) {
            ownership.address(node.name(), has, askedNs, FOUND_LATER, !first);
        }
        holds = has;
    }

    /** Without an offset the node's stamps say nothing here, and arrival has to do. */
    private ClockOffset measuredOffset() {
        try {
            return ClockOffset.measure(node, clock, children);
        } catch (SourceException error) {
            return null;
        }
    }

    /**
     * Once the monitor listens for certain, and after what it has said meanwhile. Again where the target's name had no
     * address.
     */
    private void recheck() throws InterruptedException {
        recheckAtNs = NEVER;
        stream.poll(0).forEach(this::handle);
        look(false);
        if (vip.isEmpty()) {
            recheckAtNs = System.nanoTime() + RECHECK_NS;
        }
    }

    private void lost(String reason, long atNs) {
        health.failed(reason);
        recheckAtNs = NEVER;
        askAtNs = NEVER;
        question = null;
        misses = 0;
        forget(atNs);
        ready.countDown();
    }

    private static Set<String> interfaces(
            Source.Command show, Set<InetAddress> addresses, double timeoutS, ChildProcesses children) {
        byte[] answer = Transport.fetch(show, null, timeoutS, LIMIT_BYTES, children);
        List<String> lines = new String(answer, StandardCharsets.UTF_8).lines().toList();
        Set<String> found = AddressLine.interfacesWith(lines, addresses);
        if (found == null) {
            throw new SourceException("`" + show + "` printed no addresses");
        }
        return found;
    }
}
