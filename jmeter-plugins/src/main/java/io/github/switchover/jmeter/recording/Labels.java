package io.github.switchover.jmeter.recording;

import io.github.switchover.jmeter.core.BoundedNames;
import java.util.HashSet;
import java.util.Set;

/** The labels of a run's traffic, a bounded number; the sample log has them all. Not thread-safe. */
final class Labels {

    /** Distinct labels in the traffic. */
    static final int LIMIT = 1000;

    private final Set<String> known = new HashSet<>();
    private boolean overflowed;

    String admit(String label) {
        String name = BoundedNames.clean(label);
        if (known.contains(name)) {
            return name;
        }
        if (known.size() >= LIMIT) {
            overflowed = true;
            return BoundedNames.OTHER;
        }
        known.add(name);
        return name;
    }

    /** A label was replaced by {@code other}. */
    boolean overflowed() {
        return overflowed;
    }
}
