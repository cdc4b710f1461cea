package io.github.switchover.jmeter.telemetry;

import java.net.SocketTimeoutException;

/** One limit for a whole exchange: a peer that drips a byte a second cannot stretch it. */
final class Deadline {

    private static final double NS_PER_S = 1e9;

    private final double seconds;
    private final long endNs;

    Deadline(double seconds) {
        this.seconds = seconds;
        endNs = System.nanoTime() + Math.round(seconds * NS_PER_S);
    }

    double seconds() {
        return seconds;
    }

    boolean hasPassed() {
        return leftNs() <= 0;
    }

    long leftNs() {
        return endNs - System.nanoTime();
    }

    double leftS() {
        return leftNs() / NS_PER_S;
    }

    /** What is left, in ns, which is more than nothing. */
    long check() throws SocketTimeoutException {
        long leftNs = leftNs();
        if (leftNs <= 0) {
            throw new SocketTimeoutException();
        }
        return leftNs;
    }
}
