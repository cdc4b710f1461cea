package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.EventKind;
import io.github.switchover.jmeter.core.RunClock;

/** A source that fails is said once, and once when it is back. For the thread that reads the source. */
final class Health {

    private final PointSink journal;
    private final RunClock clock;
    private final String node;
    private final String source;
    private boolean failing;

    Health(PointSink journal, RunClock clock, String node, String source) {
        this.journal = journal;
        this.clock = clock;
        this.node = node;
        this.source = source;
    }

    void failed(String reason) {
        if (!failing) {
            failing = true;
            warn(node + ": " + source + " gives no figures: " + reason);
        }
    }

    void works() {
        if (failing) {
            failing = false;
            warn(node + ": " + source + " is back");
        }
    }

    private void warn(String text) {
        journal.event(EventKind.WARNING, text, clock.nowNs(), node, node + "-" + source);
    }
}
