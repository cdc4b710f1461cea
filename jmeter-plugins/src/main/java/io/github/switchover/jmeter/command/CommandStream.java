package io.github.switchover.jmeter.command;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.command.CommandRunner.OutputTail;
import io.github.switchover.jmeter.core.DaemonThread;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.SwitchoverException.SourceException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.Lines.LineSplitter;
import io.github.switchover.jmeter.target.Source;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs a command that prints a line for each event, and starts it again when it ends. */
public final class CommandStream implements AutoCloseable {

    /** The delays before restarts. After {@link #STEADY_NS} of running, the first delay is used again. */
    private static final double[] BACKOFF_S = {0.2, 0.5, 1.0, 2.0, 5.0};

    private static final long STEADY_NS = 10_000_000_000L;

    /** The longest wait for the error output of an ended command, because a child process may keep the output open. */
    private static final long LAST_WORDS_NS = Units.NS_PER_S;

    private static final int CHUNK = 65536;

    private final Source.Command source;
    private final RunClock clock;
    private final OutputTail errorTail = new OutputTail();
    private BlockingQueue<LineEvent> events = new LinkedBlockingQueue<>();
    private CountDownLatch errorsRead = new CountDownLatch(0);
    private @Nullable GroupedProcess running;
    private long startedNs;
    private long nextStartNs;
    private int failures;

    public CommandStream(Source.Command source, RunClock clock) {
        this.source = source;
        this.clock = clock;
        nextStartNs = System.nanoTime();
    }

    /** Returns the new events, after waiting at most {@code timeoutNs}. An error is a {@link LineEvent.Closed}. */
    public List<LineEvent> poll(long timeoutNs) throws InterruptedException {
        if (running != null) {
            return listen(timeoutNs);
        }
        long waitNs = nextStartNs - System.nanoTime();
        if (waitNs > 0) {
            TimeUnit.NANOSECONDS.sleep(Math.min(waitNs, timeoutNs));
            return List.of();
        }
        return List.of(start());
    }

    @Override
    public void close() {
        if (running != null) {
            end(clock.nowNs());
        }
    }

    private LineEvent start() {
        startedNs = System.nanoTime();
        errorTail.clear();
        try {
            running = CommandRunner.start(source);
        } catch (SourceException error) {
            delayNextStart();
            return new LineEvent.Closed(clock.nowNs(), error.getMessage(), false);
        }
        Process process = running.process();
        BlockingQueue<LineEvent> queue = new LinkedBlockingQueue<>();
        events = queue;
        CountDownLatch drained = new CountDownLatch(1);
        errorsRead = drained;
        DaemonThread.start("telemetry stdout of " + source, () -> follow(process.getInputStream(), queue));
        DaemonThread.start("telemetry stderr of " + source, () -> drain(process.getErrorStream(), drained));
        GroupedProcess.close(process.getOutputStream());
        return new LineEvent.Opened(clock.nowNs());
    }

    private List<LineEvent> listen(long timeoutNs) throws InterruptedException {
        List<LineEvent> found = new ArrayList<>();
        LineEvent first = events.poll(timeoutNs, TimeUnit.NANOSECONDS);
        if (first == null) {
            return found;
        }
        found.add(first);
        events.drainTo(found);
        int last = found.size() - 1;
        if (found.get(last) instanceof LineEvent.Closed closed) {
            found.set(last, end(closed.atNs()));
        }
        return found;
    }

    /** Ends the command and all its processes, and returns the event of the end. */
    private LineEvent end(long atNs) {
        GroupedProcess ending = requireNonNull(running);
        running = null;
        ending.killGroup();
        delayNextStart();
        if (!ending.isGone()) {
            String reason = "`" + source + "` closed its output and cannot be killed: it may still run";
            return new LineEvent.Closed(atNs, reason, false);
        }
        UninterruptedWait.await(errorsRead, LAST_WORDS_NS);
        String complaint = errorTail.lastLine();
        boolean isInOrder = complaint.isEmpty();
        String how = isInOrder ? " with status " + ending.process().exitValue() : ": " + complaint;
        return new LineEvent.Closed(atNs, "`" + source + "` ended" + how, isInOrder);
    }

    private void delayNextStart() {
        if (System.nanoTime() - startedNs >= STEADY_NS) {
            failures = 0;
        }
        double waitS = BACKOFF_S[Math.min(failures, BACKOFF_S.length - 1)];
        nextStartNs = System.nanoTime() + Units.ns(waitS);
        failures++;
    }

    private void follow(InputStream output, BlockingQueue<LineEvent> queue) {
        LineSplitter splitter = new LineSplitter(LineEvent.LIMIT);
        byte[] piece = new byte[CHUNK];
        try (output) {
            for (int count = output.read(piece); count >= 0; count = output.read(piece)) {
                queue.addAll(LineEvent.read(splitter.feed(piece, 0, count), clock.nowNs()));
            }
        } catch (IOException error) {
            return; // a read error counts as the end of the output
        } finally {
            queue.add(new LineEvent.Closed(clock.nowNs(), "", false));
        }
    }

    private void drain(InputStream stderr, CountDownLatch drained) {
        byte[] piece = new byte[CHUNK];
        try (stderr) {
            for (int count = stderr.read(piece); count >= 0; count = stderr.read(piece)) {
                errorTail.add(piece, count);
            }
        } catch (IOException error) {
            return; // the output has ended
        } finally {
            drained.countDown();
        }
    }

    /** An event of a command: a line, a start or an end. Times are in ns on the run's clock. */
    public sealed interface LineEvent {

        /** One line without its newline, and its time of arrival. */
        record Read(String text, long arrivedNs) implements LineEvent {}

        record Opened(long atNs) implements LineEvent {}

        /** {@code isInOrder}: true if the command printed no error message. */
        record Closed(long atNs, String reason, boolean isInOrder) implements LineEvent {}

        /** The maximum length of a line in bytes. A longer line is dropped completely. */
        int LIMIT = 65536;

        /** Converts lines that arrived together. Their times are one microsecond apart, to keep their order. */
        static List<LineEvent> read(List<byte[]> lines, long arrivedNs) {
            List<LineEvent> read = new ArrayList<>();
            lines.forEach(line -> read.add(
                    new Read(new String(line, StandardCharsets.UTF_8), arrivedNs + Units.NS_PER_US * read.size())));
            return read;
        }
    }
}
