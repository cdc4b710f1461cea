package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.SourceException;
import java.io.File;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Looks at a log's file again and again, from {@link #start} to {@link #finish}: it may only grow. One that was cut above
 * where it stood at the start, and grew on, shows nothing of it at the end.
 */
final class LogWatch {

    private static final long LOOK_MS = 100;

    private final File path;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "telemetry log");
    private volatile LogPlace place;
    private boolean isCut;

    LogWatch(File path, LogPlace place) {
        this.path = path;
        this.place = place;
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** How much of the file it has seen. */
    long size() {
        return place.size();
    }

    /** Throws SourceException where it has become shorter, or was written anew. */
    void finish() {
        stop.countDown();
        try {
            thread.join();
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            return;
        }
        look();
        if (isCut) {
            throw new SourceException("it was truncated or replaced in the middle of the run");
        }
    }

    private void run() {
        try {
            while (!stop.await(LOOK_MS, TimeUnit.MILLISECONDS)) {
                look();
            }
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    private void look() {
        try {
            LogPlace now = LogPlace.endOf(path);
            boolean isTheSame = place.file() == null || place.file().equals(now.file());
            if (isTheSame) { // of another file the end will tell
                isCut |= !place.stillStandsIn(path);
                place = now;
            }
        } catch (IOException error) {
            return; // what has gone, the end will tell
        }
    }
}
