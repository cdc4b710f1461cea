package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.judge.ChangeEffect.SeenChange;
import io.github.switchover.jmeter.run.ChangeRun;
import io.github.switchover.jmeter.run.ReasonCode;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.VerdictReason;
import java.util.ArrayList;
import java.util.List;

/** Changes that were not proved, not taken back or without effect; and what had failed before the first. */
final class ChangeReasons {

    private ChangeReasons() {}

    static List<VerdictReason> of(RunData data, RunCourse course, RunCounts counts) {
        Run run = data.run();
        List<ChangeRun> made = run.plan().changesMade();
        if (run.change() == null || made.isEmpty()) {
            return List.of();
        }
        List<VerdictReason> reasons = new ArrayList<>();
        for (ChangeRun change : made) {
            String name = "change " + change.number() + ", " + run.change().name();
            String why = CourseReasons.because(change.error());
            if (change.making().confirmedUs() == null) {
                reasons.add(VerdictReason.of(ReasonCode.NOT_CONFIRMED, "fault", name, "why", why));
            } else if (change.undoing().undoFromUs() != null && change.undoing().undoneUs() == null) {
                reasons.add(VerdictReason.of(ReasonCode.NOT_HEALED, "fault", name, "why", why));
            } else if (change.error() != null) {
                reasons.add(VerdictReason.of(ReasonCode.FAULT_ERROR, "why", change.error()));
            }
        }
        reasons.addAll(ofEffect(
                run.change().name(), new ChangeEffect(made, run.change(), data.points()).seen(course.endUs())));
        if (counts.before().samples().exceeds(Trust.LOAD_SHARE)) {
            reasons.add(counts.before().samples().reason(ReasonCode.LOAD_FAILED_BEFORE));
        }
        if (counts.before().probes().exceeds(0)) {
            reasons.add(counts.before().probes().reason(ReasonCode.FAILED_BEFORE));
        }
        return reasons;
    }

    private static List<VerdictReason> ofEffect(String name, List<SeenChange> seen) {
        List<SeenChange> denied =
                seen.stream().filter(one -> Boolean.FALSE.equals(one.seen())).toList();
        if (!denied.isEmpty()) {
            SeenChange first = denied.get(0);
            String times = denied.size() + " of " + seen.size() + " times, the first of them change "
                    + first.change().number() + ", as its witnesses say (" + first.denied() + ")";
            return List.of(VerdictReason.of(ReasonCode.NO_EFFECT, "fault", name, "seen", times));
        }
        return seen.stream().anyMatch(one -> Boolean.TRUE.equals(one.seen()))
                ? List.of()
                : List.of(VerdictReason.of(ReasonCode.UNWITNESSED, "fault", name));
    }
}
