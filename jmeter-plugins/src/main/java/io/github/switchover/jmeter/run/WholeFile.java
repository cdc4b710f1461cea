package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Files that are written whole or not at all, so that a kill or a full disk leaves the old one readable. */
public final class WholeFile {

    /** The limit in bytes. The run.json of a run of days has some megabytes. */
    private static final long LIMIT = 64L << 20;

    private WholeFile() {}

    public static void write(Path path, String text) {
        Path partial = path.resolveSibling(path.getFileName() + ".part");
        try {
            if (Files.isSymbolicLink(partial)) {
                Files.delete(partial); // another user may have made it
            }
            try (FileOutputStream stream = new FileOutputStream(partial.toFile())) {
                stream.write(text.getBytes(StandardCharsets.UTF_8));
            }
            Files.move(partial, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException error) {
            remove(partial);
            throw RunDirectoryException.cannotWrite(path, error);
        }
    }

    /**
     * The file's text; bytes that are no UTF-8 are replaced. Throws if it is no regular file (a pipe would be waited
     * for, and a device may be endless) or larger than {@link #LIMIT}.
     */
    public static String read(Path path) throws IOException {
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            throw new IOException("it is no file");
        }
        if (Files.exists(path) && Files.size(path) > LIMIT) {
            throw new IOException("it is larger than " + LIMIT + " bytes");
        }
        try (FileInputStream stream = new FileInputStream(path.toFile())) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void remove(Path partial) {
        try {
            Files.deleteIfExists(partial);
        } catch (IOException ignored) {
            // The file does no harm: the next write replaces it.
        }
    }
}
