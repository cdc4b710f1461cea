package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.command.CommandStream.LineEvent;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import io.github.switchover.jmeter.telemetry.AddressOwners.Notification;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Follows Keepalived's notify FIFO with {@code cat}, which ends when the last writer closes the FIFO. */
final class FifoSource extends OwnershipSource {

    /** Lines that were already in the FIFO arrive within this time. Only the last such line per instance is valid. */
    private static final long FIRST_LINE_NS = 1_000_000_000;

    /** Lines that were already in the FIFO arrive within this time from the first line. */
    private static final long NEXT_LINES_NS = 200_000_000;

    private final Map<String, Notification> history = new LinkedHashMap<>();
    private long historyToNs = Long.MAX_VALUE;

    FifoSource(Node node, Source.Fifo source, AddressOwners ownership, RunClock clock, Health health) {
        super(node, new Source.Command(List.of("cat", source.path())), ownership, clock, health);
        ownership.watch(node, false);
    }

    @Override
    void handle(LineEvent item) {
        if (item instanceof LineEvent.Read line) {
            health.works();
            Notification notification = Notification.parse(line.text());
            if (notification == null) {
                return;
            }
            if (ready().getCount() > 0) {
                history.put(notification.instance(), notification);
                historyToNs = Math.min(historyToNs, System.nanoTime() + NEXT_LINES_NS);
            } else {
                ownership.notified(node.name(), notification, line.arrivedNs(), "notify FIFO, on arrival", true);
            }
        } else if (item instanceof LineEvent.Opened) {
            historyToNs = System.nanoTime() + FIRST_LINE_NS;
        } else if (item instanceof LineEvent.Closed closed) {
            endHistory();
            if (closed.isInOrder()) {
                ownership.silent(node.name(), closed.atNs());
            } else {
                health.failed(closed.reason());
            }
        }
    }

    @Override
    void tick() {
        if (System.nanoTime() >= historyToNs) {
            endHistory();
        }
    }

    @Override
    void lost(String reason, long atNs) {
        health.failed(reason);
        ownership.lost(node.name(), atNs);
    }

    private void endHistory() {
        if (ready().getCount() == 0) {
            return;
        }
        long nowNs = clock.nowNs();
        history.values().forEach(last -> ownership.notified(node.name(), last, nowNs, "notify FIFO", false));
        if (history.isEmpty()) {
            ownership.unknown(node.name(), nowNs);
        }
        ready().countDown();
    }
}
