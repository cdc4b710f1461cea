package io.github.switchover.jmeter.streaming;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The next complete lines of a journal for a request, their {@code size} in the journal, and the invalid lines. */
@SuppressWarnings("ArrayRecordComponent") // Batches are not compared.
record JournalBatch(byte[] lines, int points, int size, int rubbish) {

    static final int LINES = 5_000;

    static final int BYTES = 1_000_000;

    /** The digits of nanoseconds from 2001 to 2286. A line that a full disk cut off may still be valid, but in 1970. */
    private static final int TIME_DIGITS = 19;

    /** Reads at most {@code atMost} lines from {@code offset} on; null without a complete line there. */
    static @Nullable JournalBatch read(Path journal, long offset, byte[] buffer, int atMost) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(journal.toFile(), "r")) {
            file.seek(offset);
            int length = 0;
            for (int count = 0; count >= 0 && length < buffer.length; length += Math.max(count, 0)) {
                count = file.read(buffer, length, buffer.length - length);
            }
            return of(buffer, length, atMost);
        }
    }

    /** Counts the unsent lines from {@code offset} on, in bounded memory. */
    static long count(Path journal, long offset) throws IOException {
        byte[] buffer = new byte[BYTES];
        long found = 0;
        long at = offset;
        for (JournalBatch batch = read(journal, at, buffer, LINES);
                batch != null;
                batch = read(journal, at, buffer, BYTES)) {
            found += batch.points + batch.rubbish;
            at += batch.size;
        }
        return found;
    }

    private static @Nullable JournalBatch of(byte[] data, int length, int atMost) {
        ByteArrayOutputStream lines = new ByteArrayOutputStream(length);
        int points = 0;
        int rubbish = 0;
        int start = 0;
        for (int i = 0; i < length && points + rubbish < atMost; i++) {
            if (data[i] != '\n') {
                continue;
            }
            if (isPoint(data, start, i)) {
                lines.write(data, start, i + 1 - start);
                points++;
            } else if (i > start) {
                rubbish++;
            }
            start = i + 1;
        }
        if (start == 0 && length == data.length) {
            // No writer makes a line that is longer than a request.
            return new JournalBatch(new byte[0], 0, length, 1);
        }
        return start == 0 ? null : new JournalBatch(lines.toByteArray(), points, start, rubbish);
    }

    private static boolean isPoint(byte[] data, int start, int end) {
        int blank = end - TIME_DIGITS - 1;
        if (blank <= start || data[start] == '#' || data[start] == ' ' || data[blank] != ' ') {
            return false;
        }
        for (int i = blank + 1; i < end; i++) {
            if (data[i] < '0' || data[i] > '9') {
                return false;
            }
        }
        return true;
    }
}
