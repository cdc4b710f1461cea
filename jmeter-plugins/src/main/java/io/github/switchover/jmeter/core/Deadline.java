package io.github.switchover.jmeter.core;

import java.net.SocketTimeoutException;

/** One time limit for a whole exchange. A peer that sends one byte per second cannot extend this limit. */
public final class Deadline {

    private final double seconds;
    private final long endNs;

    public Deadline(double seconds) {
        this.seconds = seconds;
        endNs = System.nanoTime() + Units.ns(seconds);
    }

    public double seconds() {
        return seconds;
    }

    public long leftNs() {
        return endNs - System.nanoTime();
    }

    /** Returns the remaining time in ns, which is more than zero. */
    public long check() throws SocketTimeoutException {
        long leftNs = leftNs();
        if (leftNs <= 0) {
            throw new SocketTimeoutException();
        }
        return leftNs;
    }
}
