package io.github.switchover.jmeter.element;

import io.github.switchover.jmeter.core.Reason;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.drill.Runs;
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

    /**
     * Removes the link to an earlier run, so that a test that creates no run is not judged by the earlier run. Keeps
     * the link if this test already has its run, or if another process conducts the run.
     *
     * @throws UsageException in one line, if a file remains there that would be taken for the run of this test
     */
    static void removeEarlier() {
        String name = name();
        if (name.isEmpty() || Runs.ofThisJvm().current() != null) {
            return;
        }
        try {
            Path link = Path.of(name);
            if (Files.isSymbolicLink(link)) {
                Files.delete(link);
            } else if (Files.exists(link)) {
                throw new UsageException(PROPERTY + "=" + name + " is no link, and would be taken for the run of this"
                        + " test: remove it, or choose another name");
            }
        } catch (IOException error) {
            throw new UsageException(
                    PROPERTY + "=" + name + ", which leads to an earlier run, cannot be removed: " + Reason.of(error),
                    error);
        } catch (InvalidPathException error) {
            throw new UsageException(PROPERTY + ": " + error.getMessage(), error);
        }
    }

    /** After {@link #removeEarlier}. A run without its link is one all the same. */
    static void pointTo(Path run) {
        String name = name();
        if (name.isEmpty()) {
            return;
        }
        try {
            Path link = Path.of(name).toAbsolutePath();
            if (Files.isSymbolicLink(link)) {
                Files.delete(link);
            }
            Files.createDirectories(link.getParent());
            Files.createSymbolicLink(link, run.toAbsolutePath());
        } catch (IOException error) {
            warn(name, Reason.of(error));
        } catch (InvalidPathException | UnsupportedOperationException error) {
            warn(name, error.getMessage());
        }
    }

    /** The name of the link. Empty: no link is wanted, or another process conducts the run and knows its place. */
    private static String name() {
        return Runs.ofThisJvm().isConducted() ? "" : JMeterUtils.getPropDefault(PROPERTY, "");
    }

    private static void warn(String name, String why) {
        log.warn("Switchover: {}={} cannot be made a link to the run: {}", PROPERTY, name, why);
    }
}
