package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.EventKind;
import io.github.switchover.jmeter.run.Plan;

/** When what was done, in epoch microseconds; null: not yet. The journal tells of a heal once it is proved. */
public record Moments(Long startUs, Long firedUs, Long confirmedUs, Long healUs, Long healedUs, Long endUs) {

    static final Moments NONE = new Moments(null, null, null, null, null, null);

    /** By run.json, or by the journal's events: whoever knows first. */
    static Moments of(Plan plan, Happenings happenings) {
        return new Moments(
                first(plan.startUs(), happenings.firstUs(EventKind.START)),
                first(plan.firedFromUs(), happenings.firstUs(EventKind.FAULT)),
                plan.confirmedUs(),
                first(plan.healFromUs(), happenings.firstUs(EventKind.HEAL)),
                first(plan.healedUs(), happenings.firstUs(EventKind.HEAL)),
                first(plan.endUs(), happenings.firstUs(EventKind.END)));
    }

    private static Long first(Long one, Long other) {
        return one != null ? one : other;
    }
}
