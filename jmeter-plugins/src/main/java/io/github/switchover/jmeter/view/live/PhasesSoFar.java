package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.judge.OutageMeter;
import io.github.switchover.jmeter.judge.Phase;
import io.github.switchover.jmeter.judge.Phases;
import io.github.switchover.jmeter.run.PlanTimes;
import java.util.ArrayList;
import java.util.List;

/**
 * The phases of a run so far, to the second. The analysis has the exact ones when it is over.
 *
 * @param phases the second of the fault belongs to the switchover, that of the heal to the failback; the last is the present
 * @param goodUs when the service, which had been impaired, was good again
 */
record PhasesSoFar(List<Phase> phases, List<Long> goodUs) {

    static final PhasesSoFar NONE = new PhasesSoFar(List.of(), List.of());

    static PhasesSoFar of(List<Stretch> stretches, PlanTimes moments) {
        if (moments.startUs() == null) {
            return NONE;
        }
        List<Long> goodUs = new ArrayList<>();
        Phases.CleanTime clean = (sinceUs, untilUs) -> {
            Long cleanUs = cleanAtUs(stretches, sinceUs, untilUs);
            if (cleanUs != null && cleanUs > sinceUs) {
                goodUs.add(cleanUs);
            }
            // Where nothing was impaired, this phase is the time for which it was watched.
            return cleanUs != null && cleanUs == sinceUs ? (Long) (sinceUs + OutageMeter.STABILITY_WINDOW_US) : cleanUs;
        };
        Long healUs = wholeSecond(moments.healInTimeUs());
        PlanTimes seconds = PlanTimes.NOTHING.started(wholeSecond(moments.startUs()));
        if (moments.firedFromUs() != null) {
            long firedUs = wholeSecond(moments.firedFromUs());
            seconds = seconds.fired(firedUs, firedUs);
        }
        seconds = healUs == null ? seconds : seconds.healing(healUs, healUs);
        return new PhasesSoFar(Phases.between(seconds, clean, clean), goodUs);
    }

    /** The index of the phase that a second belongs to; what came before the first is counted to it. */
    int indexAt(long atS) {
        for (int index = phases.size() - 1; index > 0; index--) {
            if (atS * Units.US_PER_S >= phases.get(index).fromUs()) {
                return index;
            }
        }
        return 0;
    }

    private static Long wholeSecond(Long us) {
        return us == null ? null : (Long) (us / Units.US_PER_S * Units.US_PER_S);
    }

    /**
     * The begin of a stability window that has already lasted, {@code sinceUs} if nothing was impaired; null if there is no
     * such window yet.
     *
     * <p>By the probes, or where there are none by the requests. A second with nothing in it is not clean: where a fault
     * hangs connections, nothing ends for a while.
     */
    private static Long cleanAtUs(List<Stretch> stretches, long sinceUs, long untilUs) {
        long cleanUs = sinceUs;
        long afterUs = sinceUs;
        for (Stretch stretch : stretches) {
            long atUs = stretch.atS() * Units.US_PER_S;
            if (atUs < sinceUs || atUs >= untilUs) {
                continue;
            }
            EndedCounts ended = stretch.probes().total() > 0 ? stretch.probes() : stretch.requests();
            boolean impaired = ended.failed() > 0 || ended.late() > 0 || ended.ok() == 0;
            if (impaired || atUs > afterUs) {
                cleanUs = impaired ? stretch.endS() * Units.US_PER_S : atUs;
            }
            afterUs = stretch.endS() * Units.US_PER_S;
            if (afterUs - cleanUs >= OutageMeter.STABILITY_WINDOW_US) {
                return cleanUs;
            }
        }
        return null;
    }
}
