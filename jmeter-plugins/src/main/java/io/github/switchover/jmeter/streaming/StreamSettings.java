package io.github.switchover.jmeter.streaming;

import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.target.Target.InfluxSettings;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The settings for sending a run's points to a database. At its end a run waits {@code waitS} for unsent points. */
public record StreamSettings(InfluxAddress address, InfluxCredentials credentials, double waitS) {

    public static final double WAIT_S = 10;

    /**
     * Chooses the database: a URL has priority over {@code [influx]}, and the environment's credentials over the file's
     * credentials.
     *
     * <p>The file's credentials are used only for the file's server. Throws UsageException if anything is invalid.
     */
    public static @Nullable StreamSettings choose(
            String url, @Nullable InfluxSettings file, UnaryOperator<String> environment, double waitS) {
        InfluxAddress configured = file == null ? null : InfluxAddress.of(file);
        InfluxAddress address = url.isEmpty() ? configured : InfluxAddress.of(url);
        if (address == null) {
            return null;
        }
        InfluxCredentials credentials = new InfluxCredentials(
                text(environment.apply(InfluxCredentials.TOKEN)),
                text(environment.apply(InfluxCredentials.USER)),
                text(environment.apply(InfluxCredentials.PASSWORD)));
        if (credentials.equals(InfluxCredentials.NONE)
                && file != null
                && configured != null
                && configured.origin().equals(address.origin())) {
            credentials = new InfluxCredentials(text(file.token()), text(file.user()), text(file.password()));
        }
        return new StreamSettings(address, credentials, waitS);
    }

    private static String text(@Nullable String text) {
        return text == null ? "" : text;
    }

    /** The credentials of the writer; all empty: no credentials are needed. They are never printed or stored. */
    public record InfluxCredentials(String token, String user, String password) {

        public static final String TOKEN = "SWITCHOVER_INFLUX_TOKEN";
        public static final String USER = "SWITCHOVER_INFLUX_USER";
        public static final String PASSWORD = "SWITCHOVER_INFLUX_PASSWORD";

        public static final InfluxCredentials NONE = new InfluxCredentials("", "", "");

        /** Throws UsageException if they cannot be sent. */
        public InfluxCredentials {
            if (Stream.of(token, user, password).anyMatch(text -> text.chars().anyMatch(c -> c < 32 || c == 127))) {
                throw new UsageException(
                        "the database's credentials contain a control character, such as a line end: remove it");
            }
            if (user.isEmpty() != password.isEmpty()) {
                throw new UsageException("the database's credentials are incomplete: set "
                        + (user.isEmpty() ? USER : PASSWORD) + " too");
            }
        }

        /** Returns the Authorization header; empty: none. InfluxDB 1.8 also accepts name and password as a token. */
        String authorization(boolean old) {
            if (old && !user.isEmpty()) {
                return "Basic " + basic();
            }
            String shown = token.isEmpty() && !user.isEmpty() ? user + ":" + password : token;
            // A header is written as Latin-1. This conversion keeps the bytes of UTF-8.
            return shown.isEmpty()
                    ? ""
                    : "Token " + new String(shown.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        }

        /** Returns the texts that must not be printed, the longest first. */
        List<String> secrets() {
            return Stream.of(token, password, user.isEmpty() ? "" : basic())
                    .filter(secret -> !secret.isEmpty())
                    .sorted(Comparator.comparingInt(String::length).reversed())
                    .toList();
        }

        private String basic() {
            return Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
        }

        /** Omits the credentials. */
        @Override
        public String toString() {
            return "InfluxCredentials(***)";
        }
    }
}
