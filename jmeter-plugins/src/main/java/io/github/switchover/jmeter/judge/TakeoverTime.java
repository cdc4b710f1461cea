package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.Run;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * By how much sources of ownership stamp their times too late: a balancer answers for the address only once it has it,
 * and the end of an answer is exact. Not thread-safe.
 */
final class TakeoverTime {

    private final String master;
    private final boolean isOfMaster;
    private final Span faulted;
    private final long lateUs;
    private Long firstGoodUs;

    TakeoverTime(Run run, Span faulted, long lateUs) {
        FaultRun fault = run.fault();
        isOfMaster = fault != null
                && fault.kind().equals(FaultRun.MASTER)
                && run.plan().firedFromUs() != null;
        master = fault == null || fault.master() == null ? "" : fault.master();
        this.faulted = faulted;
        this.lateUs = lateUs;
    }

    /** A probe, or a sample of the load, that may be the first good answer from another balancer. */
    void add(Sample request) {
        String balancer = request.identity().balancer();
        boolean isOther = !balancer.isEmpty() && !balancer.equals(master);
        if (isOfMaster
                && isOther
                && request.startUs() < faulted.toUs()
                && request.endUs() >= faulted.fromUs()
                && (firstGoodUs == null || request.endUs() < firstGoodUs)
                && Outcome.of(request, lateUs) == Outcome.GOOD) {
            firstGoodUs = request.endUs();
        }
    }

    /** The bound of the sources' times against each other; {@code clockUs}: of their clocks, null if unknown. */
    Long stampBoundUs(Long clockUs, Ownership ownership, List<Point> points) {
        return clockUs == null ? null : (Long) Math.max(clockUs, stampedLateUs(ownership, points));
    }

    /** Each source may be late and none early, so the earliest one tells when the address was taken. */
    private long stampedLateUs(Ownership ownership, List<Point> points) {
        if (!isOfMaster) {
            return 0;
        }
        Map<String, Long> owned = ownership.firstOwnedUs(master, faulted);
        String elected =
                owned.keySet().stream().min(Comparator.comparing(owned::get)).orElse("");
        Long electedUs = owned.get(elected);
        for (Point point : points) {
            long atUs = point.timeUs();
            String node = point.tag("node");
            boolean isAdvert = point.measurement().equals(Measurements.ADVERT)
                    && !node.equals(master)
                    && point.fields().get("priority") instanceof FieldValue.Whole priority
                    && priority.value() > 0;
            if (isAdvert && faulted.contains(atUs) && (electedUs == null || atUs < electedUs)) {
                elected = node;
                electedUs = atUs;
            }
        }
        if (electedUs == null) {
            return 0;
        }
        long byAdvertUs = owned.getOrDefault(elected, electedUs) - electedUs;
        boolean isAnswered = !master.isEmpty() && firstGoodUs != null;
        return byAdvertUs + (isAnswered ? Math.max(0, electedUs - firstGoodUs) : 0);
    }
}
