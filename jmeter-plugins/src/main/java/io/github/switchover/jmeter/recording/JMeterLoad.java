package io.github.switchover.jmeter.recording;

import io.github.switchover.jmeter.core.Inline;
import java.util.Map;

/**
 * What JMeter says of its clients and its load in {@code load.json}; null is what it does not know.
 *
 * @param clients by label of their samples
 * @param resends how often a client sends a failed request again by itself
 */
public record JMeterLoad(
        @Inline LoadOrigin origin,
        Map<String, LoadClient> clients,
        Integer resends,
        @Inline KeepAlive pinning) {

    /**
     * Where the load comes from.
     *
     * @param plan the test plan's file
     * @param sampleSender how servers send their samples
     * @param timestampBoundMs how far a time may be off
     */
    public record LoadOrigin(String plan, String sampleSender, double timestampBoundMs, Map<String, String> versions) {}

    /** An HTTP sampler; a time-out of null waits for ever. */
    public record LoadClient(String client, Double timeoutConnectS, Double timeoutReadS, boolean keepAlive) {}

    /** How long connections are kept, and after how much idle time they are tried before they are used again. */
    public record KeepAlive(Integer keepAliveMs, Integer staleCheckAfterMs) {}
}
