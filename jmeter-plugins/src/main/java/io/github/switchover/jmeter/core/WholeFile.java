package io.github.switchover.jmeter.core;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Files that are written whole or not at all, so that a kill or a full disk leaves the old one readable. */
public final class WholeFile {

    private WholeFile() {}

    public static void write(Path path, String text) {
        Path partial = path.resolveSibling(path.getFileName() + ".part");
        try {
            try (FileOutputStream stream = new FileOutputStream(partial.toFile())) {
                stream.write(text.getBytes(StandardCharsets.UTF_8));
            }
            Files.move(partial, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException error) {
            remove(partial);
            throw RunDirectoryException.cannotWrite(path, error);
        }
    }

    /** The file's text; bytes that are no UTF-8 are replaced. */
    public static String read(Path path) throws IOException {
        try (FileInputStream stream = new FileInputStream(path.toFile())) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void remove(Path partial) {
        try {
            Files.deleteIfExists(partial);
        } catch (IOException ignored) {
            // It does no harm: the next write begins it anew.
        }
    }
}
