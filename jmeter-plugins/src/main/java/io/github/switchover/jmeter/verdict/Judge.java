package io.github.switchover.jmeter.verdict;

import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Point.EventKind;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.verdict.Limit.LimitResult;
import io.github.switchover.jmeter.verdict.Verdict.Status;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Judges a run: the outage, the failures, split brain, the limits, and the validity of all of them. */
public final class Judge {

    /** The time after the heal, or after the failback, in which the pair may still change. */
    public static final long SETTLED_US = 5_000_000;

    public static Verdict judge(RunData data) {
        Run run = data.run();
        RunCourse course = RunCourse.of(data);
        Ownership ownership = Ownership.of(data.points());
        SplitBrain splitBrain = SplitBrain.of(course, ownership);
        List<LimitResult> results = new LimitCheck(course, splitBrain).check(Limit.all(run.limits()));
        boolean isAsked = results.stream().anyMatch(result -> !result.limit().isDefault());
        Status fine = run.isDryRun() ? Status.DRY_RUN : isAsked ? Status.PASSED : Status.MEASURED;
        Tree distribution = Tree.of("by_phase", Tree.EMPTY);
        for (String name : List.of("algorithm", "turns", "chi_square", "sessions", "sessions_moved")) {
            distribution = distribution.with(name, null);
        }
        Tree figures = Tree.of("schema", Verdict.SCHEMA, "run", run.id(), "distribution", distribution);
        for (String name : List.of("prediction", "confirmation", "restoration", "timeline", "load", "accounting")) {
            figures = figures.with(name, null); // only `switchover report` computes this value
        }
        for (Tree part : List.of(course.figures(), SplitBrain.figures(splitBrain))) {
            for (String name : part.names()) {
                figures = figures.with(name, part.json().get(name));
            }
        }
        return new Verdict(fine, Reasons.of(course, results, ownership), warnings(course), results, figures);
    }

    private static List<String> warnings(RunCourse course) {
        Set<String> warnings = new LinkedHashSet<>(course.run().tree().texts("warnings"));
        long ignored = course.data().unreadLines();
        if (ignored > 0) {
            warnings.add(ignored + " lines of the run directory could not be read");
        }
        long unsent = course.counts().probes().whole().unsent();
        if (unsent > 0) {
            warnings.add(unsent + " probes could not be sent: the client machine had no free ports or descriptors");
        }
        String victim = course.run().fault().victim();
        for (Point point : course.data().points()) {
            // The fault causes failures of the victim's sources, so warnings about these failures are omitted.
            boolean isOfVictim = point.tag("node").equals(victim)
                    && course.isFired()
                    && point.timeUs() >= course.faulted().fromUs();
            if (point.isEvent(EventKind.WARNING) && !isOfVictim) {
                warnings.add(point.text("text"));
            }
        }
        return new ArrayList<>(warnings);
    }
}
