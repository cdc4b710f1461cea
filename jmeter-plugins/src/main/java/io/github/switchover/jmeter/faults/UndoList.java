package io.github.switchover.jmeter.faults;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.command.CommandRunner;
import io.github.switchover.jmeter.command.GroupedProcess;
import io.github.switchover.jmeter.command.Programs;
import io.github.switchover.jmeter.command.UninterruptedWait;
import io.github.switchover.jmeter.core.DaemonThread;
import io.github.switchover.jmeter.core.Point.EventKind;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.core.Point.Measurements;
import io.github.switchover.jmeter.core.ResourceText;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.run.PointFormat;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.target.Target.NodeClaim;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The commands that undo the fault if this JVM dies or hangs. The watchdog has them until {@link #close}. Thread-safe.
 *
 * <p>The watchdog is a shell that reads a pipe. Users end a hanging JMeter with {@code killall -9 java}, which must not
 * end the watchdog too. A shell does not need this jar, and starts faster than a JVM.
 */
public final class UndoList implements AutoCloseable {

    static final String LOG_FILE = "watchdog.log";

    /** The seconds that an ending JVM waits for a failing heal. The watchdog continues to try for longer. */
    private static final long KEEP_TRYING_S = 60;

    private static final long VERIFY_S = 5;

    private static final long BEAT_NS = 500_000_000;

    private static final int HUNDREDTHS = 100;
    private static final String BUSY = "busy ";

    /** The longest start time of the watchdog on a busy machine, in seconds. */
    private static final long READY_S = 10;

    /** The encoding of process arguments. */
    private static final Charset NATIVE =
            Charset.forName(System.getProperty("sun.jnu.encoding", StandardCharsets.UTF_8.name()));

    private final Path log;
    private final Process process;
    private volatile String name;
    private long beatAtNs = System.nanoTime();
    private String lastLine = "";

    /** {@code process}: the process that receives all commands; {@link #start} starts the real watchdog. */
    UndoList(String name, Path log, Process process) {
        this.name = name;
        this.log = log;
        this.process = process;
    }

    /** Starts the watchdog without commands, and waits until it has locked the target, if {@code lock} is not null. */
    static UndoList start(String name, Path directory, @Nullable TargetLock lock, List<String> variables) {
        Path log = directory.resolve(LOG_FILE).toAbsolutePath();
        if (!Files.isExecutable(Programs.SHELL)) {
            throw new FaultException(name + " does not fire: its watchdog needs the program " + Programs.SHELL
                    + ", which is not installed here; only the watchdog could heal if this process died");
        }
        UndoList undo;
        try {
            undo = new UndoList(name, log, startProcess(log, lock, variables));
        } catch (IOException error) {
            throw new FaultException(name + " does not fire: its watchdog cannot be run: " + error.getMessage(), error);
        }
        undo.awaitReady(lock);
        return undo;
    }

    static UndoList start(Undo undone, Path directory, @Nullable TargetLock lock) {
        return start(undone.name(), directory, lock, undone.variables()).take(undone);
    }

    /**
     * Starts a watchdog that holds the lock on the target, until it is closed or this JVM ends.
     *
     * @throws FaultException with the name of the other run if another run on this machine has locked the target
     */
    public static UndoList hold(Target target, String fault, Path directory) {
        Stream<List<String>> ofFaults = target.faults().values().stream().map(recipe -> recipe.variables());
        Stream<List<String>> ofClaim = Stream.ofNullable(target.claim()).map(claim -> claim.variables());
        List<String> variables = Stream.concat(ofFaults, ofClaim)
                .flatMap(List::stream)
                .distinct()
                .toList();
        TargetLock lock = TargetLock.of(target, directory.getFileName().toString());
        return start(fault, directory, lock, variables);
    }

    /** Replaces the commands to undo. The commands of an earlier fault, which was not fired, no longer apply. */
    UndoList take(Undo undone) {
        name = undone.name();
        send("name " + name.replaceAll("\\p{Cntrl}", " "));
        sendCommand("heal", undone.heal());
        sendCommand("verify", undone.verify());
        sendCommand("release", undone.release());
        sendCommand("disarm", undone.disarm());
        sendCommand("down", undone.down());
        send("mark " + point(EventKind.HEAL, name + ": healed by the watchdog"));
        send("relapse "
                + point(
                        EventKind.WARNING,
                        name + " was in force again after its heal: the watchdog heals the" + " fault again"));
        return this;
    }

    /** The point, without its time, that records an action of the watchdog for a later verdict. */
    private String point(EventKind kind, String text) {
        String line = PointFormat.format(
                Measurements.EVENT,
                Map.of("run", requireNonNull(log.getParent()).getFileName().toString(), "kind", kind.label()),
                Map.of("text", FieldValue.of(text)),
                0);
        return line.substring(0, line.lastIndexOf(' '));
    }

    /** Orders the watchdog to heal if this process dies. Throws FaultException if the watchdog has ended. */
    void firing() {
        if (!send("firing")) {
            throw new FaultException(name
                    + " does not fire: its watchdog has died, so nothing would heal the fault if this process died");
        }
    }

    /** Sends the process group of the kill command. The watchdog ends this group before it heals. */
    void killRuns(long group) {
        send("group " + group);
    }

    void killDone() {
        send("fired");
    }

    /** If this JVM does not begin its heal within this time from now, the watchdog heals. */
    void healWithin(double seconds) {
        send(within(seconds));
    }

    private static String within(double seconds) {
        return "within " + (long) Math.ceil(seconds * HUNDREDTHS);
    }

    /** Sends a repeated line only at intervals, but a different line at once. */
    private synchronized void sendAtIntervals(String line) {
        if (System.nanoTime() - beatAtNs >= 0 || !line.equals(lastLine)) {
            beatAtNs = System.nanoTime() + BEAT_NS;
            lastLine = line;
            send(line);
        }
    }

    /** Signals that this JVM is alive, at any rate. {@code healWithinS}: a new time to the heal; null: unchanged. */
    void beat(@Nullable Double healWithinS) {
        sendAtIntervals(healWithinS == null ? "beat" : within(healWithinS));
    }

    /** Signals that this JVM is healing. Call it repeatedly during the heal. */
    void healing() {
        sendAtIntervals("healing");
    }

    void healed() {
        send("healed");
    }

    void claimed() {
        send("claimed");
    }

    void released() {
        send("released");
    }

    /** Releases the target. If a fault is not healed, the watchdog heals it first. */
    @Override
    public void close() {
        dismiss();
    }

    /** Ends the watchdog, which first heals a fault that is not healed. Returns false if it could not heal in time. */
    boolean dismiss() {
        GroupedProcess.close(process.getOutputStream());
        long limitS = KEEP_TRYING_S + (long) CommandRunner.COMMAND_TIMEOUT_S + 2 * VERIFY_S + READY_S;
        return UninterruptedWait.awaitExit(process, TimeUnit.SECONDS.toNanos(limitS)) && process.exitValue() == 0;
    }

    /** True if the watchdog ended before its work was done and before its time limit. */
    boolean hasDied() {
        return !process.isAlive() && process.exitValue() > 1;
    }

    /** A clause for messages about what the watchdog will do if this JVM did not heal. */
    String outlook() {
        return process.isAlive()
                ? "the watchdog continues for up to 6 hours (see " + log + ")"
                : "the watchdog has ended (exit status " + process.exitValue() + ") and heals nothing (see " + log
                        + ")";
    }

    /** Quotes an argument list for a shell, on one line: {@code $nl}, a variable of the script, is a newline. */
    static String quoted(List<String> command) {
        return command.stream()
                .map(argument -> "'" + argument.replace("'", "'\\''").replace("\n", "'\"$nl\"'") + "'")
                .collect(Collectors.joining(" "));
    }

    private static Process startProcess(Path log, @Nullable TargetLock lock, List<String> variables)
            throws IOException {
        List<String> watchdog = new ArrayList<>(List.of(
                Programs.SHELL.toString(),
                "-c",
                ResourceText.read(UndoList.class, "watchdog.sh"),
                "switchover-watchdog",
                log.toString()));
        if (lock != null) {
            lock.files().forEach(file -> watchdog.add(file.toString()));
        }
        return GroupedProcess.builder(Programs.inSessionOfItsOwn(watchdog), variables)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private void awaitReady(@Nullable TargetLock lock) {
        AtomicReference<String> answer = new AtomicReference<>("");
        Thread reader = DaemonThread.start("watchdog", () -> answer.set(firstLine()));
        UninterruptedWait.join(reader, TimeUnit.SECONDS.toNanos(READY_S));
        String reply = requireNonNull(answer.get());
        if (!reply.equals("ready")) {
            process.destroyForcibly(); // this also closes its pipe
            if (lock != null && reply.startsWith(BUSY)) {
                throw new FaultException(lock.inUse(reply.substring(BUSY.length())));
            }
            if (reply.equals("no flock")) {
                throw new FaultException(name + " does not fire: the lock that keeps other runs away needs the"
                        + " program `flock` of util-linux, which is not installed here");
            }
            throw new FaultException(name + " does not fire: its watchdog did not start; can " + log + " be written?");
        }
        if (lock != null) {
            lock.writeHolder();
        }
    }

    private String firstLine() {
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))) {
            return String.valueOf(output.readLine());
        } catch (IOException error) {
            return "";
        }
    }

    private void sendCommand(String word, @Nullable List<String> command) {
        if (command != null && !command.isEmpty()) {
            send(word + " " + quoted(command));
        }
    }

    /** Sends a line. Returns false if the watchdog has ended; after {@link #firing} this result is ignored. */
    private synchronized boolean send(String line) {
        try {
            OutputStream pipe = process.getOutputStream();
            pipe.write((line + "\n").getBytes(NATIVE));
            pipe.flush();
            return process.isAlive();
        } catch (IOException error) {
            return false;
        }
    }

    /** The commands that the watchdog runs if this JVM cannot. {@code down}: if the kill may break it again. */
    record Undo(
            String name,
            @Nullable List<String> heal,
            @Nullable List<String> verify,
            @Nullable List<String> release,
            @Nullable List<String> disarm,
            List<String> variables,
            @Nullable List<String> down) {

        /** {@code recipe} has the names filled in. */
        static Undo of(FaultRecipe recipe, @Nullable NodeClaim claim) {
            boolean comesBack =
                    recipe.has(Step.HEAL) && !FaultTraits.of(recipe.name()).healsItself();
            return new Undo(
                    recipe.name(),
                    recipe.command(Step.HEAL),
                    recipe.command(Step.VERIFY_HEALED),
                    claim == null ? null : claim.release(),
                    recipe.command(Step.DISARM),
                    recipe.variables(),
                    comesBack ? recipe.command(Step.VERIFY_DOWN) : null);
        }
    }
}
