package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.run.Run;
import java.util.List;
import java.util.Map;

/** The metronome's own word on the fresh stream: what it had scheduled, and what it could not send. */
record Account(Map<String, Object> generator) {

    static Account of(Run run) {
        return new Account(run.generator());
    }

    /** Whether it left one at all. */
    boolean isThere() {
        return generator.get("scheduled") instanceof Long && generator.get("unsent") instanceof Long;
    }

    /** When the first probe was due; null if it does not say. */
    Long firstDueUs() {
        return generator.get("first_due_us") instanceof Long atUs ? atUs : null;
    }

    /** Probes that could not be written down. */
    long lost() {
        return generator.get("lost") instanceof Long lost ? lost : 0;
    }

    /** Why the account is not there, or empty. */
    String warning() {
        return generator.get("warning") instanceof String text ? text : "";
    }

    /** The 99th percentile of the send lag; null if it does not say. */
    Double lagP99Ms() {
        return generator.get("lag_p99_ms") instanceof Number lag ? (Double) lag.doubleValue() : null;
    }

    /** The slots of the fresh stream that were given up, as [from, to) of their due times. */
    List<Interval> unsent() {
        if (!isThere() || !(generator.get("gaps") instanceof List<?> gaps)) {
            return List.of();
        }
        return gaps.stream()
                .filter(gap -> gap instanceof List<?> pair
                        && pair.size() >= 2
                        && pair.get(0) instanceof Number
                        && pair.get(1) instanceof Number)
                .map(gap -> (List<?>) gap)
                .map(pair -> new Interval(((Number) pair.get(0)).longValue(), ((Number) pair.get(1)).longValue()))
                .toList();
    }
}
