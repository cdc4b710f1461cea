package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.command.LineEvent;
import io.github.switchover.jmeter.command.LineSource;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** Follows Keepalived's notify FIFO. */
final class FifoSource implements OwnershipSource {

    private final CountDownLatch ready = new CountDownLatch(1);
    private final String node;
    private final AddressOwners ownership;
    private final RunClock clock;
    private final Health health;
    private final LineSource reader;
    private boolean opened;

    FifoSource(Node node, Source.Fifo source, AddressOwners ownership, RunClock clock, Health health) {
        this.node = node.name();
        this.ownership = ownership;
        this.clock = clock;
        this.health = health;
        reader = new FifoReader(source, clock);
        ownership.watch(node, false);
    }

    @Override
    public CountDownLatch ready() {
        return ready;
    }

    @Override
    public void run(CountDownLatch stop) throws InterruptedException {
        try {
            first(reader.poll(0));
            while (stop.getCount() > 0) {
                reader.poll(POLL_NS).forEach(this::handle);
            }
        } catch (RuntimeException error) {
            health.failed(OwnershipSource.defect(error));
            ownership.lost(node, clock.nowNs());
        } finally {
            ready.countDown();
            reader.close();
        }
    }

    /** What waits in the FIFO at the first opening is history: only its last line per instance still holds. */
    private void first(List<LineEvent> items) throws InterruptedException {
        items.forEach(this::handle);
        Map<String, Notification> said = new LinkedHashMap<>();
        List<LineEvent> history = opened ? reader.poll(0) : List.of();
        for (LineEvent item : history) {
            Notification notification = item instanceof LineEvent.Read line ? Notification.parse(line.text()) : null;
            if (notification != null) {
                said.put(notification.instance(), notification);
            }
        }
        long nowNs = clock.nowNs();
        said.values().forEach(notification -> ownership.notified(node, notification, nowNs, "notify FIFO", false));
        if (said.isEmpty()) {
            ownership.unknown(node, nowNs);
        }
        ready.countDown();
    }

    private void handle(LineEvent item) {
        if (item instanceof LineEvent.Read line) {
            Notification notification = Notification.parse(line.text());
            if (notification != null) {
                ownership.notified(node, notification, line.arrivedNs(), "notify FIFO, on arrival", true);
            }
        } else if (item instanceof LineEvent.Opened) {
            opened = true;
            health.works();
        } else if (item instanceof LineEvent.Closed closed) {
            if (opened) {
                ownership.silent(node, closed.atNs());
            } else {
                health.failed(closed.reason());
            }
        }
    }
}
