package io.github.switchover.jmeter.recording;

import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.engine.CurrentTest;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import org.apache.jmeter.protocol.http.sampler.HTTPSamplerBase;
import org.apache.jmeter.samplers.Sampler;
import org.apache.jmeter.util.JMeterUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The facts about the load for {@code load.json}, and warnings about unsuitable settings. Thread-safe. */
public final class LoadNotes {

    private static final int WARNINGS_LIMIT = 100;
    private static final int CLIENTS_LIMIT = 200;

    /** The highest number of labels in a warning. */
    private static final int NAMED = 3;

    private static final String CONNECT = "timeout_connect_s";
    private static final String READ = "timeout_read_s";
    private static final Logger log = LoggerFactory.getLogger(LoadNotes.class);

    private final Tree load;
    private final Map<String, Tree> clients = new ConcurrentSkipListMap<>();
    private final Set<String> warnings = new LinkedHashSet<>();

    LoadNotes(Tree load) {
        this.load = load;
    }

    /** Adds a one-line warning to the run and to the log. A repeated warning is added once. */
    public synchronized void warn(String text) {
        if (warnings.size() < WARNINGS_LIMIT && warnings.add(text)) {
            log.warn("Switchover: {}", text);
        }
    }

    /** Checks the sampler of the first sample with this label, when its defaults are set. */
    public void look(String label, Sampler sampler) {
        if (clients.containsKey(label)
                || !(sampler instanceof HTTPSamplerBase http)
                || clients.size() >= CLIENTS_LIMIT) {
            return;
        }
        int cutMs = CurrentTest.sampleTimeoutMs();
        clients.put(
                label,
                Tree.of(
                        "client",
                        http.getImplementation(),
                        CONNECT,
                        seconds(http.getConnectTimeout(), cutMs),
                        READ,
                        seconds(http.getResponseTimeout(), cutMs),
                        "keep_alive",
                        http.getUseKeepAlive()));
        if (resends() > 0) {
            warn("httpclient4.retrycount=" + resends() + ": JMeter silently resends failed requests, so failures"
                    + " are missing and one sample may be several requests; set it to 0");
        }
        if (http.getUseKeepAlive()) {
            warn("users keep their connections (Use KeepAlive): connections to a hung master stay open after the"
                    + " switchover, until they time out");
        }
    }

    private static int resends() {
        return JMeterUtils.getPropDefault("httpclient4.retrycount", 0);
    }

    /** Returns the shorter of two time-outs in seconds, with 0 for a missing time-out. */
    private static @Nullable Double seconds(int ownMs, int cutMs) {
        int ms = ownMs > 0 && cutMs > 0 ? Math.min(ownMs, cutMs) : Math.max(ownMs, cutMs);
        return ms <= 0 ? null : ms / Units.MS_PER_S;
    }

    /** Warns about requests without a time-out. */
    void warnOfEndless() {
        List<String> endless = clients.entrySet().stream()
                .filter(client ->
                        !client.getValue().has(CONNECT) || !client.getValue().has(READ))
                .map(Map.Entry::getKey)
                .toList();
        if (!endless.isEmpty()) {
            int more = endless.size() - NAMED;
            String names = endless.stream().limit(NAMED).collect(Collectors.joining(", "));
            String who =
                    (more > 0 ? names + " and " + more + " more" : names) + (endless.size() == 1 ? " waits" : " wait");
            warn(who + " without a time-out: hung requests never end, and do not count as failed; set Timeouts in the"
                    + " samplers or in HTTP Request Defaults");
        }
    }

    Tree load() {
        return load.with("clients", clients).with("resends", clients.isEmpty() ? null : resends());
    }

    synchronized List<String> warnings() {
        return List.copyOf(warnings);
    }
}
