package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.http.Timeouts;
import io.github.switchover.jmeter.target.Endpoint;

/** The settings of the prober. The first probe is due {@code headStartS} after the start. */
public record ProberSettings(
        Endpoint endpoint, double rate, double timeoutConnectS, double timeoutReadS, double lateS, double headStartS) {

    public static final double RATE_IN_LAB = 1000;
    public static final double RATE_ELSEWHERE = 100;
    public static final double TIMEOUT_CONNECT_S = 0.25;
    public static final double TIMEOUT_READ_S = 1.0;

    /** The maximum number of probes per second, which is far above the rate that one thread can send. */
    public static final double RATE_LIMIT = 20_000;

    /** A slot that is overdue by more than this time, or by more than the read time-out, is skipped. */
    private static final double STALE_S = 1.0;

    public ProberSettings {
        if (!(rate > 0 && rate <= RATE_LIMIT)) {
            throw new UsageException("the probe rate must be above 0 and at most " + Numbers.general(RATE_LIMIT)
                    + "/s, not " + Numbers.general(rate));
        }
        Timeouts.ofSeconds(timeoutConnectS, timeoutReadS);
    }

    Timeouts timeouts() {
        return Timeouts.ofSeconds(timeoutConnectS, timeoutReadS);
    }

    long staleNs() {
        return Units.ns(Math.min(timeoutReadS, STALE_S));
    }

    long headStartNs() {
        return Units.ns(headStartS);
    }

    long lateNs() {
        return Units.ns(lateS);
    }
}
