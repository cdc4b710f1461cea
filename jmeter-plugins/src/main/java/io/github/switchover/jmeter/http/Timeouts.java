package io.github.switchover.jmeter.http;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.core.Units;

/** Time limits: for the connection with TLS, from the sent request to the complete answer, and in total. */
public record Timeouts(long connectNs, long readNs, long totalNs) {

    public static final double LIMIT_S = 300.0;

    public static Timeouts ofSeconds(double connectS, double readS) {
        long connectNs = toNs("connect", connectS);
        long readNs = toNs("read", readS);
        // The request is sent between the two phases, so only the total time limits the sending.
        return new Timeouts(connectNs, readNs, connectNs + readNs);
    }

    public static Timeouts ofTotal(double totalS) {
        long totalNs = toNs("total", totalS);
        return new Timeouts(totalNs, totalNs, totalNs);
    }

    private static long toNs(String name, double seconds) {
        if (!(seconds > 0 && seconds <= LIMIT_S)) {
            throw new UsageException("the " + name + " timeout must be above 0 and at most " + Numbers.general(LIMIT_S)
                    + " s, not " + Numbers.general(seconds));
        }
        return Math.max(1, Units.ns(seconds));
    }
}
