package io.github.switchover.jmeter.run;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Which version of this plugin is running. */
public final class Version {

    private static final String FILE = "version.txt";

    private Version() {}

    /** As it was built: {@code 0.1.0}. */
    public static String current() {
        try (InputStream stream = Objects.requireNonNull(Version.class.getResourceAsStream(FILE), FILE)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
