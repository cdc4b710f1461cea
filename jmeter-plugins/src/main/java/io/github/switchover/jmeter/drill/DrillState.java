package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.metronome.MetronomeProgress;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.PlanTimes;
import java.util.List;
import java.util.Set;

/**
 * How a run stands. Times in epoch microseconds on the run's clock; null: it did not happen yet.
 *
 * @param phase baseline, fault, switchover, heal, failback, finishing, judging, done
 * @param staged the fault that is staged or was fired, or none
 * @param holders the nodes that hold the virtual address; empty where no witness tells
 * @param probes null without a metronome, and before its first word
 * @param notes the last things worth saying, refusals among them; the newest last
 */
public record DrillState(
        String phase,
        PlanTimes plan,
        FaultRun staged,
        KnownFaults choice,
        Set<String> holders,
        MetronomeProgress probes,
        List<String> notes) {

    /**
     * What could be fired.
     *
     * @param faults those that the target file has
     * @param armed a fault may be fired: the target is a lab, or the user has said so
     */
    public record KnownFaults(List<String> faults, boolean armed) {}

    /** The fault that is staged or was fired; null: none. */
    public String fault() {
        return staged.isNone() ? null : staged.name();
    }

    /** The node that it hits; null: unknown. */
    public String victim() {
        return staged.victim();
    }

    /** Why the run cannot be trusted any more, if that is known already; else null. */
    public String error() {
        return staged.error();
    }

    public Long startUs() {
        return plan.startUs();
    }

    public Long firedUs() {
        return plan.firedFromUs();
    }

    public Long confirmedUs() {
        return plan.confirmedUs();
    }

    /** When the heal was begun. */
    public Long healUs() {
        return plan.healFromUs();
    }

    /** When it was proved. */
    public Long healedUs() {
        return plan.healedUs();
    }
}
