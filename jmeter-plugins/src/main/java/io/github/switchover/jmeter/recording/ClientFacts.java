package io.github.switchover.jmeter.recording;

import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.engine.CurrentTest;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.jmeter.protocol.http.sampler.HTTPSamplerBase;
import org.apache.jmeter.samplers.Sampler;
import org.apache.jmeter.util.JMeterUtils;

/**
 * The behaviour of a plan's HTTP samplers when a balancer goes away. It warns once of each behaviour that falsifies a
 * measurement. Each sampler is checked at its first sample, since only then its defaults are merged in. Thread-safe.
 */
public final class ClientFacts {

    private static final int LIMIT = 200;

    /** JMeter's own, of jmeter.properties. */
    private static final int USUAL_STALE_CHECK_MS = 4900;

    private static final int USUAL_LIFE_MS = 60_000;

    private final LoadNotes notes;
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    public ClientFacts(LoadNotes notes) {
        this.notes = notes;
    }

    /** Looks at the sampler of a sample with this label, unless that was done before. */
    public void look(String label, Sampler sampler) {
        if (!seen.contains(label)
                && sampler instanceof HTTPSamplerBase http
                && seen.size() < LIMIT
                && seen.add(label)) {
            describe(label, http);
        }
    }

    private synchronized void describe(String label, HTTPSamplerBase http) {
        int cutMs = CurrentTest.sampleTimeoutMs();
        int connectMs = shorter(http.getConnectTimeout(), cutMs);
        int readMs = shorter(http.getResponseTimeout(), cutMs);
        boolean keepsAlive = http.getUseKeepAlive();
        int resends = JMeterUtils.getPropDefault("httpclient4.retrycount", 0);
        notes.client(
                label,
                Tree.of(
                        "client", http.getImplementation(),
                        "timeout_connect_s", seconds(connectMs),
                        "timeout_read_s", seconds(readMs),
                        "keep_alive", keepsAlive),
                resends);
        if (connectMs <= 0 || readMs <= 0) {
            notes.waitsForEver(label);
        }
        warnOfResends(resends);
        if (keepsAlive) {
            warnOfKeptConnections();
        }
    }

    private void warnOfResends(int retries) {
        if (retries > 0) {
            notes.warn("httpclient4.retrycount=" + retries + ": JMeter sends failed requests again behind the test's "
                    + "back, so failures are missing and one sample may be several requests; set it to 0");
        }
    }

    private void warnOfKeptConnections() {
        int lifeMs = JMeterUtils.getPropDefault("httpclient4.time_to_live", USUAL_LIFE_MS);
        int staleMs = JMeterUtils.getPropDefault("httpclient4.validate_after_inactivity", USUAL_STALE_CHECK_MS);
        notes.keptConnections(lifeMs, staleMs);
        notes.warn("users keep their connections (Use KeepAlive, up to " + lifeMs / 1000
                + " s): those to a master that hangs stay there after the switchover, until they time out; one that was "
                + "idle for " + staleMs + " ms is tried first and silently replaced");
    }

    /** The shorter of two time-outs, where 0 means no time-out. */
    private static int shorter(int ownMs, int cutMs) {
        return ownMs > 0 && cutMs > 0 ? Math.min(ownMs, cutMs) : Math.max(ownMs, cutMs);
    }

    /** The timeout in seconds; null if there is no timeout. */
    private static Double seconds(int ms) {
        return ms <= 0 ? null : (Double) (ms / Units.MS_PER_S);
    }
}
