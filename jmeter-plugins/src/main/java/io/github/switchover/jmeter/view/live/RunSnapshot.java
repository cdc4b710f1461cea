package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.drill.RunResult;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.view.live.LiveTraffic.SecondCounts;
import io.github.switchover.jmeter.view.live.LiveTraffic.Share;
import io.github.switchover.jmeter.view.live.RunSnapshot.Holder;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The immutable state of a run at {@code nowUs}, for drawing on another thread. */
public record RunSnapshot(RunState state, long nowUs, TrafficSoFar traffic, List<Holder> nodes) {

    /** A node that may have the address; {@code observed}: a source reports on it. */
    public record Holder(String node, boolean observed, boolean holdsNow) {}

    /** A run of this JVM. */
    public record RunState(
            Path directory, Run run, @Nullable RunResult result) {}

    /** The answers of the run so far, by source. */
    public record TrafficSoFar(
            List<SecondCounts> seconds, List<Share> backends, List<Share> balancers, List<Share> answeredBy) {}

    public Run run() {
        return state.run;
    }

    public PlanTimes moments() {
        return state.run.plan();
    }

    public boolean isRunning() {
        return state.result == null && moments().endUs() == null;
    }

    /** Returns the nodes that have the address now, according to the sources. */
    public List<String> holding() {
        return nodes.stream().filter(Holder::holdsNow).map(Holder::node).toList();
    }

    /** Returns the first second that is shown. Without a Balancer Target, the load started before the run. */
    public long beginS() {
        long firstS = traffic.seconds.isEmpty()
                ? Long.MAX_VALUE
                : traffic.seconds.get(0).atS();
        long startS = moments().startUs() == null ? firstS : moments().startUs() / Units.US_PER_S;
        long newestS = nowUs / Units.US_PER_S;
        return Math.max(Math.min(Math.min(startS, firstS), newestS), newestS - LiveTraffic.KEEP_S);
    }
}
