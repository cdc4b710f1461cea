package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.DaemonThread;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.Units;
import java.nio.file.Path;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at runs on a thread of its own, which is there only while somebody looks: at the one that this JVM makes, as soon
 * as there is one, or at what was opened. The window asks {@link #shown} as often as it draws; nothing is sent to
 * him, so nothing can queue up. Thread-safe.
 */
public final class RunViewer implements AutoCloseable {

    /** Between two looks at a run that is on. */
    public static final long EVERY_MS = 500;

    private static final Logger LOG = LoggerFactory.getLogger(RunViewer.class);

    private final Supplier<Path> current;
    private Thread thread;
    private volatile ViewState shown = ViewState.NOTHING;
    private Path wanted;
    private Path followed;
    private LiveRun live;
    private boolean cleared;

    /** {@code current}: the directory of the run that this JVM makes, or made last; null before the first one. */
    public RunViewer(Supplier<Path> current) {
        this.current = current;
    }

    public ViewState shown() {
        return shown;
    }

    /** Somebody looks. */
    public synchronized void start() {
        if (thread == null) {
            thread = DaemonThread.start("switchover view", this::look);
        }
    }

    /** Its window is not shown; what was seen is kept. */
    @Override
    public synchronized void close() {
        thread = null;
        notifyAll();
    }

    /** Shows a run directory or a JTL, in place of what is shown now. */
    public synchronized void open(Path path) {
        wanted = path;
        shown = new ViewState(null, null, "reading " + path);
        notifyAll();
    }

    /** Shows nothing; of a run that is on, what comes from now on. */
    public synchronized void clear() {
        wanted = null;
        cleared = true;
        shown = ViewState.NOTHING;
        notifyAll();
    }

    private void look() {
        while (isMine()) {
            try {
                step();
                pause();
            } catch (InterruptedException error) {
                return;
            } catch (RuntimeException error) {
                // A defect of ours must not leave the view without a word, nor the log with one every half second.
                LOG.error("the view of {} failed", followed, error);
                fail("the view failed: " + error + "; the log has more, and the run directory everything");
            }
        }
    }

    private void step() {
        Path opened = takeWanted();
        if (opened != null) {
            read(opened);
        }
        follow();
    }

    private void read(Path path) {
        try {
            Path directory = FinishedRun.directory(path);
            if (directory != null && FinishedRun.isOn(directory)) {
                begin(directory);
                return;
            }
            RunSnapshot snapshot = FinishedRun.read(path, read -> {
                show(new ViewState(null, null, "reading " + path + ": " + ViewText.count(read) + " samples"));
                return isWanted();
            });
            live = null;
            show(new ViewState(snapshot, null, null));
        } catch (SwitchoverException error) {
            fail("cannot open it: " + error.getMessage());
        } catch (OutOfMemoryError error) {
            fail("cannot open " + path + ": it needs more memory than JMeter has (HEAP=\"-Xmx4g\" gives it more)");
        } catch (CancellationException error) {
            LOG.debug("{} is no longer wanted", path);
        }
    }

    private void follow() {
        Path now = current.get();
        if (now != null && !now.equals(followed)) {
            followed = now;
            begin(now);
        }
        LiveRun run;
        synchronized (this) {
            run = live;
            if (run != null && cleared && run.isOver()) {
                live = null;
                run = null;
            } else if (run != null && cleared) {
                run.clear(nowUs());
            }
            cleared = false;
        }
        if (run == null) {
            return;
        }
        while (run.advance(nowUs()) && isMine()) {
            Thread.onSpinWait();
        }
        RunSnapshot snapshot = run.snapshot(nowUs());
        synchronized (this) {
            if (live == run && wanted == null && !cleared) {
                shown = new ViewState(snapshot, null, null);
            }
        }
    }

    private synchronized void begin(Path directory) {
        live = new LiveRun(directory);
        cleared = false;
    }

    private synchronized void fail(String trouble) {
        live = null;
        shown = new ViewState(null, trouble, null);
    }

    private synchronized void show(ViewState found) {
        if (wanted == null && !cleared) {
            shown = found;
        }
    }

    private synchronized Path takeWanted() {
        Path path = wanted;
        wanted = null;
        if (path != null) {
            cleared = false;
        }
        return path;
    }

    private synchronized boolean isWanted() {
        return thread == Thread.currentThread() && wanted == null && !cleared;
    }

    private synchronized boolean isMine() {
        return thread == Thread.currentThread();
    }

    private synchronized void pause() throws InterruptedException {
        long untilMs = nowUs() / Units.US_PER_MS + EVERY_MS;
        for (long leftMs = EVERY_MS;
                leftMs > 0 && leftMs <= EVERY_MS && isWanted();
                leftMs = untilMs - nowUs() / Units.US_PER_MS) {
            wait(leftMs);
        }
    }

    private static long nowUs() {
        return System.currentTimeMillis() * Units.US_PER_MS;
    }
}
