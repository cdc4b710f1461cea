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
import org.jspecify.annotations.Nullable;

/**
 * Appends points to a file, with one write per line. Thread-safe.
 *
 * <p>The journal is the original record of the run: its readers may be late, fail, or restart. A full disk causes no
 * exception, only a {@link #warning}.
 */
public final class Journal implements PointSink, AutoCloseable {

    private final Appender appender;
    private final Map<String, String> tags;

    /** {@code tags} (run, worker) are added to every point. */
    public Journal(Path path, Map<String, String> tags) {
        appender = new Appender(path, new byte[0]);
        this.tags = Map.copyOf(tags);
    }

    public Path path() {
        return appender.path();
    }

    /** Writes one point; nothing if it has no valid field. */
    @Override
    public void write(String measurement, Map<String, String> tags, Map<String, FieldValue> fields, long timeNs) {
        Map<String, String> all = new LinkedHashMap<>(this.tags);
        all.putAll(tags);
        String line = PointFormat.format(measurement, all, fields, timeNs);
        if (!line.isEmpty()) {
            writeLine(line);
        }
    }

    /** Writes a line of {@link PointFormat}, which must already have all tags. */
    public synchronized void writeLine(String line) {
        appender.append(List.of((line + '\n').getBytes(StandardCharsets.UTF_8)));
    }

    public void event(EventKind kind, String text, long timeNs) {
        event(kind, text, timeNs, "", "");
    }

    public synchronized Seal seal() {
        return appender.seal();
    }

    /** The reason for lost lines, in one line. */
    public synchronized @Nullable String warning() {
        return appender.warning();
    }

    @Override
    public synchronized void close() {
        appender.close();
    }

    /** Reads the journals of a run. Of several points with one series and time the last is used, as in the database. */
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

        /** Reads a journal. Returns true if all its points are complete; otherwise the journal is not used. */
        public boolean read(Path path) {
            List<Point> read = new ArrayList<>();
            Ignored ignored = new Ignored();
            try (Lines lines = new Lines(path, ignored)) {
                for (byte[] line = lines.next(); line != null; line = lines.next()) {
                    Point point = wanted.apply(PointParser.parse(text(line)));
                    if (point != null) {
                        read.add(point);
                    }
                }
            } catch (CharacterCodingException | IllegalArgumentException error) {
                return false;
            }
            if (ignored.total() > 0) {
                return false;
            }
            read.forEach(point -> points.put(List.of(point.measurement(), point.tags(), point.timeNs()), point));
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
