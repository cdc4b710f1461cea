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

/**
 * Buckets of a second by end time and of a tag set. Thread-safe.
 *
 * <p>A bucket is emitted once it has ended. A sample that comes later emits it again with its full total, so that the
 * last point wins. Buckets are dropped some time after they ended, and samples for a dropped bucket are ignored.
 */
public final class Traffic {

    /** Seconds that a bucket waits for late samples after it was due. JMeter holds batches for up to 60 s. */
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

    /**
     * Requests that are counted together, as {@link #series} returns them. It caches its latest bucket, which mostly
     * is the next one, too.
     */
    public static final class Series {

        private final String line;
        private long second = Long.MIN_VALUE;
        private Bucket bucket;

        private Series(String line) {
            this.line = line;
        }
    }

    /** The series of those tags, for {@link #add}; an empty tag equals a missing one. */
    public Series series(Map<String, String> tags) {
        return series.get(Map.copyOf(tags));
    }

    private Series makeSeries(Map<String, String> tags) {
        Map<String, String> all = new HashMap<>(tags);
        all.putAll(ownTags);
        return new Series(PointFormat.formatSeries(measurement, all));
    }

    /** Counts one request, times in µs; empty tags are as good as none. */
    public void add(long endUs, long latencyUs, long nbytes, Map<String, String> tags) {
        add(endUs, latencyUs, nbytes, series(tags));
    }

    /** Counts one request, times in µs, in a series of this traffic. */
    public synchronized void add(long endUs, long latencyUs, long nbytes, Series series) {
        long second = Math.floorDiv(endUs, Units.US_PER_S);
        if (second < oldestS) {
            return;
        }
        if (series.second != second) {
            series.bucket = seconds.computeIfAbsent(second, s -> new HashMap<>())
                    .computeIfAbsent(series.line, s -> new Bucket());
            series.second = second;
        }
        if (!series.bucket.dirty) {
            dirty.add(second);
        }
        series.bucket.add(latencyUs, nbytes);
    }

    /** The lines of all buckets that ended before that time and have changed, in order of time and series. */
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

    /** One second of one series; times in µs. Packed, because most seconds see a few dozen different latencies. */
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

        /** Times in ms. A percentile is never above the exact maximum, though its bucket may reach further. */
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

        /**
         * Returns the highest latency of the bucket of each whole percentile, which must be in rising order. The
         * percentile's value is the one at rank ceil(p * n / 100) of n. HdrHistogram's rounding differs between its
         * languages.
         */
        static List<Long> percentilesUs(AbstractHistogram histogram, int... wanted) {
            List<Long> found = new ArrayList<>();
            long passed = 0;
            for (HistogramIterationValue step : histogram.recordedValues()) {
                passed += step.getCountAtValueIteratedTo();
                while (found.size() < wanted.length
                        && passed >= rank(wanted[found.size()], histogram.getTotalCount())) {
                    found.add(histogram.highestEquivalentValue(step.getValueIteratedTo()));
                }
            }
            return found;
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
