package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.run.LoadFacts;
import io.github.switchover.jmeter.run.Run;
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
    static List<String> reasons(Run run, long samples) {
        List<String> reasons = new ArrayList<>();
        if (run.settings().load() == null) {
            return reasons;
        }
        if (LoadFacts.RUNNING.equals(run.settings().loadState())) {
            reasons.add("the load did not end in order: what it had not written down is missing");
        }
        for (WorkerFacts worker : run.workers()) {
            String name = orElse(worker.origin().worker(), "the load") + " on "
                    + orElse(worker.origin().host(), "an unknown host");
            if (WorkerFacts.LOST.equals(worker.ended())) {
                reasons.add(name + " was lost: nobody knows what else it had sent");
            }
            Long lost = worker.recorded().lost();
            if (lost != null && lost > 0) {
                reasons.add(Numbers.grouped(lost) + " samples of " + name
                        + " could not be written down: is the disk full?");
            }
        }
        if (samples == 0) {
            reasons.add("the load left no sample");
            return reasons;
        }
        Long written = recorded(run);
        if (written != null && written != samples) {
            reasons.add("the load recorded " + Numbers.grouped(written) + " samples, and " + Numbers.grouped(samples)
                    + " are here");
        }
        return reasons;
    }

    /** What the processes of a load say they wrote, in lines of the sample log; null where not all of them said it. */
    static Long recorded(Run run) {
        long sum = 0;
        for (WorkerFacts worker : run.workers()) {
            WorkerFacts.Recorded recorded = worker.recorded();
            if (recorded.samples() == null) {
                return null;
            }
            sum += recorded.samples() - (recorded.lost() == null ? 0 : recorded.lost());
        }
        return run.workers().isEmpty() ? null : (Long) sum;
    }

    private static String orElse(String value, String otherwise) {
        return value == null || value.isEmpty() ? otherwise : value;
    }
}
