package io.github.switchover.jmeter.faults;

import io.github.switchover.jmeter.command.CommandRunner;
import io.github.switchover.jmeter.command.GroupedProcess;
import io.github.switchover.jmeter.command.GroupedProcess.CommandEnvironment;
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
import io.github.switchover.jmeter.target.Target.NodeClaim;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

/**
 * The commands to undo the fault if this JVM dies or hangs. A watchdog, a separate process, holds them from {@link
 * #start} to {@link #close}. Thread-safe.
 *
 * <p>The watchdog is a shell that reads a pipe, not a second JVM. Users end a hanging JMeter with {@code killall -9
 * java}, which must not end the healer, too. It also needs neither this jar nor half a second to start.
 */
final class UndoList implements AutoCloseable {

    static final String LOG_FILE = "watchdog.log";

    /** The seconds that an ending JVM waits for a heal that fails; the script tries for longer. */
    private static final long KEEP_TRYING_S = 60;

    private static final long VERIFY_S = 5;

    private static final long BEAT_NS = 500_000_000;

    private static final int HUNDREDTHS = 100;
    private static final String BUSY = "busy ";

    /** The seconds that the watchdog may take to start on a busy machine. */
    private static final long READY_S = 10;

    /** The encoding of process arguments. */
    private static final Charset NATIVE =
            Charset.forName(System.getProperty("sun.jnu.encoding", StandardCharsets.UTF_8.name()));

    private final Path log;
    private final Process process;
    private volatile String name;
    private long beatAtNs = System.nanoTime();
    private String lastSaid = "";

    /** {@code process}: the receiver of all commands; {@link #start} makes the real one. */
    UndoList(String name, Path log, Process process) {
        this.name = name;
        this.log = log;
        this.process = process;
    }

