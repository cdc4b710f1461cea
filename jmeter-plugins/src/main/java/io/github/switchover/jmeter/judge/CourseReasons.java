package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.EventKind;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.ReasonCode;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.VerdictReason;
import io.github.switchover.jmeter.run.WitnessCheck;
import io.github.switchover.jmeter.run.WitnessCheck.Effect;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What became of the plan: was the fault fired, did it have an effect, was it healed, is the pair as before? */
final class CourseReasons {

    /** With this word a run that has no {@code stopped} says in its fault's error that it was stopped. */
    private static final String INTERRUPTED = "interrupted";

    private final Run run;
    private final List<Point> points;
    private final List<VerdictReason> reasons = new ArrayList<>();

    private CourseReasons(Run run, List<Point> points) {
        this.run = run;
        this.points = points;
    }

    /** In the order of the plan. {@code effect} and {@code pair} may be null; the points are in order of time. */
    static List<VerdictReason> of(Run run, List<Point> points, Effect effect, PairCheck pair) {
        CourseReasons found = new CourseReasons(run, points);
        found.look(effect, pair);
        return found.reasons;
    }

    private void look(Effect effect, PairCheck pair) {
        FaultRun fault = run.fault();
        PlanTimes plan = run.plan();
        String error = fault == null || fault.error() == null ? "" : fault.error();
        String why = run.ending().stopped().isEmpty() && error.startsWith(INTERRUPTED)
                ? error
                : run.ending().stopped();
        if (!why.isEmpty()) {
            add(ReasonCode.STOPPED, "why", why);
            error = error.equals(why) ? "" : error;
        }
        boolean refused = plan.startUs() == null && !error.isEmpty();
        if ((plan.startUs() == null || plan.endUs() == null) && !refused) {
            add(ReasonCode.NO_END);
        }
        if (fault == null || fault.isNone()) {
            lookAtUnstaged(error);
        } else if (plan.firedFromUs() != null) {
            lookAtEffect(fault, error, effect);
            lookAtHeal(fault, error, pair);
        } else if (!run.ending().rehearsed()) {
            addNotFired(fault.name(), error);
        } else if (!error.isEmpty()) {
            add(ReasonCode.FAULT_ERROR, "why", error);
        }
    }

    /** No fault was staged. One that was to be fired by itself was refused, or was never due: armed may be forgotten. */
    private void lookAtUnstaged(String error) {
        String planned = run.settings().firing().faultPlanned();
        if (planned != null && !run.ending().rehearsed()) {
            addNotFired(planned, error.isEmpty() ? whyNotDue() : error);
        } else if (!error.isEmpty()) {
            add(ReasonCode.FAULT_ERROR, "why", error);
        }
    }

    /** A refusal begins as this reason does: it is not said twice. */
    private void addNotFired(String name, String why) {
        String refusal = name + " does not fire: ";
        String rest = why.startsWith(refusal) ? why.substring(refusal.length()) : why;
        add(ReasonCode.NOT_FIRED, "fault", name, "why", because(rest));
    }

    private String whyNotDue() {
        Double atS = run.settings().firing().faultAtS();
        PlanTimes plan = run.plan();
        if (atS == null || plan.startUs() == null || plan.endUs() == null) {
            return "";
        }
        double lastedS = Units.secondsOfUs(plan.endUs() - plan.startUs());
        return atS <= lastedS
                ? ""
                : "it was due after " + Numbers.general(atS) + " s, and the run ended after "
                        + Numbers.fixed(lastedS, 1) + " s";
    }

    /** A witness that contradicts a command wins. */
    private void lookAtEffect(FaultRun fault, String error, Effect effect) {
        if (effect != null && Boolean.FALSE.equals(effect.seen())) {
            add(ReasonCode.NO_EFFECT, "fault", fault.name(), "seen", denials(effect.checks()));
        } else if (run.plan().confirmedUs() == null) {
            add(ReasonCode.NOT_CONFIRMED, "fault", fault.name(), "why", because(error));
        } else if (effect != null && effect.seen() == null) {
            add(ReasonCode.UNWITNESSED, "fault", fault.name());
        }
    }

    private void lookAtHeal(FaultRun fault, String error, PairCheck pair) {
        if (run.plan().healedUs() == null) {
            String by = healedBy(fault.name());
            if (by.isEmpty()) {
                add(ReasonCode.NOT_HEALED, "fault", fault.name(), "why", because(error));
            } else {
                add(ReasonCode.HEALED_BY_OTHERS, "fault", fault.name(), "by", by, "why", because(error));
            }
            return;
        }
        if (!error.isEmpty() && run.plan().confirmedUs() != null) {
            add(ReasonCode.FAULT_ERROR, "why", error);
        }
        String broken = pair == null ? "" : denials(pair.healed());
        if (!broken.isEmpty()) {
            add(ReasonCode.STILL_BROKEN, "fault", fault.name(), "seen", broken);
        }
        String changed = pair == null ? "" : denials(pair.others());
        if (!changed.isEmpty()) {
            add(ReasonCode.NOT_WHOLE, "seen", changed);
        }
    }

    /** What healed it after its kill command, where the run itself did not: the watchdog, say; empty: nothing did. */
    private String healedBy(String fault) {
        PlanTimes plan = run.plan();
        long firedUs = plan.firedToUs() == null ? plan.firedFromUs() : plan.firedToUs();
        String begin = fault + ": healed by ";
        return points.stream()
                .filter(point -> point.isEvent(EventKind.HEAL) && point.timeUs() >= firedUs)
                .map(point -> point.text("text"))
                .filter(text -> text.startsWith(begin))
                .reduce("", (earlier, text) -> text.substring(begin.length()));
    }

    private static String denials(List<WitnessCheck> checks) {
        return checks.stream()
                .filter(check -> Boolean.FALSE.equals(check.holds()))
                .map(WitnessCheck::text)
                .collect(Collectors.joining("; "));
    }

    /** What stands behind the text of a reason, if anything is known. */
    static String because(String why) {
        return why == null || why.isEmpty() ? "" : ": " + why;
    }

    private void add(ReasonCode code, Object... figures) {
        reasons.add(VerdictReason.of(code, figures));
    }
}
