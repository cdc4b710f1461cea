package io.github.switchover.jmeter.core;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Iterator;

/**
 * Reads a file of lines that may have been cut off, damaged or written by somebody else. Not thread-safe.
 *
 * <p>A last line without its newline was cut off while it was written: even one that looks complete may have lost
 * digits, so it is left out.
 *
 * <p>Reads through {@code java.io}, because a channel of {@code java.nio} is closed for good when its thread is
 * interrupted, which JMeter does to end a test.
 */
public final class Lines implements AutoCloseable {

    /** Bytes in a line; a longer one is not ours, and is skipped without being held. */
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

    /** The next whole line without its newline (a carriage return before it stays); null at the end. */
    public byte[] next() {
        try {
            return read();
        } catch (IOException error) {
            throw RunDirectoryException.cannotRead(path, error);
        }
    }

    private byte[] read() throws IOException {
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
}
