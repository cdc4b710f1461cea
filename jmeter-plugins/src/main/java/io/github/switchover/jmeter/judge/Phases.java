package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.run.OutageKind;
import io.github.switchover.jmeter.run.PlanTimes;
import java.util.ArrayList;
import java.util.List;

/** The phases of a run, and what belongs to each. */
public final class Phases {

    /** The end of a phase that has none yet. */
    public static final long PRESENT_US = Long.MAX_VALUE;

    private Phases() {}

    /**
     * The phases that the run had. A run without a fault is one baseline; one without a heal ends on backup.
     *
     * <p>Where no probe was impaired, the switchover (or failback) lasts one stability window from the fault (or the heal):
     * that long it was watched before it could be called clean. Where there were no probes, nothing says when it was
     * clean: it lasts until the heal, and the failback until the end.
     *
     * @param outage null: there were no probes
     * @param beginUs when the first request was due, null if unknown: the generator starts a moment after the run does
     */
    public static List<Phase> of(PlanTimes plan, Outage outage, Outage failback, Long beginUs) {
        if (plan.startUs() == null || plan.endUs() == null) {
            return List.of();
        }
        long baselineEndUs = plan.firedFromUs() == null ? plan.endUs() : plan.firedFromUs();
        long startUs = Math.min(Math.max(plan.startUs(), beginUs == null ? 0 : beginUs), baselineEndUs);
        return between(
                plan.started(startUs),
                (sinceUs, untilUs) -> cleanAtUs(outage, sinceUs, untilUs),
                (sinceUs, untilUs) -> cleanAtUs(failback, sinceUs, untilUs));
    }

    /** When the service was clean again after an event; null: not yet, and nothing comes after its phase. */
    public interface CleanTime {
        Long afterUs(long sinceUs, long untilUs);
    }

    /** The phases between the moments of a run; of one that is on, the last lasts until {@link #PRESENT_US}. */
    public static List<Phase> between(PlanTimes plan, CleanTime afterFault, CleanTime afterHeal) {
        long endUs = plan.endUs() == null ? PRESENT_US : plan.endUs();
        if (plan.firedFromUs() == null) {
            return List.of(new Phase(PhaseName.BASELINE, plan.startUs(), endUs));
        }
        Long healUs = plan.healInTimeUs();
        List<Phase> phases = new ArrayList<>();
        phases.add(new Phase(PhaseName.BASELINE, plan.startUs(), plan.firedFromUs()));
        long horizonUs = healUs == null ? endUs : healUs;
        Long cleanUs = afterFault.afterUs(plan.firedFromUs(), horizonUs);
        addBoth(phases, PhaseName.SWITCHOVER, PhaseName.ON_BACKUP, plan.firedFromUs(), cleanUs, horizonUs);
        if (healUs != null) {
            Long recoveredUs = afterHeal.afterUs(healUs, endUs);
            addBoth(phases, PhaseName.FAILBACK, PhaseName.RECOVERED, healUs, recoveredUs, endUs);
        }
        return phases;
    }

    /** The phase that a run is in: of what was done last. */
    public static PhaseName present(PlanTimes plan) {
        List<Phase> phases = between(plan, (sinceUs, untilUs) -> null, (sinceUs, untilUs) -> null);
        return phases.get(phases.size() - 1).name();
    }

    private static void addBoth(
            List<Phase> phases, PhaseName event, PhaseName after, long sinceUs, Long cleanUs, long untilUs) {
        phases.add(new Phase(event, sinceUs, cleanUs == null ? untilUs : cleanUs));
        if (cleanUs != null) {
            phases.add(new Phase(after, cleanUs, untilUs));
        }
    }

    /** When the service was clean again after an event; the horizon, if it was not, or there were no probes. */
    static long cleanAtUs(Outage outage, long sinceUs, long horizonUs) {
        if (outage == null) {
            return horizonUs;
        }
        if (outage.kind() == OutageKind.NONE) {
            return Math.min(sinceUs + OutageMeter.STABILITY_WINDOW_US, horizonUs);
        }
        if (outage.censored() || outage.toUs() == null) {
            return horizonUs;
        }
        return Math.max(sinceUs, Math.min(outage.toUs(), horizonUs));
    }

    /** The phase of its start; but switchover or failback, if the sample overlaps that (the earlier of both). */
    static PhaseName phaseOf(Sample sample, List<Phase> phases) {
        for (Phase phase : phases) {
            boolean planned = phase.name() == PhaseName.SWITCHOVER || phase.name() == PhaseName.FAILBACK;
            if (planned && sample.startUs() < phase.toUs() && sample.endUs() >= phase.fromUs()) {
                return phase.name();
            }
        }
        for (int index = phases.size() - 1; index >= 0; index--) {
            if (sample.startUs() >= phases.get(index).fromUs()) {
                return phases.get(index).name();
            }
        }
        return PhaseName.BASELINE;
    }
}
