package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.run.LoadFacts;
import io.github.switchover.jmeter.run.ReasonCode;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.VerdictReason;
import io.github.switchover.jmeter.run.WorkerFacts;
import java.util.ArrayList;
import java.util.List;

/** Why the samples of a load must not be believed. */
final class LoadTrust {

    private LoadTrust() {}

    /**
     * None if all workers were there until its end, and what they recorded is here.
     *
     * @param samples how many samples were found
     */
    static List<VerdictReason> reasons(Run run, long samples) {
        List<VerdictReason> reasons = new ArrayList<>();
        if (LoadFacts.RUNNING.equals(run.settings().loadState())) {
            reasons.add(VerdictReason.of(ReasonCode.LOAD_NOT_ENDED));
        }
        for (WorkerFacts worker : run.evidence().workers()) {
            String name = orElse(worker.origin().worker(), "the load") + " on "
                    + orElse(worker.origin().host(), "an unknown host");
            if (WorkerFacts.LOST.equals(worker.ended())) {
                reasons.add(VerdictReason.of(ReasonCode.WORKER_LOST, "worker", name));
            }
            Long lost = worker.recorded().lost();
            if (lost != null && lost > 0) {
                reasons.add(VerdictReason.of(ReasonCode.SAMPLES_LOST, "worker", name, "lost", lost));
            }
        }
        if (run.settings().load() == null) {
            return reasons;
        }
        if (samples == 0) {
            reasons.add(VerdictReason.of(ReasonCode.NO_SAMPLE));
            return reasons;
        }
        Long written = recorded(run);
        if (written != null && written != samples) {
            reasons.add(VerdictReason.of(ReasonCode.SAMPLES_DIFFER, "recorded", written, "found", samples));
        }
        return reasons;
    }

    /** What the processes of a load say they wrote, in lines of the sample log; null where not all of them said it. */
    static Long recorded(Run run) {
        long sum = 0;
        for (WorkerFacts worker : run.evidence().workers()) {
            WorkerFacts.Recorded recorded = worker.recorded();
            if (recorded.samples() == null) {
                return null;
            }
            sum += recorded.samples() - (recorded.lost() == null ? 0 : recorded.lost());
        }
        return run.evidence().workers().isEmpty() ? null : (Long) sum;
    }

    private static String orElse(String value, String otherwise) {
        return value == null || value.isEmpty() ? otherwise : value;
    }
}
