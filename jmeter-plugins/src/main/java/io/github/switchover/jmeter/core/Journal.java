package io.github.switchover.jmeter.core;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Appends points, one write per line; thread-safe.
 *
 * <p>It is the truth of the run; what follows it (InfluxDB, a report) can be late, be down, or be started again. A full
 * disk never throws: {@link #warning} says why lines are lost; it resumes when there is room.
 */
public final class Journal implements PointSink, AutoCloseable {

    private final Appender appender;
    private final Map<String, String> tags;

    /** {@code tags} (run, worker) are on every point. */
    public Journal(Path path, Map<String, String> tags) {
        appender = new Appender(path);
        this.tags = Map.copyOf(tags);
    }

    public Path path() {
        return appender.path();
    }

    /** One point; nothing is written if none of its fields can be. */
    @Override
    public void write(String measurement, Map<String, String> tags, Map<String, FieldValue> fields, long timeNs) {
        Map<String, String> all = new LinkedHashMap<>(this.tags);
        all.putAll(tags);
        String line = PointFormat.format(measurement, all, fields, timeNs);
        if (!line.isEmpty()) {
            writeLine(line);
        }
    }

    /** A line as {@link PointFormat} makes it, with all its tags. */
    public synchronized void writeLine(String line) {
        appender.append(List.of((line + '\n').getBytes(StandardCharsets.UTF_8)));
    }

    public void event(EventKind kind, String text, long timeNs) {
        event(kind, text, timeNs, "", "");
    }

    /** Of what it has written; asked for when it is closed. */
    public synchronized Seal seal() {
        return appender.seal();
    }

    /** Why, in one line; null if none was lost. */
    public synchronized String warning() {
        return appender.warning();
    }

    @Override
    public synchronized void close() {
        appender.close();
    }
}
