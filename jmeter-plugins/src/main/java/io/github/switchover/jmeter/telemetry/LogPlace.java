package io.github.switchover.jmeter.telemetry;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;

/**
 * How much of a log there was, and what stood just before.
 *
 * @param seen the last bytes before that place, as Latin-1
 * @param file what the file system knows a file by; null: no file, or none was there
 */
record LogPlace(long size, String seen, Object file) {

    static final LogPlace BEGINNING = new LogPlace(0, "", null);

    /** The bytes before the start that must still be there at the end: else it is not the same log any more. */
    static final int SEEN_BYTES = 4096;

    /** Its end; of a file that the server makes with its first request, the beginning. */
    static LogPlace endOf(File path) throws IOException {
        if (!path.exists()) {
            return BEGINNING;
        }
        try (RandomAccessFile file = new RandomAccessFile(path, "r")) {
            long size = file.length();
            return new LogPlace(size, before(file, size), identity(path));
        }
    }

    /** Whether what stood before it still does. */
    boolean stillStandsIn(File path) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path, "r")) {
            return size == 0 || (file.length() >= size && before(file, size).equals(seen));
        }
    }

    private static String before(RandomAccessFile file, long size) throws IOException {
        byte[] tail = new byte[(int) Math.min(size, SEEN_BYTES)];
        file.seek(size - tail.length);
        file.readFully(tail);
        return text(tail);
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    static Object identity(File path) throws IOException {
        return Files.readAttributes(path.toPath(), BasicFileAttributes.class).fileKey();
    }

    /** The size of what is written to it, and its last bytes. */
    static final class Measure extends OutputStream {

        private long size;
        private byte[] tail = new byte[0];

        @Override
        public void write(int value) {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            size += length;
            tail = joined(tail, bytes, offset, length);
        }

        LogPlace place() {
            return new LogPlace(size, text(tail), null);
        }
    }

    /** The last bytes of both. */
    static byte[] joined(byte[] tail, byte[] bytes, int offset, int length) {
        int from = Math.max(0, length - SEEN_BYTES);
        int kept = Math.min(tail.length, SEEN_BYTES - (length - from));
        byte[] all = Arrays.copyOfRange(tail, tail.length - kept, tail.length + length - from);
        System.arraycopy(bytes, offset + from, all, kept, length - from);
        return all;
    }
}
