package io.github.switchover.jmeter.core;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes samples to one file, buffered: the owner calls {@link #flush}, say every 100 ms. Not thread-safe.
 *
 * <p>A full disk never throws: {@link #lost} counts the samples and {@link #warning} says why; it resumes when there is
 * room. What is written stands in the file as it is given: URLs and messages go through {@code PublicText} first.
 */
public final class SampleWriter implements AutoCloseable {

    /** Rows that wait for a flush at most; the next one flushes by itself. */
    static final int BUFFERED_ROWS = 4096;

    private final Appender appender;
    private final RowBytes row = new RowBytes();
    private List<byte[]> rows = new ArrayList<>();

    public SampleWriter(Path path) {
        appender = new Appender(path, (SampleFormat.HEADER + '\n').getBytes(StandardCharsets.UTF_8));
    }

    public Path path() {
        return appender.path();
    }

    public void write(Sample sample) {
        rows.add(SampleFormat.row(sample, row));
        if (rows.size() >= BUFFERED_ROWS) {
            flush();
        }
    }

    /** Hands what is buffered to the operating system, after which it outlives this process. */
    public void flush() {
        if (!rows.isEmpty()) {
            List<byte[]> full = rows;
            rows = new ArrayList<>();
            appender.append(full);
        }
    }

    /** Of what it has written; asked for when it is closed. */
    public Seal seal() {
        return appender.seal();
    }

    /** How many samples a full disk has cost. */
    public long lost() {
        return appender.lost();
    }

    /** Why, in one line; null if none was lost. */
    public String warning() {
        return appender.warning();
    }

    @Override
    public void close() {
        flush();
        appender.close();
    }
}
