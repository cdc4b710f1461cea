package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.ReasonCode;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.VerdictReason;
import java.util.ArrayList;
import java.util.List;

/** What became of the plan: was the fault fired, confirmed and healed, and is the pair as before? */
final class CourseReasons {

    /** With this word a run that has no {@code stopped} says in its fault's error that it was stopped. */
    private static final String INTERRUPTED = "interrupted";

    private final Run run;
    private final List<VerdictReason> reasons = new ArrayList<>();

    private CourseReasons(Run run) {
        this.run = run;
    }

    /** In the order of the plan; {@code proof}: null where nothing was fired, or a file is damaged. */
    static List<VerdictReason> of(Run run, FaultProof proof) {
        CourseReasons found = new CourseReasons(run);
        found.look(proof);
        return found.reasons;
    }

    private void look(FaultProof proof) {
        FaultRun fault = run.fault();
        PlanTimes plan = run.plan();
        String error = fault == null || fault.error() == null ? "" : fault.error();
        String stopped = run.ending().stopped();
        String why = stopped.isEmpty() && error.startsWith(INTERRUPTED) ? error : stopped;
        if (!why.isEmpty()) {
            add(ReasonCode.STOPPED, "why", why);
            error = error.equals(why) ? "" : error;
        }
        boolean isRefused = plan.startUs() == null && !error.isEmpty();
        if ((plan.startUs() == null || plan.endUs() == null) && !isRefused) {
            add(ReasonCode.NO_END);
        }
        boolean isStaged = fault != null && !fault.isNone();
        String planned = isStaged ? fault.name() : run.settings().firing().faultPlanned();
        if (isStaged && plan.firedFromUs() != null) {
            lookAtFault(fault, error, proof);
        } else if (planned != null && !run.ending().dryRun()) {
            String refusal = planned + " does not fire: ";
            String rest = error.startsWith(refusal) ? error.substring(refusal.length()) : error;
            add(ReasonCode.NOT_FIRED, "fault", planned, "why", because(rest));
        } else if (!error.isEmpty()) {
            add(ReasonCode.FAULT_ERROR, "why", error);
        }
    }

    private void lookAtFault(FaultRun fault, String error, FaultProof proof) {
        boolean isHealed = run.plan().healedUs() != null;
        boolean isProved = run.plan().confirmedUs() != null;
        if (!isProved) {
            add(ReasonCode.NOT_CONFIRMED, "fault", fault.name(), "why", because(error));
        } else if (proof != null && !proof.isConfirmed()) {
            needsReport("nothing here shows that " + fault.name() + " had an effect");
        }
        if (!isHealed) {
            add(ReasonCode.NOT_HEALED, "fault", fault.name(), "why", because(error));
            return;
        }
        if (!error.isEmpty() && isProved) {
            add(ReasonCode.FAULT_ERROR, "why", error);
        }
        if (proof != null && run.plan().endUs() != null && !proof.isRestored()) {
            needsReport("the pair is not known to be as it was before " + fault.name());
        }
    }

    private void needsReport(String what) {
        add(ReasonCode.NEEDS_REPORT, "what", what, "run", run.id());
    }

    /** What stands behind the text of a reason, if anything is known. */
    static String because(String why) {
        return why == null || why.isEmpty() ? "" : ": " + why;
    }

    private void add(ReasonCode code, Object... figures) {
        reasons.add(VerdictReason.of(code, figures));
    }
}
