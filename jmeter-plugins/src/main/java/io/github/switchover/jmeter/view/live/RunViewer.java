package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.DaemonThread;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.view.live.RunSnapshot.RunState;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the run of this JVM on a thread while the view is open. The window fetches {@link #shown}. Thread-safe. */
public final class RunViewer implements AutoCloseable {

    /** The time between two reads of a run that is in progress. */
    public static final long EVERY_MS = 500;

    /** The state that the view shows now. */
    public record ViewState(Headline headline, Optional<RunSnapshot> snapshot) {}

    private static final ViewState NOTHING = new ViewState(Headline.NOTHING, Optional.empty());

    private static final Logger LOG = LoggerFactory.getLogger(RunViewer.class);

    private final Supplier<RunState> current;
    private @Nullable Thread thread;
    private volatile ViewState shown = NOTHING;

    /** Only the reading thread uses this field. */
    private @Nullable LiveRun live;

    /** {@code current}: returns the run that is in progress in this JVM, or the last run; null before the first run. */
    public RunViewer(Supplier<RunState> current) {
        this.current = current;
    }

    public ViewState shown() {
        return shown;
    }

    /** Starts reading, when the view is shown. */
    public synchronized void start() {
        if (thread == null) {
            thread = DaemonThread.start("switchover view", this::look);
        }
    }

    /** Stops reading when the window is closed. The last state is kept. */
    @Override
    public synchronized void close() {
        thread = null;
        notifyAll();
    }

    private void look() {
        while (isMine()) {
            try {
                follow();
                pause();
            } catch (InterruptedException error) {
                return;
            } catch (RuntimeException error) {
                // The view must show a defect, but must not log it every half second.
                LOG.error("the view failed", error);
                fail("the view failed: " + error + "; see the log; the run directory is complete");
            }
        }
    }

    private void follow() {
        RunState now = current.get();
        if (now == null) {
            return;
        }
        if (live == null || !now.directory().equals(live.directory())) {
            live = new LiveRun(now.directory());
        }
        while (live.advance(nowUs()) && isMine()) {
            Thread.onSpinWait();
        }
        RunSnapshot snapshot = live.snapshot(now, nowUs());
        shown = new ViewState(Headline.of(snapshot), Optional.of(snapshot));
    }

    private void fail(String trouble) {
        live = null;
        shown = new ViewState(new Headline(Headline.Tone.BAD, "trouble", List.of(trouble)), Optional.empty());
    }

    private synchronized boolean isMine() {
        return thread == Thread.currentThread();
    }

    private synchronized void pause() throws InterruptedException {
        long endNs = System.nanoTime() + EVERY_MS * Units.NS_PER_MS;
        while (isMine() && System.nanoTime() < endNs) {
            wait(EVERY_MS);
        }
    }

    private static long nowUs() {
        return System.currentTimeMillis() * Units.US_PER_MS;
    }
}
