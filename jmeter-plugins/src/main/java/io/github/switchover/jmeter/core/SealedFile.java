package io.github.switchover.jmeter.core;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.zip.CRC32;

/** Makes the seal of a file, and finds the first place at which a file differs from its seals. */
public final class SealedFile {

    private SealedFile() {}

    /** The seal of a file that is whole now. */
    public static Seal seal(Path path) {
        Seal.Maker maker = new Seal.Maker(0);
        try (FileInputStream file = new FileInputStream(path.toFile())) {
            byte[] block = new byte[Seal.BLOCK];
            for (int length = file.read(block); length > 0; length = file.read(block)) {
                maker.add(block, length);
            }
        } catch (IOException error) {
            throw RunDirectoryException.cannotRead(path, error);
        }
        return maker.seal();
    }

    /**
     * Null: it is as it was when it was closed.
     *
     * @param mayGrow others may have written behind the seals
     */
    public static Damage findDamage(Path path, List<Seal> seals, boolean mayGrow) {
        String name = String.valueOf(path.getFileName());
        long end = seals.stream().mapToLong(Seal::toByte).max().orElse(0);
        long at = 0;
        try (FileInputStream file = new FileInputStream(path.toFile())) {
            for (Seal seal : seals.stream()
                    .sorted(Comparator.comparingLong(Seal::fromByte))
                    .toList()) {
                if (seal.fromByte() != at) {
                    return new Damage(name, at, seal.fromByte(), false);
                }
                for (long checksum : seal.checksums()) {
                    long size = Math.min(seal.blockSize(), seal.toByte() - at);
                    CRC32 found = new CRC32();
                    long read = update(found, file, size);
                    if (read < size) {
                        return new Damage(name, at + read, end, true);
                    }
                    if (found.getValue() != checksum) {
                        return new Damage(name, at, at + size, false);
                    }
                    at += size;
                }
            }
            long length = path.toFile().length();
            return mayGrow || length <= at ? null : new Damage(name, at, length, false);
        } catch (IOException error) {
            throw RunDirectoryException.cannotRead(path, error);
        }
    }

    /** Adds the next bytes of a file to a checksum; returns their number, which is less only at the end of the file. */
    private static long update(CRC32 sum, FileInputStream file, long size) throws IOException {
        long left = size;
        for (byte[] piece = file.readNBytes((int) Math.min(Seal.BLOCK, left));
                piece.length > 0;
                piece = file.readNBytes((int) Math.min(Seal.BLOCK, left))) {
            sum.update(piece);
            left -= piece.length;
        }
        return size - left;
    }
}
