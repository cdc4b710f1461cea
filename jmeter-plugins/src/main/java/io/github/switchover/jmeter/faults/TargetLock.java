package io.github.switchover.jmeter.faults;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.github.switchover.jmeter.core.Reason;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
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

/**
 * Allows one run at a time per target. It locks a file on this machine for each key of each balancer. {@code
 * switchover drill} and Locust lock the same files.
 *
 * <p>The files lie in one folder that all users of the machine may write to. Its sticky bit prevents users from
 * removing files of others, and no environment variable moves it. The files are made once and stay.
 *
 * <p>They are locked with flock(2). Java does not have it, so the watchdog locks them. It also holds them until the
 * fault is healed if this JVM is dead.
 */
final class TargetLock {

    /**
     * The candidates for the machine's folder: the first that all users may write to is used. Only a boot empties
     * /run/lock, but on some systems only root may write to it. A service may have a private /tmp.
     */
    static final List<Path> FOLDERS = List.of(Path.of("/run/lock"), Path.of("/dev/shm"), Path.of("/tmp"));

    /** Sticky, and all may write to it and enter it. */
    private static final int EVERYBODYS = 01003;

    private static final int FILE_TYPE = 0170000;
    private static final int REGULAR = 0100000;
    private static final int HOLDER_BYTES = 4096;
    private static final int RUN_CHARACTERS = 128;

    private final Target target;
    private final String run;
    private final List<Path> folders;

    /** The name of the node, by lock file in the order of locking; empty before {@link #files}. */
    private final Map<Path, String> nodes = new TreeMap<>();

    TargetLock(Target target, String run, List<Path> folders) {
        this.target = target;
        this.run = run;
        this.folders = folders;
    }

    /** {@code run}: its id, which other runs see. A target without nodes has no lock. */
    static TargetLock of(Target target, String run) {
        return new TargetLock(target, run, FOLDERS);
    }

    /** The lock files; missing ones are made. A lab's files are in its folder. */
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

    /** The machine's folder of locks, the same for every user and environment. */
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

    /**
     * Makes the file, or checks that it may be locked. Other users may have put a link, a FIFO or a second name of
     * one of our files there.
     */
    private static void provide(Path file, String node) {
        String refusal = node + " cannot be locked for this run: " + file + ": ";
        try {
            Files.createFile(file);
            // The umask is this user's, the file everybody's.
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        } catch (FileAlreadyExistsException error) {
            String problem = problemOf(file);
            if (problem != null) {
                throw new FaultException(refusal + problem + ": remove it", error);
            }
        } catch (IOException error) {
            throw new FaultException(refusal + Reason.of(error), error);
        }
    }

    /** Why a file must not be locked or written to; null if it may be. */
    private static String problemOf(Path file) {
        try {
            Map<String, Object> found = Files.readAttributes(file, "unix:mode,nlink", LinkOption.NOFOLLOW_LINKS);
            if (((Integer) found.get("mode") & FILE_TYPE) != REGULAR) {
                return "it is no plain file";
            }
            if ((Integer) found.get("nlink") > 1) {
                return "it is a second name of another file";
            }
            return Files.isReadable(file) ? null : "this user may not open it";
        } catch (IOException error) {
            return Reason.of(error);
        }
    }

    /**
     * Writes the run that holds the lock into the locked files: only for the message to other runs. A file may belong
     * to another user.
     */
    void writeHolder() {
        JsonObject holder = new JsonObject();
        holder.addProperty("pid", ProcessHandle.current().pid());
        holder.addProperty("run", run);
        byte[] text = holder.toString().getBytes(StandardCharsets.UTF_8);
        nodes.keySet().stream().filter(file -> problemOf(file) == null).forEach(file -> write(file, text));
    }

    private static void write(Path file, byte[] text) {
        Set<OpenOption> options =
                Set.of(StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING, LinkOption.NOFOLLOW_LINKS);
        try (SeekableByteChannel channel = Files.newByteChannel(file, options)) {
            channel.write(ByteBuffer.wrap(text));
        } catch (IOException error) {
            return; // the lock holds without it
        }
    }

    String inUse(String file) {
        Path path = Path.of(file);
        return nodes.getOrDefault(path, file) + " is in use: " + holderOf(path) + "; wait until it has ended";
    }

    /** Its text may be anyone's. */
    private static String holderOf(Path file) {
        try (InputStream content = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            String text = new String(content.readNBytes(HOLDER_BYTES), StandardCharsets.UTF_8);
            JsonObject holder = JsonParser.parseString(text).getAsJsonObject();
            String name = holder.get("run").getAsString().replaceAll("\\p{C}", "");
            return "process " + holder.get("pid").getAsLong() + " has it for run "
                    + name.substring(0, Math.min(name.length(), RUN_CHARACTERS));
        } catch (IOException
                | JsonParseException
                | IllegalStateException
                | NullPointerException
                | ClassCastException
                | NumberFormatException
                | UnsupportedOperationException error) {
            return "another process has it";
        }
    }
}
