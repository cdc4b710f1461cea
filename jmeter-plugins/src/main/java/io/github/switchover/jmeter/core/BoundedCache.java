package io.github.switchover.jmeter.core;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** A cache of computed values by key. A full cache drops all its values before it adds one. Thread-safe. */
public final class BoundedCache<K, V> {

    private final int limit;
    private final Function<K, V> make;
    private final Map<K, V> made = new ConcurrentHashMap<>();

    public BoundedCache(int limit, Function<K, V> make) {
        this.limit = limit;
        this.make = make;
    }

    public V get(K key) {
        V known = made.get(key);
        if (known != null) {
            return known;
        }
        if (made.size() >= limit) {
            made.clear();
        }
        return made.computeIfAbsent(key, make);
    }
}
