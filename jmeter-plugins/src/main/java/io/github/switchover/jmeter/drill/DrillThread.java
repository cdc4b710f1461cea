package io.github.switchover.jmeter.drill;

/** What a drill does beside the threads of its test. */
final class DrillThread {

    /** A confirmation, a heal or an undo, with all tries; a command that hangs is killed after 15 s. */
    private static final long JOIN_MS = 120_000;

    private final Thread thread;

    DrillThread(Runnable work, String name) {
        thread = new Thread(work, name);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
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
