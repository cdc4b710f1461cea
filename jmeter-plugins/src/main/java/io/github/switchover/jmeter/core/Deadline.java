package io.github.switchover.jmeter.core;

import java.net.SocketTimeoutException;

/** One limit for a whole exchange: a peer that drips a byte a second cannot stretch it. */
public final class Deadline {

    private static final double NS_PER_S = 1e9;

    private final double seconds;
    private final long endNs;

    public Deadline(double seconds) {
        this.seconds = seconds;
        endNs = System.nanoTime() + Math.round(seconds * NS_PER_S);
    }

    public double seconds() {
        return seconds;
    }

    public boolean hasPassed() {
        return leftNs() <= 0;
    }

    public long leftNs() {
        return endNs - System.nanoTime();
    }

    public double leftS() {
        return leftNs() / NS_PER_S;
    }

    /** What is left, in ns, which is more than nothing. */
    public long check() throws SocketTimeoutException {
        long leftNs = leftNs();
        if (leftNs <= 0) {
            throw new SocketTimeoutException();
        }
        return leftNs;
    }
}
