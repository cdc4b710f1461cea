package io.github.switchover.jmeter.core;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** Backend and balancer of an answer; an empty name is unknown. */
public record Identity(String backend, String balancer, AnsweredBy answeredBy) {

    /** There was no answer. */
    public static final Identity NONE = new Identity("", "", AnsweredBy.NONE);

    /**
     * The value that a sample log contains in place of a sticky cookie's value. That value is a credential and stays
     * out of it.
     */
    public static final class SessionHash {

        private static final int DIGITS = 16;

        private SessionHash() {}

        /** The first 16 hexadecimal digits of its SHA-256; empty for no value. */
        public static String of(String value) {
            return value.isEmpty() ? "" : sha256(value).substring(0, DIGITS);
        }

        /** The SHA-256 of a text, in hexadecimal digits. */
        public static String sha256(String value) {
            try {
                byte[] digest = MessageDigest.getInstance("SHA-256").digest(value.getBytes(StandardCharsets.UTF_8));
                return HexFormat.of().formatHex(digest);
            } catch (NoSuchAlgorithmException error) {
                throw new IllegalStateException("every Java platform has SHA-256", error);
            }
        }
    }

    /** The source of the answer; {@code label()} is its name in tags and sample logs. */
    public enum AnsweredBy {
        /** A server of the balancer. */
        BACKEND,
        /** The balancer itself, for instance with an error page. */
        BALANCER,
        /** There was an answer, but it did not name the server. */
        UNKNOWN,
        /** There was no answer. */
        NONE;

        private final String label = name().toLowerCase(Locale.ROOT);

        public String label() {
            return label;
        }
    }
}
