package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.EventKind;
import io.github.switchover.jmeter.core.Point;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What happened, as the journal's events tell it; the journal has them all. Of each kind the first one stays known,
 * however many follow. Not thread-safe.
 */
final class RunEvents {

    /** The newest events that are kept. */
    static final int LIMIT = 200;

    private static final int TEXT_LIMIT = 300;

    private final Deque<RunEvent> newest = new ArrayDeque<>();
    private final Map<String, RunEvent> first = new HashMap<>();

    /** Reads a {@code switchover_event} point. */
    void read(Point point) {
        RunEvent event =
                new RunEvent(point.timeUs(), point.tag("kind"), point.tag("node"), shortened(point.text("text")));
        if (newest.size() >= LIMIT) {
            newest.removeFirst();
        }
        newest.addLast(event);
        if (first.size() < LIMIT) {
            first.putIfAbsent(event.kind(), event);
        }
    }

    /** Counted in characters, so that none is cut in two. */
    private static String shortened(String text) {
        boolean fits = text.codePointCount(0, text.length()) <= TEXT_LIMIT;
        return fits ? text : text.substring(0, text.offsetByCodePoints(0, TEXT_LIMIT));
    }

    /** Null if there was none. */
    Long firstUs(EventKind kind) {
        RunEvent event = first.get(kind.label());
        return event == null ? null : (Long) event.atUs();
    }

    /** In order of time. */
    List<RunEvent> listed() {
        return newest.stream().sorted(Comparator.comparingLong(RunEvent::atUs)).toList();
    }
}
