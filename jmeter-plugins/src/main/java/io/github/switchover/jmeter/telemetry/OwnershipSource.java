package io.github.switchover.jmeter.telemetry;

import java.util.concurrent.CountDownLatch;

/** Follows who holds the address on one node until it is told to stop, on a thread of its own. */
interface OwnershipSource {

    /** How long a source waits for lines before it looks whether it shall stop. */
    long POLL_NS = 200_000_000;

    /** Opens when the first state is known, or known to be unknown. */
    CountDownLatch ready();

    void run(CountDownLatch stop) throws InterruptedException;

    /** A source that fails in an unforeseen way ends; what it knew holds no longer. */
    static String defect(RuntimeException error) {
        return "defect: " + error.getClass().getSimpleName() + ": " + error.getMessage();
    }
}
