package io.github.switchover.jmeter.core;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** What stands in a sample log for a sticky cookie's value, which is a credential and stays out of it. */
public final class SessionHash {

    private static final int BYTES = 8;

    private SessionHash() {}

    /** The first 16 hexadecimal digits of its SHA-256; empty for no value. */
    public static String of(String value) {
        if (value.isEmpty()) {
            return "";
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(value.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, BYTES);
        } catch (NoSuchAlgorithmException error) {
            throw new IllegalStateException("every Java platform has SHA-256", error);
        }
    }
}
