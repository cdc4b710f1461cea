package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Span;

/**
 * For how long a load had no good answer: what its users felt of an outage, apart from the probes. Not thread-safe.
 *
 * <p>The longest stretch without a good answer that ends after one time, up to another. With few users the usual time
 * between two answers is such a gap, too.
 */
final class LongestGap {

    private final long sinceUs;
    private final long untilUs;
    private final Values ends = new Values();

    LongestGap(long sinceUs, long untilUs) {
        this.sinceUs = sinceUs;
        this.untilUs = untilUs;
    }

    void add(Sample sample) {
        if (sample.success() && sample.endUs() <= untilUs) {
            ends.add(sample.endUs());
        }
    }

    /** From one good answer to the next; null where none came before: then nothing says that there ever was a service. */
    Span found() {
        ends.add(untilUs);
        Span longest = null;
        long[] ranked = ends.ranked();
        for (int i = 1; i < ranked.length; i++) {
            Span gap = new Span(ranked[i - 1], ranked[i]);
            if (gap.toUs() > sinceUs && (longest == null || gap.lengthUs() > longest.lengthUs())) {
                longest = gap;
            }
        }
        return longest;
    }
}
