package io.github.switchover.jmeter.verdict;

import io.github.switchover.jmeter.core.Labelled;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.verdict.Phases.Phase.PhaseName;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The phases of a run. */
public final class Phases {

    /**
     * Returns the phases that the run had. A run without a heal ends on backup.
     *
     * <p>Without an impaired probe, the switchover (or failback) lasts one stability window. Without probes, it lasts
     * until the heal (or the end). {@code beginUs}: the due time of the first request.
     */
    public static List<Phase> of(
            PlanTimes plan, @Nullable Outage outage, @Nullable Outage failback, @Nullable Long beginUs) {
        if (plan.startUs() == null || plan.endUs() == null) {
            return List.of();
        }
        long endUs = plan.endUs();
        long firedUs = plan.firedFromUs() == null ? endUs : plan.firedFromUs();
        long startUs = Math.min(Math.max(plan.startUs(), beginUs == null ? 0 : beginUs), firedUs);
        List<Phase> phases = new ArrayList<>();
        phases.add(new Phase(PhaseName.BASELINE, startUs, firedUs));
        if (plan.firedFromUs() == null) {
            return phases;
        }
        Long healUs = plan.healInTimeUs();
        long horizonUs = healUs == null ? endUs : healUs;
        long cleanUs = cleanAtUs(outage, firedUs, horizonUs);
        phases.add(new Phase(PhaseName.SWITCHOVER, firedUs, cleanUs));
        phases.add(new Phase(PhaseName.ON_BACKUP, cleanUs, horizonUs));
        if (healUs != null) {
            long recoveredUs = cleanAtUs(failback, healUs, endUs);
            phases.add(new Phase(PhaseName.FAILBACK, healUs, recoveredUs));
            phases.add(new Phase(PhaseName.RECOVERED, recoveredUs, endUs));
        }
        return phases;
    }

    /** The phase of a run that is in progress, by its last action. */
    public static PhaseName present(PlanTimes plan) {
        return plan.healFromUs() != null
                ? PhaseName.FAILBACK
                : plan.firedFromUs() != null ? PhaseName.SWITCHOVER : PhaseName.BASELINE;
    }

    /** The time of recovery after an event; the horizon without recovery or without probes. */
    private static long cleanAtUs(@Nullable Outage outage, long sinceUs, long horizonUs) {
        if (outage == null) {
            return horizonUs;
        }
        if (outage.isNone()) {
            return Math.min(sinceUs + OutageMeter.STABILITY_WINDOW_US, horizonUs);
        }
        if (outage.censored() || outage.toUs() == null) {
            return horizonUs;
        }
        return Math.max(sinceUs, Math.min(outage.toUs(), horizonUs));
    }

    /** Returns the phase in which the sample began, or the switchover or failback that it overlaps. */
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

    /** A period of the run: {@code fromUs} is included, {@code toUs} is excluded. */
    public record Phase(PhaseName name, long fromUs, long toUs) {

        /** The phases in order; {@code label()} is the name in verdict.json. */
        public enum PhaseName implements Labelled {
            BASELINE,
            SWITCHOVER,
            ON_BACKUP,
            FAILBACK,
            RECOVERED
        }
    }
}
