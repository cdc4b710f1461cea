package io.github.switchover.jmeter.recording;

import io.github.switchover.jmeter.core.Tree;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The facts about the load for {@code load.json}. Thread-safe. */
public final class LoadNotes {

    private static final int LIMIT = 100;

    /** Labels that a warning names. */
    private static final int NAMED = 3;

    private static final Logger log = LoggerFactory.getLogger(LoadNotes.class);

    private final Map<String, Tree> clients = new LinkedHashMap<>();
    private Tree load;
    private final Set<String> endless = new LinkedHashSet<>();
    private final Set<String> warnings = new LinkedHashSet<>();

    LoadNotes(Tree load) {
        this.load = load;
    }

    /** Adds a warning for the reader of the run, in one line; written once, here and in the log. */
    public synchronized void warn(String text) {
        if (warnings.size() < LIMIT && warnings.add(text)) {
            log.warn("Switchover: {}", text);
        }
    }

    /** A request with this label has no time-out: one warning for all of them, once the load has ended. */
    synchronized void waitsForEver(String label) {
        endless.add(label);
    }

    /** Warns of the requests that have no time-out, if there are any. */
    synchronized void warnOfEndless() {
        if (endless.isEmpty()) {
            return;
        }
        int more = endless.size() - NAMED;
        String names = endless.stream().limit(NAMED).collect(Collectors.joining(", "));
        String who = (more > 0 ? names + " and " + more + " more" : names) + (endless.size() == 1 ? " waits" : " wait");
        warn(who + " for ever: hung requests never end, and look slow, not failed; set their Timeouts, or those of HTTP"
                + " Request Defaults");
    }

    /** {@code count}: how often it sends a failed request again by itself. */
    synchronized void client(String label, Tree client, int count) {
        clients.put(label, client);
        load = load.with("resends", count);
    }

    /**
     * Records the lifetime of kept connections in ms, and the idle time in ms after which they are tested before
     * reuse.
     */
    synchronized void keptConnections(int keptMs, int staleMs) {
        load = load.with("keep_alive_ms", keptMs).with("stale_check_after_ms", staleMs);
    }

    synchronized Tree load() {
        return load.with("clients", clients);
    }

    synchronized List<String> warnings() {
        return List.copyOf(warnings);
    }
}
