package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.command.CommandStream;
import io.github.switchover.jmeter.command.CommandStream.LineEvent;
import io.github.switchover.jmeter.core.Point.EventKind;
import io.github.switchover.jmeter.core.Point.PointSink;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import java.util.concurrent.CountDownLatch;

/** Follows the lines of one ownership source of one node, on a separate thread. */
abstract class OwnershipSource {

    private static final long POLL_NS = 200_000_000;

    final Node node;
    final AddressOwners ownership;
    final RunClock clock;
    final Health health;
    final CommandStream stream;
    private final CountDownLatch ready = new CountDownLatch(1);

    OwnershipSource(Node node, Source.Command source, AddressOwners ownership, RunClock clock, Health health) {
        this.node = node;
        this.ownership = ownership;
        this.clock = clock;
        this.health = health;
        stream = new CommandStream(source, clock);
    }

    /** Opens when the first state is known, or known to be unknown. */
    CountDownLatch ready() {
        return ready;
    }

    abstract void handle(LineEvent item);

    /** Work besides the lines; called several times a second. */
    abstract void tick() throws InterruptedException;

    /** Nothing that the source has reported holds any longer. */
    abstract void lost(String reason, long atNs);

    void run(CountDownLatch stop) throws InterruptedException {
        try {
            while (stop.getCount() > 0) {
                handleLines(POLL_NS);
                tick();
            }
        } catch (RuntimeException error) {
            lost(defect(error), clock.nowNs());
        } finally {
            ready.countDown();
            stream.close();
        }
    }

    void handleLines(long waitNs) throws InterruptedException {
        stream.poll(waitNs).forEach(this::handle);
    }

    /** A reader that fails in an unforeseen way. */
    static String defect(RuntimeException error) {
        return "defect: " + error.getClass().getSimpleName() + ": " + error.getMessage();
    }

    /**
     * Reports a failing source once, and once when it is back. For the thread that reads the source; {@link #failure}
     * for any.
     */
    static final class Health {

        private final PointSink journal;
        private final RunClock clock;
        private final String node;
        private final String source;
        private volatile String reason;

        Health(PointSink journal, RunClock clock, String node, String source) {
            this.journal = journal;
            this.clock = clock;
            this.node = node;
            this.source = source;
        }

        void failed(String reason) {
            boolean isNews = this.reason == null;
            this.reason = reason;
            if (isNews) {
                warn(node + ": " + source + " gives no figures: " + reason);
            }
        }

        void works() {
            if (reason != null) {
                reason = null;
                warn(node + ": " + source + " is back");
            }
        }

        /** The node, and why its source gives nothing now; null: it works. */
        String failure() {
            String now = reason;
            return now == null ? null : node + ": " + now;
        }

        private void warn(String text) {
            journal.event(EventKind.WARNING, text, clock.nowNs(), node, node + "-" + source);
        }
    }
}
