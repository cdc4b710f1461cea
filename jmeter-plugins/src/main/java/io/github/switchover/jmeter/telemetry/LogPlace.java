package io.github.switchover.jmeter.telemetry;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * How much of a log there was, and what stood just before.
 *
 * @param seen the hash of the last bytes before that place
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
            return new LogPlace(size, digest(before(file, size)), identity(path));
        }
    }

    /** Whether what stood before it still does. */
    boolean stillStandsIn(File path) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path, "r")) {
            return size == 0
                    || (file.length() >= size && digest(before(file, size)).equals(seen));
        }
    }

    private static byte[] before(RandomAccessFile file, long size) throws IOException {
        byte[] tail = new byte[(int) Math.min(size, SEEN_BYTES)];
        file.seek(size - tail.length);
        file.readFully(tail);
        return tail;
    }

    static Object identity(File path) throws IOException {
        return Files.readAttributes(path.toPath(), BasicFileAttributes.class).fileKey();
    }

    static String digest(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException error) {
            throw new IllegalStateException(error);
        }
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
            return new LogPlace(size, digest(tail), null);
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
