package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.command.LineEvent;
import io.github.switchover.jmeter.command.LineSource;
import io.github.switchover.jmeter.core.DaemonThread;
import io.github.switchover.jmeter.core.LineSplitter;
import io.github.switchover.jmeter.core.Reason;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.target.Source;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A FIFO that Keepalived writes to ({@code vrrp_notify_fifo}), read without being in its way.
 *
 * <p>Keepalived makes the FIFO when it starts, removes it when it stops in order, and leaves it when it is killed
 * (measured, 2.2.7). It holds it open for reading too, so what it wrote before anybody read waits there: the lines found
 * at the first opening tell how things stand, not when they came about. A FIFO has one reader: of two, each gets some of
 * the lines.
 *
 * <p>Java opens no FIFO without waiting for a writer. So it is first opened for both, which on Linux does not wait:
 * with that one held the opening for reading alone does not wait either. Where a writer is there, the first is closed
 * again, so that the writer's end is seen; where there is no writer, it is held until one has written.
 */
final class FifoReader implements LineSource {

    /** How often a missing FIFO is looked for, which bounds how late the first lines of a new one are read. */
    private static final long RETRY_NS = 50_000_000;

    /** How often an open FIFO is compared with what stands at its path. */
    private static final long REPLACED_NS = 250_000_000;

    /** An end that comes so soon after the opening says that there was no writer. */
    private static final long NO_WRITER_NS = 200_000_000;

    private static final int CHUNK = 65536;
    private static final int FILE_TYPE = 0170000;
    private static final int FIFO = 0010000;

    private final Source.Fifo source;
    private final Path path;
    private final RunClock clock;
    private BlockingQueue<LineEvent> heard = new LinkedBlockingQueue<>();
    private Opening opening;
    private long lookedNs;
    private boolean toldMissing;

    FifoReader(Source.Fifo source, RunClock clock) {
        this.source = source;
        this.clock = clock;
        path = Path.of(source.path());
    }

    @Override
    public List<LineEvent> poll(long timeoutNs) throws InterruptedException {
        if (opening == null) {
            return open(timeoutNs);
        }
        List<LineEvent> found = new ArrayList<>();
        LineEvent first = heard.poll(Math.min(timeoutNs, REPLACED_NS), TimeUnit.NANOSECONDS);
        if (first == null) {
            return checkPath();
        }
        found.add(first);
        heard.drainTo(found);
        if (found.get(found.size() - 1) instanceof LineEvent.Closed) {
            close();
        }
        return found;
    }

    @Override
    public void close() {
        if (opening != null) {
            opening.close();
            opening = null;
        }
    }

    private List<LineEvent> open(long timeoutNs) throws InterruptedException {
        try {
            int mode = (Integer) Files.getAttribute(path, "unix:mode");
            if ((mode & FILE_TYPE) != FIFO) {
                return missing("is no FIFO", timeoutNs);
            }
            heard = new LinkedBlockingQueue<>();
            opening = new Opening(heard);
        } catch (IOException error) {
            return missing(Reason.of(error), timeoutNs);
        } catch (UnsupportedOperationException error) {
            return missing("this system has no FIFOs", timeoutNs);
        }
        toldMissing = false;
        lookedNs = System.nanoTime();
        return List.of(new LineEvent.Opened(clock.nowNs()));
    }

    private List<LineEvent> missing(String reason, long timeoutNs) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(Math.min(RETRY_NS, timeoutNs));
        if (toldMissing) {
            return List.of();
        }
        toldMissing = true;
        return List.of(new LineEvent.Closed(clock.nowNs(), source + ": " + reason));
    }

    /** A new FIFO of the same name means a new Keepalived: what stays open leads nowhere. */
    private List<LineEvent> checkPath() {
        long nowNs = System.nanoTime();
        if (nowNs - lookedNs < REPLACED_NS) {
            return List.of();
        }
        lookedNs = nowNs;
        try {
            if (opening.identity.equals(identity(path))) {
                return List.of();
            }
        } catch (IOException error) {
            // Removed after its writer has closed it, which comes as an end of file.
            return List.of();
        }
        close();
        return List.of(new LineEvent.Closed(clock.nowNs(), source + ": it was replaced"));
    }

    private static Object identity(Path path) throws IOException {
        Object key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        return key == null ? path : key;
    }

    /** One time that it is open, with a thread that reads it. */
    private final class Opening implements AutoCloseable {

        final Object identity;
        private final BlockingQueue<LineEvent> queue;
        private final LineSplitter splitter = new LineSplitter(LineEvent.LIMIT);
        private final FileChannel both;
        private FileChannel reading;
        private volatile boolean closed;

        Opening(BlockingQueue<LineEvent> queue) throws IOException {
            this.queue = queue;
            both = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
            try {
                identity = identity(path);
                // Not closed here: its channel is.
                FileInputStream input = new FileInputStream(path.toFile());
                reading = input.getChannel();
                boolean spokenTo = takeWaiting(input);
                DaemonThread.start("telemetry " + source, () -> run(spokenTo));
            } catch (IOException | RuntimeException error) {
                both.close();
                throw error;
            }
        }

        @Override
        public void close() {
            closed = true;
            try {
                both.close();
                reading.close();
            } catch (IOException error) {
                return; // nothing of it is needed any more
            }
        }

        /** The lines that waited here; true if there were any, and so a writer. */
        private boolean takeWaiting(FileInputStream input) throws IOException {
            int available = input.available();
            if (available <= 0) {
                return false;
            }
            byte[] waiting = new byte[available];
            int count = input.read(waiting);
            queue.addAll(LineEvent.read(splitter.feed(waiting, 0, Math.max(count, 0)), clock.nowNs()));
            return true;
        }

        private void run(boolean spokenTo) {
            try {
                boolean writer = spokenTo || hasWriter();
                if (!writer && !closed) {
                    // No writer: as long as this one is held for writing too, no end comes before a first word.
                    FileChannel held = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
                    try {
                        readOnce(reading);
                    } finally {
                        held.close();
                    }
                }
                both.close();
                while (readOnce(reading)) {
                    // the next lines
                }
            } catch (IOException error) {
                if (closed) {
                    return;
                }
            }
            queue.add(new LineEvent.Closed(clock.nowNs(), source + ": its writer has closed it"));
        }

        /** Closes the opening for both, and listens: an end that comes at once says that there is no writer. */
        private boolean hasWriter() throws IOException {
            both.close();
            long beforeNs = System.nanoTime();
            return readOnce(reading) || System.nanoTime() - beforeNs > NO_WRITER_NS;
        }

        /** Waits for a piece; false at the end. */
        private boolean readOnce(FileChannel channel) throws IOException {
            ByteBuffer piece = ByteBuffer.allocate(CHUNK);
            int count = channel.read(piece);
            if (count > 0) {
                queue.addAll(LineEvent.read(splitter.feed(piece.array(), 0, count), clock.nowNs()));
            }
            return count >= 0;
        }
    }
}
