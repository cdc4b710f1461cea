package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.EventKind;
import io.github.switchover.jmeter.run.PlanTimes;

/** When what was done, in epoch microseconds; null: not yet. The journal tells of a heal once it is proved. */
public record Moments(Long startUs, Long firedUs, Long confirmedUs, Long healUs, Long healedUs, Long endUs) {

    static final Moments NONE = new Moments(null, null, null, null, null, null);

    /** By run.json, or by the journal's events where those come first. */
    static Moments of(PlanTimes plan, RunEvents events) {
        return new Moments(
                first(plan.startUs(), events.firstUs(EventKind.START)),
                first(plan.firedFromUs(), events.firstUs(EventKind.FAULT)),
                plan.confirmedUs(),
                first(plan.healFromUs(), events.firstUs(EventKind.HEAL)),
                first(plan.healedUs(), events.firstUs(EventKind.HEAL)),
                first(plan.endUs(), events.firstUs(EventKind.END)));
    }

    private static Long first(Long one, Long other) {
        return one != null ? one : other;
    }
}
