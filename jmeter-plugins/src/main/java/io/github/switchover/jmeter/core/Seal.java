package io.github.switchover.jmeter.core;

import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/**
 * How long a file was when it was closed, and a checksum of each of its blocks. The process that writes a file tells its
 * seal at the end, and {@code run.json} keeps it. A seal covers the stretch that one writer appended, so a file that was opened
 * again has several, one behind the other. What was killed leaves no seal.
 *
 * @param crc32 eight hexadecimal digits: one checksum, as Python writes it; or one for each block, counted from
 *     {@code fromByte}; the last block may be shorter
 */
public record Seal(long fromByte, long bytes, String crc32) {

    /** Bytes that have one checksum: as near as a damaged file can say where it is damaged. */
    public static final int BLOCK = 64 * 1024;

    static final int DIGITS = 8;
    private static final int HEXADECIMAL = 16;

    public Seal {
        long blocks = (bytes + BLOCK - 1) / BLOCK;
        boolean isOne = crc32 != null && bytes > 0 && crc32.length() == DIGITS;
        if (fromByte < 0 || bytes < 0 || crc32 == null || (!isOne && crc32.length() != DIGITS * blocks)) {
            throw new IllegalArgumentException(
                    "a seal says from which byte it goes, over how many, and has one checksum" + " for each block");
        }
        for (int at = 0; at < crc32.length(); at += DIGITS) {
            Long.parseLong(crc32, at, at + DIGITS, HEXADECIMAL);
        }
    }

    /** Bytes that have one checksum. */
    long blockSize() {
        return crc32.length() == DIGITS ? bytes : BLOCK;
    }

    /** Where it ends. */
    public long toByte() {
        return fromByte + bytes;
    }

    /** Of each block. */
    List<Long> checksums() {
        List<Long> found = new ArrayList<>();
        for (int at = 0; at < crc32.length(); at += DIGITS) {
            found.add(Long.parseLong(crc32, at, at + DIGITS, HEXADECIMAL));
        }
        return found;
    }

    /** The checksum of a text, as a seal writes it. */
    public static String checksum(byte[] data) {
        CRC32 sum = new CRC32();
        sum.update(data);
        return digits(sum.getValue());
    }

    static String digits(long checksum) {
        return String.format("%08x", checksum);
    }

    /** Makes the seal of what is appended from a place of a file on. Not thread-safe. */
    public static final class Maker {

        private final long fromByte;
        private final StringBuilder checksums = new StringBuilder();
        private final CRC32 block = new CRC32();
        private int inBlock;
        private long bytes;

        public Maker(long fromByte) {
            this.fromByte = fromByte;
        }

        /** Takes what now stands behind the rest: the first {@code length} of these bytes. */
        public void add(byte[] data, int length) {
            int at = 0;
            while (at < length) {
                int size = Math.min(length - at, BLOCK - inBlock);
                block.update(data, at, size);
                inBlock += size;
                at += size;
                if (inBlock == BLOCK) {
                    checksums.append(digits(block.getValue()));
                    block.reset();
                    inBlock = 0;
                }
            }
            bytes += length;
        }

        /** Of all that was taken so far. */
        public Seal seal() {
            return new Seal(fromByte, bytes, checksums + (inBlock == 0 ? "" : digits(block.getValue())));
        }
    }
}