    /**
     * Starts the watchdog, and waits until it has locked the target and watches. It has no commands to undo yet.
     *
     * @param name the fault, for messages
     * @param lock null: nothing is locked
     * @param variables environment variables that its commands get in addition to the usual ones
     */
    static UndoList start(String name, Path directory, TargetLock lock, List<String> variables) {
        Path log = directory.resolve(LOG_FILE).toAbsolutePath();
        if (!Programs.hasShell()) {
            throw new FaultException(name + " does not fire: its watchdog needs " + Programs.SHELL
                    + ", which is not here, and nothing else would outlive this process");
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

    static UndoList start(Undo undone, Path directory, TargetLock lock) {
        UndoList undo = start(undone.name(), directory, lock, undone.variables());
        undo.take(undone);
        return undo;
    }

    /** Replaces the commands to undo: those of an earlier fault, which was not fired, no longer apply. */
    void take(Undo undone) {
        name = undone.name();
        tell("name " + name.replaceAll("\\p{Cntrl}", " "));
        tellCommand("heal", undone.heal());
        tellCommand("verify", undone.verify());
        tellCommand("release", undone.release());
        tellCommand("disarm", undone.disarm());
        tellCommand("down", undone.down());
        tell("mark " + point(EventKind.HEAL, name + ": healed by the watchdog"));
        tell("relapse "
                + point(EventKind.WARNING, name + " was in force again after its heal: the watchdog heals it again"));
    }

    /** The point, without its time, that records the watchdog's action for a later verdict. */
    private String point(EventKind kind, String text) {
        String line = PointFormat.format(
                Measurements.EVENT,
                Map.of("run", log.getParent().getFileName().toString(), "kind", kind.label()),
                Map.of("text", FieldValue.of(text)),
                0);
        return line.substring(0, line.lastIndexOf(' '));
    }

    Path log() {
        return log;
    }

    /** The watchdog heals from now on if this process dies. Throws when the watchdog itself is dead. */
    void firing() {
        if (!tell("firing")) {
            throw new FaultException(
                    name + " does not fire: its watchdog has died, and nothing else outlives this process");
        }
    }

    /** The kill command's process group, to be ended before anything is healed. */
    void killRuns(long group) {
        tell("group " + group);
    }

    void killDone() {
        tell("fired");
    }

    /** The heal begins at most that many seconds from now; later the watchdog heals. */
    void healWithin(double seconds) {
        tell(within(seconds));
    }

    private static String within(double seconds) {
        return "within " + (long) Math.ceil(seconds * HUNDREDTHS);
    }

    /** Sends a line at intervals, but a new line at once. */
    private synchronized void sayAtTimes(String line) {
        if (System.nanoTime() - beatAtNs >= 0 || !line.equals(lastSaid)) {
            beatAtNs = System.nanoTime() + BEAT_NS;
            lastSaid = line;
            tell(line);
        }
    }

    /**
     * Signals that this JVM is alive, and that its plan continues; may be called at any rate.
     *
     * @param healWithinS the heal begins at most that many seconds from now; null: unchanged
     */
    void beat(Double healWithinS) {
        sayAtTimes(healWithinS == null ? "beat" : within(healWithinS));
    }

    /** Signals that this JVM heals; call it again as long as it does. */
    void healing() {
        sayAtTimes("healing");
    }

    void healed() {
        tell("healed");
    }

    void claimed() {
        tell("claimed");
    }

    void released() {
        tell("released");
    }

    @Override
    public void close() {
        dismiss();
    }

    /**
     * Ends the pipe and waits for the watchdog, which heals now if it did not receive {@code healed}.
     *
     * <p>False if it had to heal and could not, or is not done within the time that it may take.
     */
    boolean dismiss() {
        GroupedProcess.close(process.getOutputStream());
        long limitS = KEEP_TRYING_S + (long) CommandRunner.COMMAND_TIMEOUT_S + 2 * VERIFY_S + READY_S;
        return UninterruptedWait.awaitExit(process, TimeUnit.SECONDS.toNanos(limitS)) && process.exitValue() == 0;
    }

    /** True if it ended for another reason than finished work or the end of its time. */
    boolean hasDied() {
        return !process.isAlive() && process.exitValue() > 1;
    }

    /** A sentence for the user on the watchdog's next steps when this JVM did not heal. */
    String outlook() {
        return process.isAlive()
                ? "the watchdog continues for up to 6 hours (see " + log + ")"
                : "the watchdog has ended (exit status " + process.exitValue() + ") and heals nothing (see " + log
                        + ")";
    }

    /** An argument list as a shell reads it, on one line; the script knows a newline as {@code $nl}. */
    static String quoted(List<String> command) {
        return command.stream()
                .map(argument -> "'" + argument.replace("'", "'\\''").replace("\n", "'\"$nl\"'") + "'")
                .collect(Collectors.joining(" "));
    }

    private static Process startProcess(Path log, TargetLock lock, List<String> variables) throws IOException {
        List<String> watchdog = new ArrayList<>(List.of(
                Programs.SHELL.toString(),
                "-c",
                ResourceText.read(UndoList.class, "watchdog.sh"),
                "switchover-watchdog",
                log.toString()));
        if (lock != null) {
            lock.files().forEach(file -> watchdog.add(file.toString()));
        }
        return CommandEnvironment.process(Programs.inSessionOfItsOwn(watchdog), variables)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private void awaitReady(TargetLock lock) {
        AtomicReference<String> said = new AtomicReference<>("");
        Thread hearing = DaemonThread.start("watchdog", () -> said.set(firstLine()));
        UninterruptedWait.join(hearing, TimeUnit.SECONDS.toNanos(READY_S));
        if (!said.get().equals("ready")) {
            process.destroyForcibly(); // which closes its pipe
            if (lock != null && said.get().startsWith(BUSY)) {
                throw new FaultException(lock.inUse(said.get().substring(BUSY.length())));
            }
            if (said.get().equals("no flock")) {
                throw new FaultException(name + " does not fire: that no other run uses the target is ensured by the"
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

    private void tellCommand(String word, List<String> command) {
        if (command != null && !command.isEmpty()) {
            tell(word + " " + quoted(command));
        }
    }

    /** False when there is no watchdog any more: after the firing that changes nothing for this process. */
    private synchronized boolean tell(String line) {
        try {
            OutputStream pipe = process.getOutputStream();
            pipe.write((line + "\n").getBytes(NATIVE));
            pipe.flush();
            return process.isAlive();
        } catch (IOException error) {
            return false;
        }
    }

    /**
     * The commands that the watchdog runs if this JVM cannot: filled in, ready to be started; null for a missing
     * command.
     *
     * @param verify the proof of the heal
     * @param release gives the nodes back
     * @param disarm takes the dead-man back once the heal is proved
     * @param variables environment variables that the commands get in addition to the usual ones
     * @param down the proof of the fault, if a process that its kill has left running may bring it back
     */
    record Undo(
            String name,
            List<String> heal,
            List<String> verify,
            List<String> release,
            List<String> disarm,
            List<String> variables,
            List<String> down) {

        /** {@code recipe} is filled in; {@code claim} may be null. */
        static Undo of(FaultRecipe recipe, NodeClaim claim) {
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
