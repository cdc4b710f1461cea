package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.judge.OutageMeter;
import io.github.switchover.jmeter.judge.PhaseName;
import java.util.ArrayList;
import java.util.List;

/** The phases of a run so far, to the second. The analysis has the exact ones when it is over. */
final class PhasesSoFar {

    static final long CLEAN_S = OutageMeter.CLEAN_WINDOW_US / 1_000_000;

    private PhasesSoFar() {}

    /** The second of the fault belongs to the switchover, that of the heal to the failback. */
    static List<PhaseSoFar> of(List<Stretch> stretches, Moments moments) {
        if (moments.startUs() == null) {
            return List.of();
        }
        long startS = moments.startUs() / Units.US_PER_S;
        if (moments.firedUs() == null) {
            return List.of(new PhaseSoFar(PhaseName.BASELINE, startS, null, false));
        }
        long firedS = moments.firedUs() / Units.US_PER_S;
        boolean healed = moments.healUs() != null && (moments.endUs() == null || moments.healUs() < moments.endUs());
        Long healS = healed ? (Long) (moments.healUs() / Units.US_PER_S) : null;
        List<PhaseSoFar> phases = new ArrayList<>();
        phases.add(new PhaseSoFar(PhaseName.BASELINE, startS, firedS, false));
        phases.addAll(around(stretches, PhaseName.SWITCHOVER, PhaseName.DEGRADED, firedS, healS));
        if (healS != null) {
            phases.addAll(around(stretches, PhaseName.FAILBACK, PhaseName.RECOVERED, healS, null));
        }
        return phases;
    }

    /** The index of the phase that a second belongs to; what came before the first is counted to it. */
    static int indexAt(List<PhaseSoFar> phases, long atS) {
        for (int index = phases.size() - 1; index > 0; index--) {
            if (atS >= phases.get(index).fromS()) {
                return index;
            }
        }
        return 0;
    }

    private static List<PhaseSoFar> around(
            List<Stretch> stretches, PhaseName event, PhaseName after, long sinceS, Long untilS) {
        Long cleanS = cleanAtS(stretches, sinceS, untilS);
        if (cleanS == null) {
            return List.of(new PhaseSoFar(event, sinceS, untilS, false));
        }
        // Where nothing was impaired, this phase is the time for which it was watched.
        long toS = cleanS > sinceS ? cleanS : sinceS + CLEAN_S;
        return List.of(new PhaseSoFar(event, sinceS, toS, cleanS > sinceS), new PhaseSoFar(after, toS, untilS, false));
    }

    /**
     * The first second of a clean window that has already lasted, {@code sinceS} if nothing was impaired; null if there
     * is no such window yet.
     *
     * <p>By the probes, or where there are none by the requests. A second with nothing in it is not clean: where a fault
     * hangs connections, nothing ends for a while.
     */
    private static Long cleanAtS(List<Stretch> stretches, long sinceS, Long untilS) {
        long cleanS = sinceS;
        long afterS = sinceS;
        for (Stretch stretch : stretches) {
            if (stretch.atS() < sinceS || (untilS != null && stretch.atS() >= untilS)) {
                continue;
            }
            EndedCounts ended = stretch.probes().total() > 0 ? stretch.probes() : stretch.requests();
            boolean impaired = ended.failed() > 0 || ended.late() > 0 || ended.ok() == 0;
            if (impaired || stretch.atS() > afterS) {
                cleanS = impaired ? stretch.endS() : stretch.atS();
            }
            afterS = stretch.endS();
            if (afterS - cleanS >= CLEAN_S) {
                return cleanS;
            }
        }
        return null;
    }
}
