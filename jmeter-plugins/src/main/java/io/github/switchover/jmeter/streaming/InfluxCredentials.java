package io.github.switchover.jmeter.streaming;

import io.github.switchover.jmeter.core.UsageException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Who writes; all empty: no credentials are needed. Never shown, never written down. */
public record InfluxCredentials(String token, String user, String password) {

    public static final String TOKEN = "SWITCHOVER_INFLUX_TOKEN";
    public static final String USER = "SWITCHOVER_INFLUX_USER";
    public static final String PASSWORD = "SWITCHOVER_INFLUX_PASSWORD";

    public static final InfluxCredentials NONE = new InfluxCredentials(null, null, null);

    /**
     * Null is empty.
     *
     * @throws UsageException in one line, if they cannot be sent
     */
    public InfluxCredentials {
        token = token == null ? "" : token;
        user = user == null ? "" : user;
        password = password == null ? "" : password;
        if (Stream.of(token, user, password).anyMatch(text -> text.chars().anyMatch(c -> c < 32 || c == 127))) {
            throw new UsageException(
                    "the database's credentials have a control character (a line end, say): remove it");
        }
        if (user.isEmpty() != password.isEmpty()) {
            throw new UsageException(
                    "the database's credentials are half there: set " + (user.isEmpty() ? USER : PASSWORD) + " too");
        }
    }

    /**
     * The header's value; empty: none. A token where one is expected, else a name and a password: InfluxDB 1.8 takes
     * these as a token, too.
     *
     * @param old they are for {@code /write}
     */
    String authorization(boolean old) {
        if (old && !user.isEmpty()) {
            return "Basic " + basic();
        }
        String shown = token.isEmpty() && !user.isEmpty() ? user + ":" + password : token;
        // A header is written as Latin-1: so its bytes are those of UTF-8.
        return shown.isEmpty()
                ? ""
                : "Token " + new String(shown.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    /** What must not be repeated, the longest first. */
    List<String> secrets() {
        return Stream.of(token, password, user.isEmpty() ? "" : basic())
                .filter(secret -> !secret.isEmpty())
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList();
    }

    private String basic() {
        return Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    /** Without them. */
    @Override
    public String toString() {
        return "InfluxCredentials(***)";
    }
}
