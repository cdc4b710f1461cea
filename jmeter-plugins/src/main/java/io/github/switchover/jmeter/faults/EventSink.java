package io.github.switchover.jmeter.faults;

import io.github.switchover.jmeter.core.EventKind;

/** What the guard needs of a journal: {@code journal::event}. */
public interface EventSink {

    void event(EventKind kind, String text, long timeNs, String node, String id);
}
