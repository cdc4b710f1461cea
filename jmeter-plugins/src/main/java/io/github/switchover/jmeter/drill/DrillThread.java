package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.DaemonThread;

/** What a drill does beside the threads of its test. */
record DrillThread(Thread thread) {

    /** A confirmation, a heal or an undo, with all tries; a command that hangs is killed after 15 s. */
    private static final long JOIN_MS = 120_000;

    static DrillThread start(String name, Runnable work) {
        return new DrillThread(DaemonThread.start(name, work));
    }

    /** Until it has done what is under way, as far as that ends. */
    void join() {
        try {
            thread.join(JOIN_MS);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }
}
