package io.github.switchover.jmeter.target;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Copies that keep the order of the file, as {@code Map.copyOf} does not. */
final class Immutable {

    private Immutable() {}

    static <K, V> Map<K, V> copy(Map<K, V> map) {
        return Collections.unmodifiableMap(new LinkedHashMap<>(map));
    }
}
