package io.github.switchover.jmeter.core;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A row of a CSV file while it is written, as UTF-8: made of thousands of samples in a second, so one buffer is used for
 * all of them, and nothing is turned into text on the way. Not thread-safe.
 */
final class RowBytes {

    private static final int USUAL_LENGTH = 512;
    private static final int LONGEST_NUMBER = 20;

    private byte[] bytes = new byte[USUAL_LENGTH];
    private int length;

    /** As JMeter's CSVSaveService.quoteDelimiters: in quotes only where needed, a quote in the text doubled. */
    void text(String text) {
        int size = text.length();
        reserve(size);
        int end = length;
        for (int i = 0; i < size; i++) {
            char c = text.charAt(i);
            if (c > '~' || isDelimiter(c)) {
                unusual(text);
                return;
            }
            bytes[end++] = (byte) c;
        }
        length = end;
    }

    void number(long number) {
        if (number < 0) {
            plain(Long.toString(number));
            return;
        }
        reserve(LONGEST_NUMBER);
        int digits = 1;
        for (long rest = number / 10; rest > 0; rest /= 10) {
            digits++;
        }
        length += digits;
        long rest = number;
        for (int place = length - 1; digits > 0; digits--) {
            bytes[place--] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
    }

    /** ASCII that needs no quotes. */
    void plain(String ascii) {
        int size = ascii.length();
        reserve(size);
        for (int i = 0; i < size; i++) {
            bytes[length++] = (byte) ascii.charAt(i);
        }
    }

    void next() {
        reserve(1);
        bytes[length++] = ',';
    }

    /** The row with the end of its line; the next one begins. */
    byte[] take() {
        reserve(1);
        bytes[length++] = '\n';
        byte[] row = Arrays.copyOf(bytes, length);
        length = 0;
        return row;
    }

    private void unusual(String text) {
        boolean quoted = text.chars().anyMatch(RowBytes::isDelimiter);
        String written = quoted ? '"' + text.replace("\"", "\"\"") + '"' : text;
        byte[] encoded = written.getBytes(StandardCharsets.UTF_8);
        reserve(encoded.length);
        System.arraycopy(encoded, 0, bytes, length, encoded.length);
        length += encoded.length;
    }

    private void reserve(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
        }
    }

    private static boolean isDelimiter(int c) {
        return c == ',' || c == '"' || c == '\r' || c == '\n';
    }
}
