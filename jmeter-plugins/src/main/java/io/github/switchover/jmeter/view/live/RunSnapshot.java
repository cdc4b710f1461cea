package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.PlanTimes;
import java.util.List;
import java.util.Map;

/**
 * All that is shown of a run at one moment; immutable, so that it can be drawn while the next one is made.
 *
 * @param state what is known of the run by now
 * @param verdict null before the run was judged
 */
public record RunSnapshot(
        RunState state,
        ShownRun run,
        ShownTime time,
        TrafficSoFar traffic,
        AddressSoFar address,
        NotedEvents noted,
        ShownVerdict verdict) {

    /** What is known of the run by now. */
    public enum RunState {
        RUNNING,
        ENDED,
        JUDGED
    }

    /**
     * When.
     *
     * @param beginS the first second that is shown
     * @param nowUs the time up to which it is known
     */
    public record ShownTime(PlanTimes moments, long beginS, long nowUs) {

        /** From when on the seconds into the run are counted. */
        public double startS() {
            return moments.startUs() == null ? beginS : Units.secondsOfUs(moments.startUs());
        }
    }

    /**
     * Who answered what.
     *
     * @param sources by number of the series in the stretches
     * @param answeredBy requests by who answered them
     */
    public record TrafficSoFar(
            List<Stretch> stretches,
            List<AnswerSource> sources,
            List<Share> backends,
            List<Share> balancers,
            Map<String, Long> answeredBy,
            List<PhaseCounts> phases) {}

    /**
     * Who held the address.
     *
     * @param splitBrainMs null: not every balancer has a source
     * @param splitPartial older moves of the address than are kept may have added to it
     */
    public record AddressSoFar(
            List<AddressHolder> nodes,
            List<String> holding,
            Double splitBrainMs,
            boolean splitPartial,
            List<Span> splits) {}

    /** What happened. */
    public record NotedEvents(List<Mark> marks, List<RunEvent> events) {}

    /** The phase that the run is in, or ended in. */
    public String phase() {
        return traffic.phases.isEmpty()
                ? ""
                : traffic.phases.get(traffic.phases.size() - 1).phase();
    }

    public boolean probed() {
        return traffic.stretches.stream().anyMatch(stretch -> stretch.probes().total() > 0);
    }
}
