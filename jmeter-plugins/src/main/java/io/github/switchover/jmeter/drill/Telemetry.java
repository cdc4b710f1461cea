package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.run.Journal;
import io.github.switchover.jmeter.run.ServerClocks.NodeClock;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.telemetry.ClockOffset;
import io.github.switchover.jmeter.telemetry.Collector;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Collects the telemetry of the nodes before, during and after a run in a journal. */
final class Telemetry implements AutoCloseable {

    static final String JOURNAL = "journal.lp";

    private final Target target;
    private final RunClock clock;
    private final RunRecord record;
    private final Journal journal;
    private final Collector collector;

    /** Scrapes all sources once, then on schedule. */
    Telemetry(Target target, Path directory, RunClock clock, RunRecord record, double intervalS) {
        this.target = target;
        this.clock = clock;
        this.record = record;
        clocks(NodeClock.BEFORE);
        journal = new Journal(
                directory.resolve(JOURNAL), Map.of("run", record.run().id()));
        record.part(JOURNAL);
        collector = new Collector(target, journal, clock, intervalS);
        collector.start();
        scrape();
    }

    Journal journal() {
        return journal;
    }

    Collector collector() {
        return collector;
    }

    /** Throws FaultException if an ownership source has failed, because the run would not record the move. */
    void requireLivingSources(String fault) {
        List<String> failing = collector.failingSources();
        if (!failing.isEmpty()) {
            throw new FaultException(fault + " does not fire: an ownership source of the target file has failed, so the"
                    + " move of the address would not be recorded: " + String.join("; ", failing));
        }
    }

    /** Scrapes every source once more, at once. */
    void scrape() {
        try {
            collector.scrapeNow();
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        collector.close();
        record.warn(journal.warning());
        journal.close();
        record.seal(journal.path(), journal.seal());
        clocks(NodeClock.AFTER);
    }

    private void clocks(String when) {
        List<NodeClock> measured = ClockOffset.measureAll(target.nodes(), clock, when);
        record.change(run -> run.adding("clocks", measured));
    }
}
