package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.EventKind;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.judge.Trust.WatchedFigure;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.Population;
import io.github.switchover.jmeter.run.ProbeAccount;
import io.github.switchover.jmeter.run.RequestCounts;
import io.github.switchover.jmeter.run.Run;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** What a reader should know, though the figures stand. */
final class Warnings {

    /** The baseline's rate may deviate by less than this from the one that was asked for (RFC 9411 section 7.3.3.3). */
    private static final double GATE_SHARE = 0.05;

    /** The 99th percentile of the send lag above which the probes were not evenly spaced any more. */
    private static final double LAG_MS = 1.5;

    private final RunData data;
    private final Run run;
    private final Set<String> warnings = new LinkedHashSet<>();

    private Warnings(RunData data) {
        this.data = data;
        this.run = data.run();
    }

    /** {@code first}: the outage; null without a metronome. */
    static List<String> of(RunData data, Outage first, Population population) {
        Warnings found = new Warnings(data);
        found.warnings.addAll(found.run.ending().warnings());
        found.run.ending().truncated().forEach(cut -> found.warnings.add(cut.text()));
        if (first != null) {
            found.lookAtOutage(first);
        }
        if (population != null) {
            found.lookAtRate(population);
            found.lookAtLag();
            if (population.whole().unsent() > 0) {
                found.warnings.add(
                        population.whole().unsent() + " probes could not be sent (client out of ports or files)");
            }
        }
        long ignored = data.unread().total();
        if (ignored > 0) {
            found.warnings.add(ignored + " lines of the run directory could not be read");
        }
        found.lookAtJournal();
        return List.copyOf(found.warnings);
    }

    /** Where no answer came for a while, though each came within the late threshold: no figure has that. */
    static List<String> unanswered(RunCourse course, long lateUs) {
        List<String> found = new ArrayList<>();
        List<Span> away = course.watched().stream()
                .flatMap(one -> Stream.concat(one.outage().gaps().stream(), one.outage().strays().stream()))
                .map(Gap::away)
                .toList();
        for (WatchedFigure one : course.watched()) {
            Outage outage = one.outage();
            long longestUs =
                    Unseen.longestUnanswered(course.fresh(), one.within(), away).lengthUs();
            if (longestUs > outage.resolutionUs() + Unseen.toleratedUs(outage.intervalUs())) {
                found.add(one.name() + ": no answer came for "
                        + Numbers.grouped((long) Math.rint(Units.msOfUs(longestUs)))
                        + " ms; each probe was answered within the late threshold ("
                        + Numbers.general(Units.msOfUs(lateUs))
                        + " ms), so no figure counts it");
            }
        }
        return found;
    }

    /** When a test is stopped, the generator ends one request of each user at most: that is no news. */
    static List<String> unsent(Population samples) {
        if (samples == null) {
            return List.of();
        }
        double users = samples.byPhase().values().stream()
                .map(counts -> counts.pace().users())
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(0);
        return samples.whole().unsent() <= Math.ceil(users)
                ? List.of()
                : List.of(samples.whole().unsent() + " requests were not sent, or were ended by the load generator");
    }

    private void lookAtOutage(Outage outage) {
        Double readMs = run.settings().probing().timeoutReadMs();
        if (!outage.gaps().isEmpty() && readMs != null && readMs * Units.US_PER_MS > outage.durationUs()) {
            warnings.add("the probes' read time-out (" + Numbers.general(readMs) + " ms) exceeds the outage: "
                    + "what hangs is answered late, so failures and the loss-derived figure are too low");
        }
        if (outage.longestStrayUs() > outage.durationUs()) {
            warnings.add("a later gap of " + Numbers.fixed(Units.msOfUs(outage.longestStrayUs()), 0)
                    + " ms is longer than the outage: it came after a clean window, and counts in the budget");
        }
    }

    private void lookAtRate(Population population) {
        RequestCounts baseline = population.byPhase().get(PhaseName.BASELINE.label());
        if (baseline == null) {
            return;
        }
        Double rate = run.settings().probing().probeRate();
        Double kept = run.settings().probing().keptRate();
        double asked = (rate == null ? 0 : rate) + (kept == null ? 0 : kept);
        if (baseline.pace().rate() != null && asked != 0) {
            double deviation = baseline.pace().rate() / asked - 1;
            if (Math.abs(deviation) >= GATE_SHARE) {
                String sign = deviation < 0 ? "" : "+";
                warnings.add("the baseline's rate was " + sign + Numbers.percent(deviation, 1) + " off the "
                        + Numbers.general(asked)
                        + "/s asked for (RFC 9411 section 7.3.3.3 allows less than 5 %)");
            }
        }
        if (baseline.late() > 0) {
            warnings.add(baseline.late() + " probes came late in the baseline");
        }
    }

    private void lookAtLag() {
        ProbeAccount account = run.evidence().generator();
        Double p99Ms = account.fresh().lags().lagP99Ms();
        if (p99Ms != null && p99Ms > LAG_MS) {
            String also =
                    Boolean.FALSE.equals(account.realtime()) ? ", and the metronome had no real-time scheduling" : "";
            warnings.add("probes were sent late (99th percentile " + Numbers.fixed(p99Ms, 1)
                    + " ms): the client's machine was busy" + also);
        }
    }

    /** What was warned about while the run went on; that the victim itself fell silent is the fault. */
    private void lookAtJournal() {
        FaultRun fault = run.fault();
        Long firedUs = run.plan().firedFromUs();
        for (Point point : data.points()) {
            if (!point.isEvent(EventKind.WARNING)) {
                continue;
            }
            String node = point.tags().get("node");
            boolean ofVictim = fault != null && node != null && node.equals(fault.victim());
            boolean sinceFault = firedUs != null && point.timeUs() >= firedUs;
            if (!(ofVictim && sinceFault)) {
                warnings.add(point.text("text"));
            }
        }
    }
}
