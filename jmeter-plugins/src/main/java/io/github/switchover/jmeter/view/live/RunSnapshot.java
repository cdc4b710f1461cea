package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.view.live.LiveAddress.Holder;
import io.github.switchover.jmeter.view.live.LiveTraffic.SecondCounts;
import io.github.switchover.jmeter.view.live.LiveTraffic.Share;
import java.util.List;
import java.util.Optional;

/**
 * Everything that the view shows of a run at one moment. It is immutable, so that it can be drawn while the next one
 * is made.
 *
 * @param run as run.json has it
 * @param moments the times of the run's events
 * @param nowUs the time up to which it is known
 * @param nodes the owners of the address
 * @param events of the journal, the newest last
 * @param verdict empty before the run was judged
 */
public record RunSnapshot(
        Run run,
        PlanTimes moments,
        long nowUs,
        TrafficSoFar traffic,
        List<Holder> nodes,
        List<RunEvent> events,
        Optional<ShownVerdict> verdict) {

    /** The answers of the run so far, by source. */
    public record TrafficSoFar(
            List<SecondCounts> seconds, List<Share> backends, List<Share> balancers, List<Share> answeredBy) {}

    /** One event of the journal. */
    public record RunEvent(long atUs, String kind, String text) {}

    /**
     * The verdict as the judge wrote it into verdict.json.
     *
     * @param lines its summary, the status first; empty if {@code switchover report} has replaced the file
     * @param goodUs when the service was back after the fault, and after the heal
     */
    public record ShownVerdict(String status, boolean isPassed, List<String> lines, List<Long> goodUs) {}

    public boolean isRunning() {
        return verdict.isEmpty() && moments.endUs() == null;
    }

    /** The nodes that hold the address now, as far as a source has reported. */
    public List<String> holding() {
        return nodes.stream().filter(Holder::holdsNow).map(Holder::node).toList();
    }

    /** The first second that is shown. Without a Balancer Target the load was there before the run. */
    public long beginS() {
        long firstS = traffic.seconds.isEmpty()
                ? Long.MAX_VALUE
                : traffic.seconds.get(0).atS();
        long startS = moments.startUs() == null ? firstS : moments.startUs() / Units.US_PER_S;
        long newestS = nowUs / Units.US_PER_S;
        return Math.max(Math.min(Math.min(startS, firstS), newestS), newestS - LiveTraffic.KEEP_S);
    }
}
