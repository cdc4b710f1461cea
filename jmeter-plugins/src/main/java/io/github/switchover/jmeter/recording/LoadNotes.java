package io.github.switchover.jmeter.recording;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the load says of itself in {@code load.json}. Thread-safe. */
public final class LoadNotes {

    private static final int LIMIT = 100;

    private static final Logger log = LoggerFactory.getLogger(LoadNotes.class);

    private final Map<String, Object> settings;
    private final Set<String> warnings = new LinkedHashSet<>();

    LoadNotes(Map<String, Object> settings) {
        this.settings = new LinkedHashMap<>(settings);
    }

    /** What a reader of the run must know, in one line; said once, here and in the log. */
    public synchronized void warn(String text) {
        if (warnings.size() < LIMIT && warnings.add(text)) {
            log.warn("Switchover: {}", text);
        }
    }

    /** A setting as plain JSON value. */
    public synchronized void set(String name, Object value) {
        settings.put(name, value);
    }

    synchronized Map<String, Object> settings() {
        return new LinkedHashMap<>(settings);
    }

    synchronized List<String> warnings() {
        return List.copyOf(warnings);
    }
}
