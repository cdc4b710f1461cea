package io.github.switchover.jmeter.core;

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

/** Reads the points of a run's journals. */
public final class JournalReader {

    private JournalReader() {}

    /**
     * The points of all the files, in order of time; {@code wanted} makes of each what is kept, or null.
     *
     * <p>Of points with the same measurement, tags and time the last one read wins, as in the database: a bucket of
     * traffic is written again, with its new total, when samples come late.
     */
    public static List<Point> read(List<Path> paths, Ignored ignored, UnaryOperator<Point> wanted) {
        Map<TagKey, Point> points = new LinkedHashMap<>();
        for (Path path : paths) {
            try (Lines lines = new Lines(path, ignored)) {
                for (byte[] line = lines.next(); line != null; line = lines.next()) {
                    Point read = point(line, ignored);
                    Point point = read == null ? null : wanted.apply(read);
                    if (point != null) {
                        points.put(new TagKey(point.measurement(), point.tags(), point.timeNs()), point);
                    }
                }
            }
        }
        List<Point> sorted = new ArrayList<>(points.values());
        sorted.sort(Comparator.comparingLong(Point::timeNs));
        return sorted;
    }

    private record TagKey(String measurement, Map<String, String> tags, long timeNs) {}

    private static Point point(byte[] line, Ignored ignored) {
        try {
            int length = line.length;
            while (length > 0 && line[length - 1] == '\r') {
                length--;
            }
            ByteBuffer text = ByteBuffer.wrap(line, 0, length);
            return PointParser.parse(
                    StandardCharsets.UTF_8.newDecoder().decode(text).toString());
        } catch (CharacterCodingException | IllegalArgumentException error) {
            ignored.add("not a point");
            return null;
        }
    }
}
