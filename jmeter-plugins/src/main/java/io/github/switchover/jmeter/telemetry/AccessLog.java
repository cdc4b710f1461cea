package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.command.CommandRunner;
import io.github.switchover.jmeter.core.Reason;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.SourceException;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/**
 * Counts what a node's access log grows by during a run. It is written by the node, so it survives the death of the
 * balancer that forwarded the requests.
 *
 * <p>Begun before the first request, finished after the last. Neither throws: what goes wrong is a warning.
 */
public final class AccessLog {

    private static final double COMMAND_TIMEOUT_S = 60;
    private static final long COMMAND_LIMIT_BYTES = 4L * 1024 * 1024 * 1024;
    private static final int CHUNK = 1 << 20;

    private final Node node;
    private final RunClock clock;
    private LogPlace place = LogPlace.BEGINNING;
    private String failure;
    private LogWatch watch;
    private long beganUs;
    private long shiftUs;

    /** {@code node} has an access log. Times are on {@code clock} where the node shares this machine's. */
    public AccessLog(Node node, RunClock clock) {
        this.node = node;
        this.clock = clock;
    }

    /** Its file in the run directory. */
    public static String fileName(String node) {
        return LogTable.fileName(node);
    }

    /** Remembers where the log ends now. */
    public void begin() {
        beganUs = clock.nowUs();
        shiftUs = shiftUs();
        try {
            place = place();
            if (node.sources().accessLog() instanceof Source.LogFile log) {
                watch = new LogWatch(new File(log.path()), place);
                watch.start();
            }
        } catch (SourceException error) {
            failure = error.getMessage();
        } catch (IOException error) {
            failure = Reason.of(error);
        }
    }

    /** The lines since {@link #begin}, with a table of them; of a log that was rotated or truncated, neither. */
    public AccessLogCount finish(Path directory) {
        if (failure != null) {
            return unknown("could not be read at the start: " + failure);
        }
        LogTable table = new LogTable(directory, node.name());
        RunTimes times = new RunTimes(shiftUs, shiftUs(), new Span(beganUs, clock.nowUs()));
        LogCounter counter = new LogCounter(times, table);
        String problem = null;
        try {
            if (watch != null) {
                watch.finish();
            }
            read(counter);
        } catch (SourceException error) {
            problem = error.getMessage();
        } catch (IOException error) {
            problem = Reason.of(error);
        }
        if (problem != null || counter.isTooLong()) {
            table.discard();
        } else {
            table.close();
        }
        return problem != null ? unknown(problem) : counter.result(node.name(), table.warning());
    }

    /** How much of the file was seen by now; for a test. */
    long seenBytes() {
        return watch.size();
    }

    /** What is added now to a time of the log. */
    private long shiftUs() {
        return node.sources().sharedClock() ? clock.fromWallNs(0) / Units.NS_PER_US : 0;
    }

    private LogPlace place() throws IOException {
        if (node.sources().accessLog() instanceof Source.LogFile log) {
            return LogPlace.endOf(new File(log.path()));
        }
        LogPlace.Measure measure = new LogPlace.Measure();
        run(measure);
        return measure.place();
    }

    private void read(OutputStream sink) throws IOException {
        if (node.sources().accessLog() instanceof Source.LogFile log) {
            readFile(new File(log.path()), sink);
            return;
        }
        LogSkip skip = new LogSkip(place, 0, sink);
        run(skip);
        skip.check();
    }

    private void readFile(File path, OutputStream sink) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path, "r")) {
            if (place.file() != null && !place.file().equals(LogPlace.identity(path))) {
                throw new SourceException("it was rotated in the middle of the run");
            }
            long from = Math.max(place.size() - LogPlace.SEEN_BYTES, 0);
            file.seek(from);
            LogSkip skip = new LogSkip(place, from, sink);
            byte[] piece = new byte[CHUNK];
            for (int length = file.read(piece); length >= 0; length = file.read(piece)) {
                skip.write(piece, 0, length);
            }
            skip.check();
        }
    }

    private void run(OutputStream sink) {
        Source.Command command = (Source.Command) node.sources().accessLog();
        CommandRunner.of(command)
                .timeoutS(COMMAND_TIMEOUT_S)
                .output(sink, COMMAND_LIMIT_BYTES)
                .run()
                .check();
    }

    private AccessLogCount unknown(String reason) {
        return AccessLogCount.unknown(
                node.name(),
                node.name() + ": its access log " + node.sources().accessLog() + " does not count: " + reason);
    }
}
