package io.github.switchover.jmeter.core;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Reads the journals of a run, one after the other. Of points with the same measurement, tags and time the last one read
 * wins, as in the database: a bucket of traffic is written again, with its new total, when samples come late.
 */
public final class JournalReader {

    private final Ignored ignored;
    private final UnaryOperator<Point> wanted;
    private final Map<TagKey, Point> points = new LinkedHashMap<>();

    /** {@code wanted} makes of each point what is kept, or null. */
    public JournalReader(Ignored ignored, UnaryOperator<Point> wanted) {
        this.ignored = ignored;
        this.wanted = wanted;
    }

    /** The points of all journals that were read, in order of time. */
    public List<Point> points() {
        List<Point> sorted = new ArrayList<>(points.values());
        sorted.sort(Comparator.comparingLong(Point::timeNs));
        return sorted;
    }

    /**
     * A journal that may have been cut, or damaged: its points up to the first damage are kept. Others may have written
     * behind its seals: a heal by hand, say.
     */
    public JournalRecord read(Path path, List<Seal> seals) {
        Damage damage = seals.isEmpty() ? null : SealedFile.findDamage(path, seals, true);
        long wholeTo = damage == null ? Long.MAX_VALUE : damage.fromByte();
        long sealedTo = seals.stream().mapToLong(Seal::toByte).max().orElse(0);
        String name = String.valueOf(path.getFileName());
        Map<TagKey, Long> counts = new HashMap<>();
        long lastNs = Long.MIN_VALUE;
        boolean ended = false;
        long at = 0;
        try (Lines lines = new Lines(path, ignored)) {
            for (byte[] line = lines.next(); line != null; line = lines.next()) {
                long begin = at;
                at += line.length + 1;
                if (at > wholeTo) {
                    break;
                }
                Point point = point(line);
                if (point == null) {
                    if (at > sealedTo) {
                        damage = new Damage(name, begin, at, false);
                        break;
                    }
                    continue;
                }
                lastNs = Math.max(lastNs, point.timeNs());
                ended |= point.isEvent(EventKind.END);
                if (seals.isEmpty() && point.fields().get("count") instanceof FieldValue.Whole count) {
                    counts.put(TagKey.of(point), count.value());
                }
                keep(point);
            }
        }
        Map<String, Long> sums = new HashMap<>();
        counts.forEach((key, count) -> sums.merge(key.measurement, count, Long::sum));
        return new JournalRecord(name, !seals.isEmpty(), damage, lastNs, ended, sums);
    }

    private record TagKey(String measurement, Map<String, String> tags, long timeNs) {
        static TagKey of(Point point) {
            return new TagKey(point.measurement(), point.tags(), point.timeNs());
        }
    }

    private void keep(Point read) {
        Point point = wanted.apply(read);
        if (point != null) {
            points.put(TagKey.of(point), point);
        }
    }

    /** Null: the line is none. */
    private Point point(byte[] line) {
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
