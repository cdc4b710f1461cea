package io.github.switchover.jmeter.core;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Reads text files from the jar. */
public final class ResourceText {

    /** Returns a table that the Python program also reads. */
    public static String table(String name) {
        return read(ResourceText.class, "/io/github/switchover/jmeter/tables/" + name);
    }

    /** Returns a file from the folder of a class. */
    public static String read(Class<?> owner, String name) {
        try (InputStream file = Objects.requireNonNull(owner.getResourceAsStream(name), name)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
