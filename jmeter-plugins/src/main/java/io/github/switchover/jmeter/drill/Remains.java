package io.github.switchover.jmeter.drill;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Takes back the directory of a run that did not begin. */
final class Remains {

    private Remains() {}

    static void delete(Path directory) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                Files.delete(file);
            }
            Files.delete(directory);
        } catch (IOException error) {
            return; // then it stays, and says by its emptiness what it is
        }
    }
}
