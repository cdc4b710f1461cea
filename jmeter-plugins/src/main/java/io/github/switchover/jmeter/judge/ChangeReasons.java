package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.run.ChangeRun;
import io.github.switchover.jmeter.run.ReasonCode;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.VerdictReason;
import java.util.ArrayList;
import java.util.List;

/**
 * Changes that were not proved, or not taken back. Whether a proved one took effect, by scrapes, {@code switchover
 * report} tells.
 */
final class ChangeReasons {

    private ChangeReasons() {}

    static List<VerdictReason> of(Run run) {
        List<VerdictReason> reasons = new ArrayList<>();
        if (run.change() == null) {
            return reasons;
        }
        for (ChangeRun change : run.plan().changesMade()) {
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
        return reasons;
    }
}
