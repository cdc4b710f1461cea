package io.github.switchover.jmeter.element;

import io.github.switchover.jmeter.core.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.apache.jmeter.util.JMeterUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A symbolic link with a name that the user chose, to the run of this test: a build need not search for it. */
final class RunLink {

    static final String PROPERTY = "switchover.link";

    private static final Logger log = LoggerFactory.getLogger(RunLink.class);

    private RunLink() {}

    /** Takes away the link to an earlier run, so that a test that makes none is not judged by it. */
    static void remove() {
        place(null);
    }

    static void pointTo(Path run) {
        place(run.toAbsolutePath());
    }

    private static void place(Path run) {
        String name = JMeterUtils.getPropDefault(PROPERTY, "");
        if (name.isEmpty()) {
            return;
        }
        try {
            Path link = Path.of(name).toAbsolutePath();
            if (Files.isSymbolicLink(link)) {
                Files.delete(link);
            }
            if (run != null) {
                Files.createDirectories(link.getParent());
                Files.createSymbolicLink(link, run);
            }
        } catch (IOException error) {
            warn(name, Reason.of(error));
        } catch (InvalidPathException | UnsupportedOperationException error) {
            warn(name, error.getMessage());
        }
    }

    private static void warn(String name, String why) {
        log.warn("Switchover: {}={} cannot be made a link to the run: {}", PROPERTY, name, why);
    }
}
