package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.metronome.MetronomeProgress;
import java.util.List;
import java.util.Set;

/**
 * How a run stands. Times in epoch microseconds on the run's clock; null: it did not happen yet.
 *
 * @param phase baseline, fault, switchover, heal, failback, finishing, judging, done
 * @param startUs when the run was started
 * @param fault the fault that is staged or was fired; null: none
 * @param victim the node that it hits; null: unknown
 * @param healUs when the heal was begun
 * @param healedUs when it was proved
 * @param holders the nodes that hold the virtual address; empty where no witness tells
 * @param probes null without a metronome, and before its first word
 * @param faults those that the target file has
 * @param armed a fault may be fired: the target is a lab, or somebody meant it
 * @param error why the run cannot be trusted any more, if that is known already; else null
 * @param notes the last things worth saying, refusals among them; the newest last
 */
public record DrillState(
        String phase,
        Long startUs,
        String fault,
        String victim,
        Long firedUs,
        Long confirmedUs,
        Long healUs,
        Long healedUs,
        Set<String> holders,
        MetronomeProgress probes,
        List<String> faults,
        boolean armed,
        String error,
        List<String> notes) {}
