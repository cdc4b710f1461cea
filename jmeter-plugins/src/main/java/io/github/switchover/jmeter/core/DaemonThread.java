package io.github.switchover.jmeter.core;

/** A thread that does not keep this JVM from ending. */
public final class DaemonThread {

    private DaemonThread() {}

    public static Thread start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
