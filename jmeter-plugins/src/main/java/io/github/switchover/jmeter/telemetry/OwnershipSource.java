package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.command.CommandStream;
import io.github.switchover.jmeter.command.CommandStream.LineEvent;
import io.github.switchover.jmeter.core.Point.EventKind;
import io.github.switchover.jmeter.core.Point.PointSink;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

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

    /** Opens when the first state has been reported, or when the source has failed. */
    CountDownLatch ready() {
        return ready;
    }

    abstract void handle(LineEvent item);

    /** Does periodic work other than handling lines, several times a second. */
    abstract void tick() throws InterruptedException;

    /** Called if the source failed, so that the states that it reported are no longer valid. */
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

    /** The message for an unexpected exception of a reader. */
    static String defect(RuntimeException error) {
        return "defect: " + error.getClass().getSimpleName() + ": " + error.getMessage();
    }

    /** Reports once when a source fails, and once when it works again. Only {@link #failure} is for any thread. */
    static final class Health {

        private final PointSink journal;
        private final RunClock clock;
        private final String node;
        private final String source;
        private volatile @Nullable String reason;

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
                warn(node + ": cannot read " + source + ": " + reason);
            }
        }

        void works() {
            if (reason != null) {
                reason = null;
                warn(node + ": " + source + " can be read again");
            }
        }

        /** The node and the reason why its source fails now. */
        @Nullable
        String failure() {
            String now = reason;
            return now == null ? null : node + ": " + now;
        }

        private void warn(String text) {
            journal.event(EventKind.WARNING, text, clock.nowNs(), node, node + "-" + source);
        }
    }
}
