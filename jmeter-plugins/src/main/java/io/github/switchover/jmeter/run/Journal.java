package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Point.EventKind;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.core.Point.PointSink;
import io.github.switchover.jmeter.run.Lines.Ignored;
import io.github.switchover.jmeter.run.PointFormat.PointParser;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Appends points, one write per line; thread-safe.
 *
 * <p>The journal is the truth of the run; its readers (InfluxDB, a report) can be late, be down, or be started again.
 * A full disk never throws: {@link #warning} has the reason for lost lines. Writing resumes when there is room.
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

    /**
     * Reads the journals of a run, one after the other. Of points with the same measurement, tags and time the last
     * one read wins, as in the database. A bucket of traffic is written again, with its new total, when samples come
     * late.
     */
    public static final class JournalReader {

        private final UnaryOperator<Point> wanted;
        private final Map<List<Object>, Point> points = new LinkedHashMap<>();

        /** {@code wanted} returns the part of each point to keep, or null. */
        public JournalReader(UnaryOperator<Point> wanted) {
            this.wanted = wanted;
        }

        /** The points of all journals that were read, in order of time. */
        public List<Point> points() {
            List<Point> sorted = new ArrayList<>(points.values());
            sorted.sort(Comparator.comparingLong(Point::timeNs));
            return sorted;
        }

        /** Reads a journal. Returns true if it has only whole points; any other journal is not used. */
        public boolean read(Path path) {
            List<Point> found = new ArrayList<>();
            Ignored ignored = new Ignored();
            try (Lines lines = new Lines(path, ignored)) {
                for (byte[] line = lines.next(); line != null; line = lines.next()) {
                    Point point = wanted.apply(PointParser.parse(text(line)));
                    if (point != null) {
                        found.add(point);
                    }
                }
            } catch (CharacterCodingException | IllegalArgumentException error) {
                return false;
            }
            if (ignored.total() > 0) {
                return false;
            }
            found.forEach(point -> points.put(List.of(point.measurement(), point.tags(), point.timeNs()), point));
            return true;
        }

        private static String text(byte[] line) throws CharacterCodingException {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(line))
                    .toString();
            return text.replaceFirst("\r+$", "");
        }
    }
}
