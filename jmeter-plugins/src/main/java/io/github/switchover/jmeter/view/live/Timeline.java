package io.github.switchover.jmeter.view.live;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.LongFunction;

/**
 * Requests and probes per second: the last quarter of an hour second by second, what is older in longer stretches, so
 * that a run of days takes no more memory than one of hours. Not thread-safe.
 *
 * <p>Stretches of more than a second never reach over the border between two phases.
 */
final class Timeline {

    /** The newest seconds, which are kept one by one. */
    static final int KEEP_S = 900;

    /** The shortest stretch that older seconds are added up to; it doubles whenever there are too many of them. */
    static final int WIDE_S = 15;

    static final int WIDE_LIMIT = 480;

    private final TreeMap<Long, Stretch.Growing> seconds = new TreeMap<>();
    private List<Stretch.Growing> wide = new ArrayList<>();
    private long widthS = WIDE_S;

    /** More (or, where a total was corrected, fewer) requests of a series, or probes where that is null. */
    void count(long atS, Integer series, int outcome, long number) {
        stretch(atS).count(series, outcome, number);
    }

    /** Adds up what has become old; {@code phaseOf} tells the phase of a generation second. */
    void fold(LongFunction<String> phaseOf) {
        if (seconds.size() <= KEEP_S) {
            return;
        }
        long oldestKept = seconds.lastKey() - KEEP_S;
        while (!seconds.isEmpty() && seconds.firstKey() <= oldestKept) {
            fold(seconds.pollFirstEntry().getValue(), phaseOf);
        }
        while (wide.size() > WIDE_LIMIT) {
            widthS *= 2;
            List<Stretch.Growing> finer = wide;
            wide = new ArrayList<>();
            finer.forEach(stretch -> fold(stretch, phaseOf));
            if (wide.size() == finer.size()) {
                return; // as many phases as stretches: nothing is left to add up
            }
        }
    }

    /** All of them, in order of time. */
    List<Stretch> stretches() {
        List<Stretch> found = new ArrayList<>(wide.size() + seconds.size());
        wide.forEach(stretch -> found.add(stretch.told()));
        seconds.values().forEach(stretch -> found.add(stretch.told()));
        return List.copyOf(found);
    }

    private Stretch.Growing stretch(long atS) {
        Stretch.Growing known = seconds.get(atS);
        if (known != null) {
            return known;
        }
        if (!wide.isEmpty() && atS < wide.get(wide.size() - 1).told().endS()) {
            return wideAt(atS);
        }
        return seconds.computeIfAbsent(atS, Stretch.Growing::new);
    }

    /** The last one that begins at or before a second. */
    private Stretch.Growing wideAt(long atS) {
        int low = 0;
        int high = wide.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (wide.get(middle).atS <= atS) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return wide.get(low);
    }

    /** Into the last wide stretch if it belongs there, else into a new one behind it. */
    private void fold(Stretch.Growing stretch, LongFunction<String> phaseOf) {
        Stretch.Growing last = wide.isEmpty() ? null : wide.get(wide.size() - 1);
        if (last == null
                || Math.floorDiv(stretch.atS, widthS) > Math.floorDiv(last.atS, widthS)
                || !phaseOf.apply(stretch.atS).equals(phaseOf.apply(last.atS))) {
            last = new Stretch.Growing(stretch.atS);
            wide.add(last);
        }
        last.add(stretch);
    }
}
