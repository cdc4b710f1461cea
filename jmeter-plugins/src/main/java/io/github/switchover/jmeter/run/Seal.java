package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/** The length and the checksum of the bytes that one writer appended to a file. A killed process leaves no seal. */
public record Seal(long fromByte, long bytes, @Nullable String crc32) {

    private static final int PIECE = 64 * 1024;

    static Seal of(long fromByte, long bytes, CRC32 sum) {
        return new Seal(fromByte, bytes, bytes == 0 ? "" : digits(sum));
    }

    /** The checksum of a text in the format of a seal. */
    public static String checksum(byte[] data) {
        CRC32 sum = new CRC32();
        sum.update(data);
        return digits(sum);
    }

    /** True if the seal has a single checksum. Earlier versions wrote one checksum for each 64 KiB. */
    public boolean isOne() {
        return crc32 != null && crc32.length() == (bytes == 0 ? 0 : 8);
    }

    /** True if a file matches the seals of its writers. {@code mayGrow}: bytes after the seals are accepted. */
    public static boolean isAsSealed(Path path, List<Seal> seals, boolean mayGrow) {
        long at = 0;
        try (InputStream file = new FileInputStream(path.toFile())) {
            for (Seal seal : seals.stream()
                    .sorted(Comparator.comparingLong(Seal::fromByte))
                    .toList()) {
                if (seal.fromByte != at
                        || !of(at, seal.bytes, sum(file, seal.bytes)).equals(seal)) {
                    return false;
                }
                at += seal.bytes;
            }
            return path.toFile().length() >= at && (mayGrow || file.read() < 0);
        } catch (IOException error) {
            throw RunDirectoryException.cannotRead(path, error);
        }
    }

    private static CRC32 sum(InputStream file, long bytes) throws IOException {
        CRC32 sum = new CRC32();
        byte[] piece = file.readNBytes((int) Math.min(PIECE, bytes));
        for (long left = bytes; piece.length > 0; piece = file.readNBytes((int) Math.min(PIECE, left))) {
            sum.update(piece);
            left -= piece.length;
        }
        return sum;
    }

    private static String digits(CRC32 sum) {
        return String.format("%08x", sum.getValue());
    }
}
