package io.github.switchover.jmeter.core;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a reader left out, and why: reasons come from a fixed, small set. Not thread-safe. */
public final class Ignored {

    private final Map<String, Long> reasons = new LinkedHashMap<>();

    public void add(String reason) {
        reasons.merge(reason, 1L, Long::sum);
    }

    /** The same is read again. */
    public void clear() {
        reasons.clear();
    }

    /** How many, by reason. */
    public Map<String, Long> reasons() {
        return Collections.unmodifiableMap(reasons);
    }

    public long total() {
        return reasons.values().stream().mapToLong(Long::longValue).sum();
    }
}
