package io.github.switchover.jmeter.faults;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.github.switchover.jmeter.core.Reason;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Target;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * One run at a time per target: a file on this machine for each of its balancers, the same that {@code switchover drill}
 * and Locust lock.
 *
 * <p>They are locked with flock(2), which Java does not have, so the watchdog does it: it also holds them until the fault
 * is healed, where this JVM is dead.
 */
final class TargetLock {

    private static final int MODE = 0700;
    private static final int MODE_BITS = 0777;
    private static final int NAME_CHARACTERS = 24;

    private final Path base;
    private final String run;

    /** By file, in the order in which they are locked, the name of the node. */
    private final Map<Path, String> nodes = new TreeMap<>();

    private TargetLock(Path base, String run) {
        this.base = base;
        this.run = run;
    }

    /** {@code run}: its id, which others are told. A target without nodes has no lock. */
    static TargetLock of(Target target, String run) {
        TargetLock lock = new TargetLock(target.lab() == null ? usualDirectory() : target.lab(), run);
        List<Node> balancers = target.balancers().isEmpty() ? target.nodes() : target.balancers();
        for (Node node : balancers) {
            String host = node.host() == null || node.host().isEmpty() ? node.name() : node.host();
            lock.nodes.put(lock.base.resolve(fileName(host)), node.name());
        }
        return lock;
    }

    /** The files, made where they were not, in a directory that is closed to others. */
    List<Path> files() {
        if (nodes.isEmpty()) {
            return List.of();
        }
        requirePrivate();
        for (Map.Entry<Path, String> entry : nodes.entrySet()) {
            try {
                Files.newByteChannel(
                                entry.getKey(),
                                Set.of(
                                        StandardOpenOption.CREATE_NEW,
                                        StandardOpenOption.WRITE,
                                        LinkOption.NOFOLLOW_LINKS),
                                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))
                        .close();
            } catch (FileAlreadyExistsException error) {
                // It was made by an earlier run.
            } catch (IOException error) {
                throw new FaultException(
                        entry.getValue() + " cannot be locked for this run: " + entry.getKey() + ": "
                                + Reason.of(error),
                        error);
            }
        }
        return List.copyOf(nodes.keySet());
    }

    /** What is written into a locked file. */
    String holder() {
        JsonObject holder = new JsonObject();
        holder.addProperty("pid", ProcessHandle.current().pid());
        holder.addProperty("run", run);
        return holder.toString();
    }

    /** Which node it is that another run has locked, and which run. */
    String inUse(String file) {
        Path path = Path.of(file);
        return nodes.getOrDefault(path, file) + " is in use: " + holderOf(path) + "; wait until it has ended";
    }

    private static String holderOf(Path file) {
        try {
            JsonObject holder = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
            return "process " + holder.get("pid").getAsLong() + " has it for run "
                    + holder.get("run").getAsString();
        } catch (IOException | JsonParseException | IllegalStateException | NullPointerException error) {
            return "another process has it";
        }
    }

    /** The same for every target file that means the same host. */
    static String fileName(String host) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(host.toLowerCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8));
            return "node-" + HexFormat.of().formatHex(digest).substring(0, NAME_CHARACTERS) + ".lock";
        } catch (NoSuchAlgorithmException error) {
            throw new IllegalStateException("every Java has SHA-256", error);
        }
    }

    private void requirePrivate() {
        try {
            if (!Files.exists(base, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectory(
                        base, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            }
        } catch (FileAlreadyExistsException error) {
            // Another run has just made it.
        } catch (IOException error) {
            throw new FaultException("cannot make the directory of locks " + base + ": " + Reason.of(error), error);
        } catch (UnsupportedOperationException error) {
            throw new FaultException("one run at a time cannot be ensured: this system has no POSIX files", error);
        }
        try {
            Map<String, Object> found = Files.readAttributes(base, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
            boolean isPrivate = Files.isDirectory(base, LinkOption.NOFOLLOW_LINKS)
                    && found.get("uid").equals(userId())
                    && ((Integer) found.get("mode") & MODE_BITS & ~MODE) == 0;
            if (isPrivate) {
                return;
            }
        } catch (IOException error) {
            throw new FaultException("cannot look at the directory of locks " + base + ": " + Reason.of(error), error);
        }
        throw new FaultException(
                base + " must be a directory of this user with mode 0700: remove it, or set TMPDIR elsewhere");
    }

    /** {@code $XDG_RUNTIME_DIR/switchover-locks}, or {@code <temporary directory>/switchover-locks-<uid>}. */
    private static Path usualDirectory() {
        String runtime = System.getenv("XDG_RUNTIME_DIR");
        if (runtime != null && !runtime.isEmpty() && Files.isWritable(Path.of(runtime))) {
            return Path.of(runtime, "switchover-locks");
        }
        Path temporary = Stream.of("TMPDIR", "TEMP", "TMP")
                .map(System::getenv)
                .filter(name -> name != null && !name.isEmpty())
                .map(Path::of)
                .filter(path -> Files.isDirectory(path) && Files.isWritable(path))
                .findFirst()
                .orElse(Path.of("/tmp"));
        try {
            return temporary.resolve("switchover-locks-" + userId());
        } catch (IOException error) {
            return temporary.resolve("switchover-locks-" + System.getProperty("user.name"));
        }
    }

    private static int userId() throws IOException {
        Path own = Path.of("/proc/self");
        Path known = Files.exists(own) ? own : Path.of(System.getProperty("user.home"));
        return (Integer) Files.getAttribute(known, "unix:uid");
    }
}
