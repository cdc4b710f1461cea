package io.github.switchover.jmeter.core;

import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An enum constant with a name for files, tags and options. */
public interface Labelled {

    String name();

    default String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the constant with this label. */
    static <E extends Labelled> @Nullable E of(E[] constants, String label) {
        return Stream.of(constants)
                .filter(one -> one.label().equals(label))
                .findFirst()
                .orElse(null);
    }
}
