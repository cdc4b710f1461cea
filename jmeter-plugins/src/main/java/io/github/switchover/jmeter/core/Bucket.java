package io.github.switchover.jmeter.core;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.HistogramIterationValue;
import org.HdrHistogram.PackedHistogram;

/** One second of one series; times in µs. Packed, because most seconds see a few dozen different latencies. */
final class Bucket {

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
        Map<String, FieldValue> fields = new LinkedHashMap<>();
        fields.put("count", FieldValue.of(count));
        fields.put("bytes", FieldValue.of(nbytes));
        fields.put("rt_sum", milliseconds(total));
        fields.put("rt_min", milliseconds(lowest));
        fields.put("rt_max", milliseconds(highest));
        List<Long> values = percentilesUs(histogram, PERCENTILES);
        for (int i = 0; i < PERCENTILES.length; i++) {
            fields.put("p" + PERCENTILES[i], milliseconds(Math.min(values.get(i), highest)));
        }
        fields.put("hdr", FieldValue.of(encode(histogram)));
        return fields;
    }

    /**
     * For each whole percentile, in rising order, the highest latency of the bucket that holds its value: the one at
     * rank ceil(p * n / 100) of n. HdrHistogram's own rounding differs between its languages.
     */
    static List<Long> percentilesUs(AbstractHistogram histogram, int... wanted) {
        List<Long> found = new ArrayList<>();
        long passed = 0;
        for (HistogramIterationValue step : histogram.recordedValues()) {
            passed += step.getCountAtValueIteratedTo();
            while (found.size() < wanted.length && passed >= rank(wanted[found.size()], histogram.getTotalCount())) {
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

    private static FieldValue milliseconds(long microseconds) {
        return FieldValue.of(Units.msOfUs(microseconds));
    }
}
