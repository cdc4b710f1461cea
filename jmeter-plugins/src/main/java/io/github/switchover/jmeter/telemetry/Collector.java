package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.command.UninterruptedWait;
import io.github.switchover.jmeter.core.DaemonThread;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.core.Point.Measurements;
import io.github.switchover.jmeter.core.Point.PointSink;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.SwitchoverException.SourceException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.telemetry.MachineScraper.ProcessScraper;
import io.github.switchover.jmeter.telemetry.OwnershipSource.Health;
import io.github.switchover.jmeter.telemetry.Scraper.Reading;
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
 * <p>A slow source delays only its own thread. Scrapes that would overlap are skipped. Started once and closed once.
 */
public final class Collector implements AutoCloseable {

    /** The name of this process in the points. */
    private static final String JMETER = "jmeter";

    /** The time after a source's time-out in which a busy machine may detect the time-out. */
    private static final long GRACE_NS = Units.NS_PER_S;

    /** The interval in which the load of this machine is scraped. The interval for the balancers may differ. */
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
        sources.add(new ScheduledSource(new ProcessScraper(JMETER).scraper(), journal, clock, periodNs));
        if (Files.exists(MachineScraper.STAT)) {
            sources.add(new ScheduledSource(machine.scraper(), journal, clock, MACHINE_PERIOD_NS));
        }
        for (Node node : target.nodes()) {
            for (BalancerKind kind : BalancerKind.ALL) {
                Source source = kind.source(node);
                if (source != null) {
                    Scraper scraper = kind.scraper(node.name(), source);
                    sources.add(new ScheduledSource(scraper, journal, clock, periodNs));
                }
            }
            for (Source source : node.sources().vipOwner()) {
                Health health = new Health(journal, clock, node.name(), "vip_owner");
                sourceHealth.add(health);
                watchers.add(
                        source instanceof Source.Fifo fifo
                                ? new FifoSource(node, fifo, ownership, clock, health)
                                : new AddressSource(
                                        node,
                                        (Source.Command) source,
                                        vip,
                                        ownership,
                                        clock,
                                        health,
                                        AddressSource.ALIVE_NS));
            }
        }
    }

    /** Starts to record how long the prober's thread, with this system id, waits for a processor. */
    public void watch(String thread) {
        machine.watch(thread);
    }

    /** Starts all threads. Their first scrapes are made at once. */
    public void start() {
        long beginNs = System.nanoTime();
        sources.forEach(source -> start(() -> source.run(beginNs, stop)));
        watchers.forEach(source -> start(() -> source.run(stop)));
    }

    /** Scrapes every source once more. The first call also waits for the first report of each ownership source. */
    public void scrapeNow() throws InterruptedException {
        long limitNs = System.nanoTime() + 2 * TIMEOUT_NS + GRACE_NS;
        DaemonThread.mapAll("telemetry", sources, ScheduledSource::scrape);
        for (OwnershipSource source : watchers) {
            source.ready().await(Math.max(0, limitNs - System.nanoTime()), TimeUnit.NANOSECONDS);
        }
    }

    /** True if a balancer that had answered scrapes did not answer its last scrape. */
    public boolean isBalancerLost() {
        return sources.stream().anyMatch(ScheduledSource::isLost);
    }

    /** Ends all threads and their commands. Waits at most a source's time-out. A second call does nothing. */
    @Override
    public void close() {
        stop.countDown();
        long limitNs = System.nanoTime() + TIMEOUT_NS + GRACE_NS;
        threads.forEach(thread -> UninterruptedWait.join(thread, limitNs - System.nanoTime()));
    }

    /** True or false for each balancer with an ownership source: whether it holds the address. Null: unknown. */
    public Map<String, Boolean> owners() {
        return ownership.known();
    }

    public Map<String, Map<String, String>> vrrpStates() {
        return ownership.states();
    }

    /** The ownership sources that fail now, each with its reason. */
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

    /** One source: scraped at once, then at fixed intervals. Only {@link #run} is for the thread of the source. */
    static final class ScheduledSource {

        private final Scraper scraper;
        private final PointSink journal;
        private final RunClock clock;
        private final long periodNs;
        private final Health health;
        private volatile boolean hasWorked;

        ScheduledSource(Scraper scraper, PointSink journal, RunClock clock, long periodNs) {
            this.scraper = scraper;
            this.journal = journal;
            this.clock = clock;
            this.periodNs = periodNs;
            health = new Health(journal, clock, scraper.node(), scraper.source());
        }

        /** True if the source shows which process of a balancer answers, had answered, and does not answer now. */
        boolean isLost() {
            return BalancerKind.isStateSource(scraper.source()) && hasWorked && health.failure() != null;
        }

        void run(long beginNs, CountDownLatch stop) throws InterruptedException {
            long dueNs = beginNs;
            while (!stop.await(dueNs - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                scrape();
                // The next due time on the fixed schedule; missed scrapes are skipped.
                dueNs = beginNs + (Math.floorDiv(System.nanoTime() - beginNs, periodNs) + 1) * periodNs;
            }
        }

        /** Scrapes now, after a scrape in progress; true if the source answered. */
        synchronized boolean scrape() {
            long sentNs = clock.nowNs();
            String text = "";
            List<Reading> readings = List.of();
            try {
                readings = scraper.scrape().at(sentNs);
                health.works();
                hasWorked = true;
            } catch (SourceException error) {
                text = error.getMessage();
                health.failed(text);
            } catch (RuntimeException error) {
                // A defect of this reader must not end its thread: the source would be silent for the rest of the run.
                text = OwnershipSource.defect(error);
                health.failed(text);
            }
            double durationMs = Units.msOfNs(clock.nowNs() - sentNs);
            for (Reading reading : readings) {
                journal.write(reading.measurement(), reading.tags(), reading.fields(), sentNs);
            }
            Map<String, FieldValue> fields = FieldValue.map(
                    "duration_ms", durationMs, "ok", text.isEmpty(), "rows", readings.size(), "text", text);
            journal.write(
                    Measurements.SCRAPE, Map.of("node", scraper.node(), "source", scraper.source()), fields, sentNs);
            return text.isEmpty();
        }
    }
}
