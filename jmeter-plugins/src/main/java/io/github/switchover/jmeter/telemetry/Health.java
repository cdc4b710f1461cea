package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.EventKind;
import io.github.switchover.jmeter.core.PointSink;
import io.github.switchover.jmeter.core.RunClock;

/** A source that fails is said once, and once when it is back. For the thread that reads the source; {@link #failure} for any. */
final class Health {

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
