package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.EventKind;
import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.PointParser;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.judge.SplitBrain;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.PlanTimes.FaultTimes;
import io.github.switchover.jmeter.run.PlanTimes.HealTimes;
import io.github.switchover.jmeter.run.Run;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What has been seen of one run: traffic as it is counted, and what others wrote into its directory. Nothing here throws
 * for what stands in a line: what cannot be read is passed over. Not thread-safe.
 */
final class ObservedRun {

    /** A second that lies further in the future is a clock that is wrong, and would push everything else out. */
    static final long AHEAD_S = 60;

    private static final String HAPROXY = Measurements.HAPROXY + ",";
    private static final int NAMES_LIMIT = 256;

    private final Path path;
    private final RunEvents events = new RunEvents();
    private final AddressHolders holders = new AddressHolders();
    private final SeriesNumbers series = new SeriesNumbers();
    private final TrafficLines traffic = new TrafficLines(series);
    private final Map<String, Double> haproxyWeights = new TreeMap<>();
    private Timeline timeline = new Timeline();
    private PhasesSoFar phases = PhasesSoFar.NONE;
    private Run run;
    private long beginS;

    ObservedRun(Path path) {
        this.path = path;
    }

    /** As run.json describes it by now. */
    void describe(Run described) {
        run = described;
    }

    Run run() {
        return run;
    }

    /** By run.json, or by the journal's events where those come first: of a heal they tell once it is proved. */
    PlanTimes moments() {
        PlanTimes plan = run == null ? PlanTimes.NOTHING : run.plan();
        return new PlanTimes(
                first(plan.startUs(), EventKind.START),
                new FaultTimes(first(plan.firedFromUs(), EventKind.FAULT), plan.firedToUs(), plan.confirmedUs()),
                new HealTimes(
                        first(plan.healFromUs(), EventKind.HEAL),
                        plan.healToUs(),
                        first(plan.healedUs(), EventKind.HEAL)),
                first(plan.endUs(), EventKind.END));
    }

    private Long first(Long planned, EventKind kind) {
        return planned != null ? planned : events.firstUs(kind);
    }

    /** Forgets what was counted until now, but not what happened. */
    void clear(long nowS) {
        timeline = new Timeline();
        beginS = nowS;
    }

    /** A line of a journal. */
    void read(String line, long nowS) {
        if (line.startsWith(Measurements.REQUESTS) || line.startsWith(Measurements.PROBES)) {
            TrafficLines.Addition added = traffic.read(line);
            if (added != null && added.atS() <= nowS + AHEAD_S && added.atS() >= beginS) {
                add(added);
            }
        } else {
            readOther(line);
        }
    }

    private void readOther(String line) {
        if (line.startsWith(HAPROXY)) {
            readWeight(line);
        } else if (line.startsWith(Measurements.EVENT) || line.startsWith(Measurements.VRRP)) {
            Point point = point(line);
            if (point != null && point.measurement().equals(Measurements.EVENT)) {
                events.read(point);
            } else if (point != null && point.measurement().equals(Measurements.VRRP)) {
                holders.read(point);
            }
        }
    }

    /** Adds up what is old, and forgets what can no longer be corrected. */
    void settle(long nowS) {
        phases = PhasesSoFar.of(timeline.stretches(), moments());
        timeline.fold(atS -> phases.phases().isEmpty()
                ? ""
                : phases.phases().get(phases.indexAt(atS)).name().label());
        traffic.forget(nowS);
    }

    /** Without a Balancer Target a run starts when its first sample has ended: the load was there before. */
    private static long firstS(long startUs, List<Stretch> stretches) {
        long startS = startUs / Units.US_PER_S;
        return stretches.isEmpty() ? startS : Math.min(startS, stretches.get(0).atS());
    }

    /** {@code verdict}: null before the run was judged. */
    RunSnapshot snapshot(RunSnapshot.RunState state, long nowUs, ShownVerdict verdict) {
        PlanTimes moments = moments();
        long untilUs = state == RunSnapshot.RunState.RUNNING || moments.endUs() == null ? nowUs : moments.endUs();
        List<Stretch> stretches = timeline.stretches();
        List<AnswerSource> who = series.listed();
        Shares shares = new Shares(who, stretches);
        List<String> balancers = run == null ? List.of() : run.target().balancers();
        List<AddressHolder> nodes = holders.nodes(balancers, untilUs);
        long startUs = moments.startUs() == null ? 0 : moments.startUs();
        SplitBrain split = holders.splitBrain(balancers, startUs, untilUs);
        return new RunSnapshot(
                state,
                ShownRun.of(path, run),
                new RunSnapshot.ShownTime(moments, Math.max(beginS, firstS(startUs, stretches)), untilUs),
                new RunSnapshot.TrafficSoFar(
                        stretches,
                        who,
                        shares.backends(weights()),
                        shares.balancers(),
                        shares.answeredBy(),
                        shares.byPhase(phases)),
                new RunSnapshot.AddressSoFar(
                        nodes,
                        holders.now(),
                        split == null ? null : (Double) Units.msOfUs(split.totalUs()),
                        holders.partial(),
                        split == null ? List.of() : split.overlaps()),
                new RunSnapshot.NotedEvents(Marks.of(moments, nodes, phases.goodUs(), verdict), events.listed()),
                verdict);
    }

    /** By backend: as the run's settings say, or HAProxy. */
    private Map<String, Double> weights() {
        Map<String, Double> named =
                run == null ? null : run.settings().balancing().weights();
        return named == null || named.isEmpty() ? Map.copyOf(haproxyWeights) : named;
    }

    private void add(TrafficLines.Addition added) {
        timeline.count(added.atS(), added.series(), added.outcome(), added.number());
    }

    /** The first that a server's line tells: the weight that it began with. */
    private void readWeight(String line) {
        int end = LineParts.seriesEnd(line);
        if (line.indexOf(",type=server", 0) < 0 || line.indexOf(",type=server", 0) > end) {
            return;
        }
        Long weight = LineParts.wholeField(line, end, "weight");
        Point point = weight == null ? null : point(line.substring(0, end) + " weight=1i 0");
        String server = point == null ? "" : point.tag("server");
        if (!server.isEmpty() && haproxyWeights.size() < NAMES_LIMIT) {
            haproxyWeights.putIfAbsent(server, weight.doubleValue());
        }
    }

    private static Point point(String line) {
        try {
            return PointParser.parse(line);
        } catch (IllegalArgumentException error) {
            return null;
        }
    }
}
