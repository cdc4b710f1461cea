package io.github.switchover.jmeter.drill;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The messages of a running test: writes them to JMeter's log, and keeps the latest for the view. Thread-safe. */
final class RunMessages {

    private static final Logger log = LoggerFactory.getLogger(Drill.class);
    private static final int KEPT = 20;

    private final Deque<String> last = new ArrayDeque<>();

    void warn(String text) {
        log.warn("Switchover: {}", text);
        keep(text);
    }

    /** Writes a message that is not a warning. */
    void info(String text) {
        log.info("Switchover: {}", text);
        keep(text);
    }

    synchronized List<String> last() {
        return List.copyOf(last);
    }

    private synchronized void keep(String text) {
        last.addLast(text);
        if (last.size() > KEPT) {
            last.removeFirst();
        }
    }
}
