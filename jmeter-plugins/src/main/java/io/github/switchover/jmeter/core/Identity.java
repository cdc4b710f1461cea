package io.github.switchover.jmeter.core;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** The backend and the balancer of an answer. An empty name: unknown. */
public record Identity(String backend, String balancer, AnsweredBy answeredBy) {

    /** The identity of a request without an answer. */
    public static final Identity NONE = new Identity("", "", AnsweredBy.NONE);

    /** The identity of an answer that names no server. */
    public static final Identity UNKNOWN = new Identity("", "", AnsweredBy.UNKNOWN);

    private static final int SESSION_DIGITS = 16;

    /** Hashes a sticky cookie, which is a credential, to the first 16 digits of its SHA-256; empty for an empty value. */
    public static String hashSession(String value) {
        return value.isEmpty() ? "" : sha256(value).substring(0, SESSION_DIGITS);
    }

    /** Returns the SHA-256 of a text in hexadecimal digits. */
    public static String sha256(String value) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(value.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException error) {
            throw new IllegalStateException("every Java platform has SHA-256", error);
        }
    }

    /** The source of the answer; {@code label()} is its name in tags and sample logs. */
    public enum AnsweredBy implements Labelled {
        /** A backend server. */
        BACKEND,
        /** The balancer itself, for example with an error page. */
        BALANCER,
        /** There was an answer, but it did not name the server. */
        UNKNOWN,
        /** There was no answer. */
        NONE;

        private final String label = name().toLowerCase(Locale.ROOT);

        @Override
        public String label() {
            return label;
        }
    }
}
