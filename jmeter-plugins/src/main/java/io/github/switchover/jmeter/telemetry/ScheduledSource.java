package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.PointSink;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.SourceException;
import io.github.switchover.jmeter.core.Units;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The thread of one source: scrapes at once, then on a grid of times that does not drift, and whenever it is asked to.
 * {@link #run} is for its thread, the rest for any.
 */
final class ScheduledSource {

    private final Scraper scraper;
    private final PointSink journal;
    private final RunClock clock;
    private final long periodNs;
    private final Health health;
    private long asked;
    private long answered;
    private boolean stopped;
    private volatile boolean hasWorked;

    ScheduledSource(Scraper scraper, PointSink journal, RunClock clock, long periodNs) {
        this.scraper = scraper;
        this.journal = journal;
        this.clock = clock;
        this.periodNs = periodNs;
        health = new Health(journal, clock, scraper.node(), scraper.source());
    }

    /** It shows which process of a balancer answers, and none does that did. */
    boolean isLost() {
        return BalancerKind.isStateSource(scraper.source()) && hasWorked && health.failure() != null;
    }

    /** Asks for a scrape that begins after this call; the ticket to wait for it with. */
    synchronized long ask() {
        asked++;
        notifyAll();
        return asked;
    }

    /** Until the scrape was made, or that time has come, or the collector stops. */
    synchronized void await(long ticket, long limitNs) throws InterruptedException {
        while (answered < ticket && !stopped) {
            long leftNs = limitNs - System.nanoTime();
            if (leftNs <= 0) {
                return;
            }
            wait(leftNs / Units.NS_PER_MS + 1);
        }
    }

    synchronized void stop() {
        stopped = true;
        notifyAll();
    }

    void run(long beginNs) throws InterruptedException {
        long dueNs = beginNs;
        while (true) {
            long ticket = awaitTurn(dueNs);
            if (ticket < 0) {
                return;
            }
            scrape();
            synchronized (this) {
                answered = ticket;
                notifyAll();
            }
            // No drift, and what was missed is left out.
            dueNs = beginNs + (Math.floorDiv(System.nanoTime() - beginNs, periodNs) + 1) * periodNs;
        }
    }

    /** What was asked for until it is due, or until it is asked; -1 when it shall end. */
    private synchronized long awaitTurn(long dueNs) throws InterruptedException {
        while (asked == answered && !stopped) {
            long leftNs = dueNs - System.nanoTime();
            if (leftNs <= 0) {
                break;
            }
            wait(leftNs / Units.NS_PER_MS, (int) (leftNs % Units.NS_PER_MS));
        }
        return stopped ? -1 : asked;
    }

    private void scrape() {
        long sentNs = clock.nowNs();
        String text = "";
        List<Reading> readings = List.of();
        try {
            readings = scraper.scrape(sentNs);
            health.works();
            hasWorked = true;
        } catch (SourceException error) {
            text = error.getMessage();
            health.failed(text);
        } catch (RuntimeException error) {
            // A defect of this reader must not end its thread: it would be silent for the rest of the run.
            text = OwnershipSource.defect(error);
            health.failed(text);
        }
        double durationMs = Units.msOfNs(clock.nowNs() - sentNs);
        for (Reading reading : readings) {
            journal.write(reading.measurement(), reading.tags(), reading.fields(), sentNs);
        }
        Map<String, FieldValue> fields = new LinkedHashMap<>();
        fields.put("duration_ms", FieldValue.of(durationMs));
        fields.put("ok", FieldValue.of(text.isEmpty()));
        fields.put("rows", FieldValue.of(readings.size()));
        fields.put("text", FieldValue.of(text));
        journal.write(Measurements.SCRAPE, Map.of("node", scraper.node(), "source", scraper.source()), fields, sentNs);
    }
}
