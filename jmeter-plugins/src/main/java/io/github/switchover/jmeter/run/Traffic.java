package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.BoundedCache;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.core.Units;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.HistogramIterationValue;
import org.HdrHistogram.PackedHistogram;
import org.jspecify.annotations.Nullable;

/**
 * Counts requests in buckets: one per second (of the end time) and tag set. Thread-safe.
 *
 * <p>A bucket is emitted after its second, and again with its full total if a sample arrives later. The last point
 * replaces earlier points. After {@link #KEEP_S} a bucket is dropped, and its samples are ignored.
 */
public final class Traffic {

    /** The seconds that a bucket is kept for late samples. JMeter holds batches for up to 60 s. */
    public static final long KEEP_S = 120;

    private static final int SERIES_CACHE_LIMIT = 10_000;

    private final String measurement;
    private final Map<String, String> ownTags;
    private final BoundedCache<Map<String, String>, Series> series =
            new BoundedCache<>(SERIES_CACHE_LIMIT, this::makeSeries);
    private final TreeMap<Long, Map<String, Bucket>> seconds = new TreeMap<>();
    private final TreeSet<Long> dirty = new TreeSet<>();
    private long oldestS;

    public Traffic(String measurement, String run, String worker) {
        this.measurement = measurement;
        this.ownTags = Map.of("run", run, "worker", worker);
    }

    /** A set of requests that are counted together. Caches its latest bucket. */
    public static final class Series {

        private final String line;
        private long second = Long.MIN_VALUE;
        private @Nullable Bucket bucket;

        private Series(String line) {
            this.line = line;
        }
    }

    /** Returns the series of those tags, for {@link #add}. An empty tag equals a missing tag. */
    public Series series(Map<String, String> tags) {
        return series.get(Map.copyOf(tags));
    }

    private Series makeSeries(Map<String, String> tags) {
        Map<String, String> all = new HashMap<>(tags);
        all.putAll(ownTags);
        return new Series(PointFormat.formatSeries(measurement, all));
    }

    /** Counts one request in a series of this object. Times are in microseconds. */
    public synchronized void add(long endUs, long latencyUs, long nbytes, Series series) {
        long second = Math.floorDiv(endUs, Units.US_PER_S);
        if (second < oldestS) {
            return;
        }
        Bucket bucket = series.bucket;
        if (bucket == null || series.second != second) {
            bucket = seconds.computeIfAbsent(second, s -> new HashMap<>())
                    .computeIfAbsent(series.line, s -> new Bucket());
            series.bucket = bucket;
            series.second = second;
        }
        if (!bucket.dirty) {
            dirty.add(second);
        }
        bucket.add(latencyUs, nbytes);
    }

    /** Returns the lines of all changed buckets that ended before that time, in order of time and series. */
    public synchronized List<String> flush(long beforeUs) {
        long endS = Math.floorDiv(beforeUs, Units.US_PER_S);
        List<String> lines = new ArrayList<>();
        while (!dirty.isEmpty() && dirty.first() < endS) {
            long second = dirty.pollFirst();
            Map<String, Bucket> sorted = new TreeMap<>(PointFormat.CODE_POINT_ORDER);
            sorted.putAll(seconds.get(second));
            sorted.forEach((series, bucket) -> {
                if (bucket.dirty) {
                    bucket.dirty = false;
                    lines.add(series + ' ' + PointFormat.formatFields(bucket.fields()) + ' ' + second * Units.NS_PER_S);
                }
            });
        }
        oldestS = Math.max(oldestS, endS - KEEP_S);
        seconds.headMap(oldestS).clear();
        return lines;
    }

    public synchronized long openFromUs() {
        return oldestS * Units.US_PER_S;
    }

    /** One second of one series, in µs. Packed, because most seconds have only a few dozen different latencies. */
    static final class Bucket {

        static final long HIGHEST_US = 3_600_000_000L;
        static final int DIGITS = 2;

        private static final int[] PERCENTILES = {50, 90, 95, 99};

        private final AbstractHistogram histogram = new PackedHistogram(1, HIGHEST_US, DIGITS);
        private long count;
        private long nbytes;
        private long total;
        private long lowest = Long.MAX_VALUE;
        private long highest;
        boolean dirty;

        void add(long latencyUs, long bytes) {
            long latency = Math.max(latencyUs, 0);
            count++;
            nbytes += bytes;
            total += latency;
            lowest = Math.min(lowest, latency);
            highest = Math.max(highest, latency);
            histogram.recordValue(Math.min(latency, HIGHEST_US));
            dirty = true;
        }

        /** Returns the fields, with times in ms. A percentile is limited to the exact maximum. */
        Map<String, FieldValue> fields() {
            Map<String, FieldValue> fields = FieldValue.map(
                    "count", count,
                    "bytes", nbytes,
                    "rt_sum", Units.msOfUs(total),
                    "rt_min", Units.msOfUs(lowest),
                    "rt_max", Units.msOfUs(highest));
            List<Long> values = percentilesUs(histogram, PERCENTILES);
            for (int i = 0; i < PERCENTILES.length; i++) {
                fields.put("p" + PERCENTILES[i], FieldValue.of(Units.msOfUs(Math.min(values.get(i), highest))));
            }
            fields.put("hdr", FieldValue.of(encode(histogram)));
            return fields;
        }

        /** Returns the highest latency of the bucket at rank ceil(p * n / 100), for whole rising percentiles. */
        static List<Long> percentilesUs(AbstractHistogram histogram, int... wanted) {
            List<Long> values = new ArrayList<>();
            long passed = 0;
            for (HistogramIterationValue step : histogram.recordedValues()) {
                passed += step.getCountAtValueIteratedTo();
                while (values.size() < wanted.length
                        && passed >= rank(wanted[values.size()], histogram.getTotalCount())) {
                    values.add(histogram.highestEquivalentValue(step.getValueIteratedTo()));
                }
            }
            return values;
        }

        /** The V2 compressed form in base64. */
        static String encode(AbstractHistogram histogram) {
            ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
            int length = histogram.encodeIntoCompressedByteBuffer(buffer);
            return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
        }

        private static long rank(int percent, long count) {
            return Math.max(1, (percent * count + 99) / 100);
        }
    }
}
