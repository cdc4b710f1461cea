package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Reads and replaces whole files: after a kill or on a full disk, the old file remains readable. */
public final class WholeFile {

    /** The limit in bytes. The run.json of a run of several days has some megabytes. */
    private static final long LIMIT = 64L << 20;

    public static void write(Path path, String text) {
        Path partial = path.resolveSibling(path.getFileName() + ".part");
        try {
            if (Files.isSymbolicLink(partial)) {
                Files.delete(partial); // another user may have created it
            }
            try (FileOutputStream stream = new FileOutputStream(partial.toFile())) {
                stream.write(text.getBytes(StandardCharsets.UTF_8));
            }
            Files.move(partial, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException error) {
            partial.toFile().delete(); // a remaining part is replaced by the next write
            throw RunDirectoryException.cannotWrite(path, error);
        }
    }

    /** Returns the text of a regular file up to {@link #LIMIT}: a pipe may block, and a device may not end. */
    public static String read(Path path) throws IOException {
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            throw new IOException("it is not a regular file");
        }
        if (Files.exists(path) && Files.size(path) > LIMIT) {
            throw new IOException("it is larger than " + LIMIT + " bytes");
        }
        try (FileInputStream stream = new FileInputStream(path.toFile())) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
