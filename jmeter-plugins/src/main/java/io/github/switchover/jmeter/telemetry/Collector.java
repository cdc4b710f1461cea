package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.command.UninterruptedWait;
import io.github.switchover.jmeter.core.DaemonThread;
import io.github.switchover.jmeter.core.PointSink;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import io.github.switchover.jmeter.target.Target;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Scrapes every source of a target into the journal: one thread per source, on a fixed schedule.
 *
 * <p>A source that is slow or gone costs its own thread and no other: its scrapes fail one by one, each with its
 * duration, and the ones that would have overlapped are left out. Started once, stopped once.
 */
public final class Collector implements AutoCloseable {

    /** What the points call this process, as they call the generator of a load. */
    private static final String JMETER = "jmeter";

    /** On top of a source's own time-out, for a busy machine to notice it. */
    private static final long GRACE_NS = Units.NS_PER_S;

    /** What the machine does is told by the second, however often the balancers are asked. */
    private static final long MACHINE_PERIOD_NS = Units.NS_PER_S;

    private static final long TIMEOUT_NS = Units.ns(Transport.TIMEOUT_S);

    private interface Work {
        void run() throws InterruptedException;
    }

    private final CountDownLatch stop = new CountDownLatch(1);
    private final List<ScheduledSource> sources = new ArrayList<>();
    private final List<OwnershipSource> watchers = new ArrayList<>();
    private final List<Health> sourceHealth = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final AddressOwners ownership;
    private final MachineScraper machine = new MachineScraper();

    public Collector(Target target, PointSink journal, RunClock clock, double intervalS) {
        long periodNs = Math.max(1, Units.ns(intervalS));
        String vip = target.endpoint().host();
        ownership = new AddressOwners(journal, vip);
        sources.add(new ScheduledSource(new ProcessScraper(JMETER), journal, clock, periodNs));
        if (Files.exists(MachineScraper.STAT)) {
            sources.add(new ScheduledSource(machine, journal, clock, MACHINE_PERIOD_NS));
        }
        for (Node node : target.nodes()) {
            for (Scraper scraper : Scraper.of(node)) {
                sources.add(new ScheduledSource(scraper, journal, clock, periodNs * scraper.every()));
            }
            for (Source source : node.sources().vipOwner()) {
                Health health = new Health(journal, clock, node.name(), "vip_owner");
                sourceHealth.add(health);
                watchers.add(
                        source instanceof Source.Fifo fifo
                                ? new FifoSource(node, fifo, ownership, clock, health)
                                : new AddressSource(node, (Source.Command) source, vip, ownership, clock, health));
            }
        }
    }

    /** From now on tell how long the prober's thread waits for a processor; the system's number of it. */
    public void watch(String thread) {
        machine.watch(thread);
    }

    /** Starts all threads. The first scrapes are made at once, the others an interval apart. */
    public void start() {
        long beginNs = System.nanoTime();
        sources.forEach(source -> start(() -> source.run(beginNs)));
        watchers.forEach(source -> start(() -> source.run(stop)));
    }

    /**
     * One more scrape of every source, at once; comes back when all have answered, failed or timed out.
     *
     * <p>The first call also waits for the watchers' first word.
     */
    public void scrapeNow() throws InterruptedException {
        long limitNs = System.nanoTime() + 2 * TIMEOUT_NS + GRACE_NS;
        List<Long> tickets = sources.stream().map(ScheduledSource::ask).toList();
        for (int i = 0; i < sources.size(); i++) {
            sources.get(i).await(tickets.get(i), limitNs);
        }
        for (OwnershipSource source : watchers) {
            source.ready().await(Math.max(0, limitNs - System.nanoTime()), TimeUnit.NANOSECONDS);
        }
    }

    /** One of the balancers answered scrapes, and did not answer its last. */
    public boolean isBalancerLost() {
        return sources.stream().anyMatch(ScheduledSource::isLost);
    }

    /** Ends all threads and their commands, within a source's time-out. A second call does nothing. */
    @Override
    public void close() {
        stop.countDown();
        sources.forEach(ScheduledSource::stop);
        long limitNs = System.nanoTime() + TIMEOUT_NS + GRACE_NS;
        threads.forEach(thread -> UninterruptedWait.join(thread, limitNs - System.nanoTime()));
    }

    /** For each balancer with a source whether it holds the address; null where that is not known. */
    public Map<String, Boolean> owners() {
        return ownership.known();
    }

    /** By node and VRRP instance the last state that Keepalived has told. */
    public Map<String, Map<String, String>> vrrpStates() {
        return ownership.states();
    }

    /** The ownership watchers that give nothing now, each with its reason. */
    public List<String> failingSources() {
        return sourceHealth.stream()
                .map(Health::failure)
                .filter(Objects::nonNull)
                .toList();
    }

    private void start(Work work) {
        threads.add(DaemonThread.start("telemetry", () -> {
            try {
                work.run();
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
            }
        }));
    }
}
