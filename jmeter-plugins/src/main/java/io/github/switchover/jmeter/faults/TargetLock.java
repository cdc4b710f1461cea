package io.github.switchover.jmeter.faults;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.Reason;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.telemetry.HaproxySnapshot;
import io.github.switchover.jmeter.telemetry.NodeAnswers;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Allows one run at a time per target: locks one file for each key of each balancer, as {@code switchover drill} does.
 *
 * <p>The folder is writable for all users, sticky, and does not depend on the environment. The files are never deleted.
 * The watchdog locks them with flock(2), which Java lacks, and holds the locks until the fault is healed.
 */
final class TargetLock {

    /**
     * The candidates for the folder, of which the first that all users may write to is used.
     *
     * <p>/run/lock is emptied only at boot, but on some systems only root may write to it. A service may have a private
     * /tmp.
     */
    static final List<Path> FOLDERS = List.of(Path.of("/run/lock"), Path.of("/dev/shm"), Path.of("/tmp"));

    /** The mode bits of a folder with the sticky bit, in which all users may create files. */
    private static final int EVERYBODYS = 01003;

    private static final int FILE_TYPE = 0170000;
    private static final int REGULAR = 0100000;
    private static final int HOLDER_BYTES = 4096;
    private static final int RUN_CHARACTERS = 128;

    private final Target target;
    private final String run;
    private final List<Path> folders;

    /** The name of the node for each lock file, in the order of locking; empty before {@link #files}. */
    private final Map<Path, String> nodes = new TreeMap<>();

    TargetLock(Target target, String run, List<Path> folders) {
        this.target = target;
        this.run = run;
        this.folders = folders;
    }

    /** {@code run}: the id of the run that holds the lock; other runs print it. A target without nodes has no lock. */
    static TargetLock of(Target target, String run) {
        return new TargetLock(target, run, FOLDERS);
    }

    /** The lock files; missing files are created. For a lab, the files are in the folder of the lab. */
    List<Path> files() {
        List<Node> balancers = target.balancers().isEmpty() ? target.nodes() : target.balancers();
        for (Node node : balancers) {
            Path folder = target.lab() == null ? folder() : target.lab();
            HaproxySnapshot snapshot = target.lab() == null ? NodeAnswers.haproxy(node) : null;
            NodeKeys.find(node, snapshot)
                    .forEach(key -> nodes.put(folder.resolve(NodeKeys.lockFile(key)), node.name()));
        }
        nodes.forEach(TargetLock::provide);
        return List.copyOf(nodes.keySet());
    }

    /** The folder of lock files, which is the same for every user and environment. */
    private Path folder() {
        return folders.stream().filter(TargetLock::isEverybodys).findFirst().orElseThrow(() -> {
            String names = folders.stream().map(Path::toString).collect(Collectors.joining(", "));
            return new FaultException("one run at a time cannot be ensured: none of " + names
                    + " is a folder that all users may write to (mode 1777)");
        });
    }

    private static boolean isEverybodys(Path folder) {
        try {
            int mode = (Integer) Files.getAttribute(folder, "unix:mode");
            return Files.isDirectory(folder) && (mode & EVERYBODYS) == EVERYBODYS;
        } catch (IOException | UnsupportedOperationException error) {
            return false;
        }
    }

    /** Creates the file, or checks it: other users may have created a link, a FIFO or a hard link there. */
    private static void provide(Path file, String node) {
        String refusal = node + " cannot be locked for this run: " + file + ": ";
        try {
            Files.createFile(file);
            // All users must be able to lock the file; a umask must not prevent this.
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        } catch (FileAlreadyExistsException error) {
            String problem = problemOf(file);
            if (problem != null) {
                throw new FaultException(refusal + problem + ": remove this file", error);
            }
        } catch (IOException error) {
            throw new FaultException(refusal + Reason.of(error), error);
        }
    }

    /** The reason why a file must not be locked or written to. */
    private static @Nullable String problemOf(Path file) {
        try {
            Map<String, Object> found = Files.readAttributes(file, "unix:mode,nlink", LinkOption.NOFOLLOW_LINKS);
            if (((Integer) requireNonNull(found.get("mode")) & FILE_TYPE) != REGULAR) {
                return "it is not a plain file";
            }
            if ((Integer) requireNonNull(found.get("nlink")) > 1) {
                return "it is a hard link to another file";
            }
            return Files.isReadable(file) ? null : "this user may not open it";
        } catch (IOException error) {
            return Reason.of(error);
        }
    }

    /** Writes the id of this run for the messages of other runs. Some files of other users may not be writable. */
    void writeHolder() {
        Tree holder = Tree.of("pid", ProcessHandle.current().pid(), "run", run);
        byte[] text = Json.line(holder.json()).getBytes(StandardCharsets.UTF_8);
        nodes.keySet().stream().filter(file -> problemOf(file) == null).forEach(file -> write(file, text));
    }

    private static void write(Path file, byte[] text) {
        Set<OpenOption> options =
                Set.of(StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING, LinkOption.NOFOLLOW_LINKS);
        try (SeekableByteChannel channel = Files.newByteChannel(file, options)) {
            channel.write(ByteBuffer.wrap(text));
        } catch (IOException error) {
            return; // the lock also works without this text
        }
    }

    String inUse(String file) {
        Path path = Path.of(file);
        return nodes.getOrDefault(path, file) + " is in use: " + holderOf(path) + "; wait until this process has ended";
    }

    /** The owner of a lock, for messages. Any user may have written the text of the file, so it may be invalid. */
    private static String holderOf(Path file) {
        try (InputStream content = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            String text = new String(content.readNBytes(HOLDER_BYTES), StandardCharsets.UTF_8);
            Tree holder = Tree.parse(text);
            String name = holder.text("run", "").replaceAll("\\p{C}", "");
            if (holder.whole("pid") != null && !name.isEmpty()) {
                return "process " + holder.whole("pid") + " holds the lock for run "
                        + name.substring(0, Math.min(name.length(), RUN_CHARACTERS));
            }
        } catch (IOException | IllegalArgumentException | RunDirectoryException error) {
            // The general message follows.
        }
        return "another process holds the lock";
    }
}
