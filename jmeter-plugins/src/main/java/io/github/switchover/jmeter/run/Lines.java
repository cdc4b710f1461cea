package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads lines of a file that may be damaged. A last line without a newline is skipped. Not thread-safe.
 *
 * <p>Uses {@code java.io}: an interrupt of a JMeter thread would close a channel of {@code java.nio} permanently.
 */
public final class Lines implements AutoCloseable {

    /** The longest line in bytes. A longer line is not from Switchover, and is skipped without using memory. */
    public static final int LIMIT = 1 << 20;

    private final Path path;
    private final Ignored ignored;
    private final FileInputStream stream;
    private final byte[] buffer = new byte[1 << 16];
    private final LineSplitter splitter = new LineSplitter(LIMIT - 1);
    private Iterator<byte[]> ready = Collections.emptyIterator();
    private boolean ended;

    public Lines(Path path, Ignored ignored) {
        this.path = path;
        this.ignored = ignored;
        try {
            stream = new FileInputStream(path.toFile());
        } catch (IOException error) {
            throw RunDirectoryException.cannotRead(path, error);
        }
    }

    /** The next complete line without its newline (but with a carriage return before it); null at the end. */
    public byte @Nullable [] next() {
        try {
            return read();
        } catch (IOException error) {
            throw RunDirectoryException.cannotRead(path, error);
        }
    }

    private byte @Nullable [] read() throws IOException {
        while (!ready.hasNext()) {
            int filled = stream.read(buffer);
            if (filled <= 0) {
                if (splitter.isWithinLine() && !ended) {
                    ignored.add("last line cut off");
                }
                ended = true;
                return null;
            }
            long dropped = splitter.dropped();
            ready = splitter.feed(buffer, 0, filled).iterator();
            for (; dropped < splitter.dropped(); dropped++) {
                ignored.add("line longer than 1 MiB");
            }
        }
        return ready.next();
    }

    @Override
    public void close() {
        try {
            stream.close();
        } catch (IOException error) {
            throw RunDirectoryException.cannotRead(path, error);
        }
    }

    /** Joins pieces and splits them at newlines. A line longer than the limit is dropped. Not thread-safe. */
    public static final class LineSplitter {

        private final int limit;
        private final ByteArrayOutputStream rest = new ByteArrayOutputStream(512);
        private boolean dropping;
        private long dropped;

        /** {@code limit}: the longest line in bytes. */
        public LineSplitter(int limit) {
            this.limit = limit;
        }

        /** Returns the lines that this piece completes, without their newlines. */
        public List<byte[]> feed(byte[] piece, int offset, int length) {
            List<byte[]> lines = new ArrayList<>();
            int from = offset;
            for (int i = offset; i < offset + length; i++) {
                if (piece[i] == '\n') {
                    keep(piece, from, i);
                    if (!dropping) {
                        lines.add(rest.toByteArray());
                    }
                    rest.reset();
                    dropping = false;
                    from = i + 1;
                }
            }
            keep(piece, from, offset + length);
            return lines;
        }

        /** True if the last line has no newline yet. */
        public boolean isWithinLine() {
            return rest.size() > 0;
        }

        public long dropped() {
            return dropped;
        }

        private void keep(byte[] piece, int from, int to) {
            if (dropping) {
                return;
            }
            rest.write(piece, from, to - from);
            if (rest.size() > limit) {
                rest.reset();
                dropping = true;
                dropped++;
            }
        }
    }

    /** The number of lines that a reader skipped, by reason, from a fixed set of reasons. Not thread-safe. */
    public record Ignored(Map<String, Long> reasons) {

        public Ignored() {
            this(new LinkedHashMap<>());
        }

        public void add(String reason) {
            reasons.merge(reason, 1L, Long::sum);
        }

        public void clear() {
            reasons.clear();
        }

        public long total() {
            return reasons.values().stream().mapToLong(Long::longValue).sum();
        }
    }
}
