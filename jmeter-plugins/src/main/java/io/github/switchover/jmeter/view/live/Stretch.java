package io.github.switchover.jmeter.view.live;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * What ended within some seconds.
 *
 * @param atS its first second, generation
 * @param bySeries requests, by the number of their series
 */
public record Stretch(
        long atS, long widthS, EndedCounts requests, EndedCounts probes, Map<Integer, EndedCounts> bySeries) {

    public long endS() {
        return atS + widthS;
    }

    /** The same as it grows. Not thread-safe. */
    static final class Growing {

        final long atS;
        long widthS = 1;
        private final long[] requests = new long[EndedCounts.PLACES];
        private final long[] probes = new long[EndedCounts.PLACES];
        private final Map<Integer, long[]> bySeries = new TreeMap<>();
        private Stretch told;

        Growing(long atS) {
            this.atS = atS;
        }

        /** {@code series}: null for probes. */
        void count(Integer series, int outcome, long number) {
            told = null;
            if (series == null) {
                probes[outcome] += number;
                return;
            }
            requests[outcome] += number;
            bySeries.computeIfAbsent(series, added -> new long[EndedCounts.PLACES])[outcome] += number;
        }

        void add(Growing other) {
            told = null;
            add(requests, other.requests);
            add(probes, other.probes);
            other.bySeries.forEach((series, counts) ->
                    add(bySeries.computeIfAbsent(series, added -> new long[EndedCounts.PLACES]), counts));
            widthS = other.atS + other.widthS - atS;
        }

        /** As it is now; the same object until something is counted. */
        Stretch told() {
            if (told == null) {
                Map<Integer, EndedCounts> found = new TreeMap<>();
                bySeries.forEach((series, counts) -> found.put(series, EndedCounts.of(counts)));
                told = new Stretch(
                        atS,
                        widthS,
                        EndedCounts.of(requests),
                        EndedCounts.of(probes),
                        Collections.unmodifiableMap(found));
            }
            return told;
        }

        private static void add(long[] total, long[] more) {
            for (int index = 0; index < total.length; index++) {
                total[index] += more[index];
            }
        }
    }
}
