package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.run.LoadFacts;
import io.github.switchover.jmeter.run.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Why the samples of a load must not be believed. */
final class LoadTrust {

    private LoadTrust() {}

    /**
     * Everybody who made it was there until its end, and what they recorded is here.
     *
     * @param samples how many samples were found
     */
    static List<String> reasons(Run run, long samples) {
        List<String> reasons = new ArrayList<>();
        if (!(run.settings().get("load") instanceof Map<?, ?> load)) {
            return reasons;
        }
        if (LoadFacts.RUNNING.equals(load.get("state"))) {
            reasons.add("the load did not end in order: what it had not written down is missing");
        }
        for (Map<String, Object> worker : run.workers()) {
            String name = told(worker.get("worker"), "the load") + " on " + told(worker.get("host"), "an unknown host");
            if (LoadFacts.LOST.equals(worker.get("ended"))) {
                reasons.add(name + " was lost: nobody knows what else it had sent");
            }
            if (worker.get("lost") instanceof Long lost && lost > 0) {
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
        for (Map<String, Object> worker : run.workers()) {
            Object lost = worker.get("lost") == null ? (Object) 0L : worker.get("lost");
            if (!(worker.get("samples") instanceof Long samples) || !(lost instanceof Long gone)) {
                return null;
            }
            sum += samples - gone;
        }
        return run.workers().isEmpty() ? null : (Long) sum;
    }

    private static String told(Object value, String otherwise) {
        return value == null || value.equals("") ? otherwise : value.toString();
    }
}
