package io.github.switchover.jmeter.faults;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.command.CommandResult;
import io.github.switchover.jmeter.command.CommandRunner;
import io.github.switchover.jmeter.command.UninterruptedWait;
import io.github.switchover.jmeter.core.DaemonThread;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.faults.Guard.Healing;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Heals a fault and proves the heal. If the heal is not proved in time, the watchdog continues.
 *
 * <p>A heal command may run twice, so a second heal starts if a heal seems to hang. All running heals are ended before
 * the result of the proof is used. For one thread; each heal runs on a separate thread.
 */
final class Healer {

    private static final long POLL_NS = 50_000_000;

    /** The longest wait for a killed heal, which may belong to another user or wait for a dead disk. */
    private static final long LONGEST_END_NS = 5_000_000_000L;

    private final FaultRecipe recipe;
    private final RunClock clock;
    private final HealPace pace;
    private final Runnable standBy;
    private final @Nullable UndoList undo;

    private final List<HealTry> running = new ArrayList<>();
    private double patienceS;
    private long dueNs = System.nanoTime();
    private boolean succeeded;

    /** The end of the last ended heal. */
    private @Nullable Long endedUs;

    private @Nullable CommandResult failedHeal;
    private @Nullable CommandResult failedProof;

    /** {@code undo}: the watchdog, which does not heal while this object is active; null: the watchdog has ended. */
    Healer(FaultRecipe recipe, RunClock clock, HealPace pace, @Nullable UndoList undo) {
        this.recipe = recipe;
        this.clock = clock;
        this.pace = pace;
        this.undo = undo;
        standBy = undo == null ? () -> {} : undo::healing;
        patienceS = pace.patienceS();
    }

    /** Runs heal commands until {@code verify_healed} succeeds, or until the time limit. */
    Healing heal() {
        long fromUs = clock.nowUs();
        long limitNs = later(pace.limitS());
        try {
            while (true) {
                standBy.run();
                startIfDue();
                if (isProved() && (!endRunning() || isStillProved())) {
                    if (undo != null) {
                        undo.healed();
                    }
                    return new Healing(fromUs, endedUs(), clock.nowUs(), null);
                }
                if (System.nanoTime() - limitNs > 0) {
                    return new Healing(fromUs, endedUs(), null, notHealed());
                }
                UninterruptedWait.await(new CountDownLatch(1), POLL_NS);
            }
        } finally {
            endRunning();
        }
    }

    private void startIfDue() {
        takeEnded();
        if (!recipe.has(Step.HEAL) || System.nanoTime() - dueNs < 0) {
            return;
        }
        if (!running.isEmpty()) {
            patienceS *= 2;
        }
        dueNs = later(patienceS);
        running.add(new HealTry(recipe));
    }

    private void takeEnded() {
        for (HealTry attempt : running.stream().filter(HealTry::hasEnded).toList()) {
            running.remove(attempt);
            endedUs = clock.nowUs();
            CommandResult ended = requireNonNull(attempt.result);
            if (ended.isOk()) {
                succeeded = true;
                dueNs = later(pace.verifyS());
            } else {
                failedHeal = ended;
                long againNs = attempt.beganNs + Units.ns(pace.retryS());
                dueNs = running.isEmpty() || againNs - dueNs < 0 ? againNs : dueNs;
            }
        }
        if (running.isEmpty()) {
            patienceS = pace.patienceS();
        }
    }

    /** Checks the proof of the heal, also while a heal hangs, because the hanging heal may have worked. */
    private boolean isProved() {
        if (!recipe.has(Step.VERIFY_HEALED)) {
            return !recipe.has(Step.HEAL) || succeeded;
        }
        if (recipe.has(Step.HEAL) && endedUs == null && running.size() < 2) {
            return false;
        }
        return askForProof(this::goOn);
    }

    /** Checks the proof again: an ended heal may have left incomplete work. */
    private boolean isStillProved() {
        return !recipe.has(Step.VERIFY_HEALED) || askForProof(standBy);
    }

    private boolean askForProof(Runnable meanwhile) {
        CommandResult proof = CommandRunner.of(recipe, Step.VERIFY_HEALED)
                .timeoutS(pace.verifyS())
                .whileRunning(meanwhile)
                .run();
        failedProof = proof.isOk() ? null : proof;
        return proof.isOk();
    }

    /** Called during a check of the proof, so that a hanging check does not delay the next heal. */
    private void goOn() {
        standBy.run();
        startIfDue();
    }

    /** Ends all running heals. Returns true if there were any. */
    private boolean endRunning() {
        boolean some = !running.isEmpty();
        running.forEach(HealTry::end);
        running.clear();
        if (some) {
            endedUs = clock.nowUs();
            dueNs = System.nanoTime();
        }
        return some;
    }

    private long endedUs() {
        return endedUs == null ? clock.nowUs() : endedUs;
    }

    private static long later(double seconds) {
        return System.nanoTime() + Units.ns(seconds);
    }

    private String notHealed() {
        List<String> answers = new ArrayList<>();
        if (failedHeal != null) {
            answers.add(failedHeal.of(recipe, Step.HEAL));
        }
        if (failedProof != null) {
            answers.add(failedProof.of(recipe, Step.VERIFY_HEALED));
        }
        String watchdog = undo == null ? "" : undo.outlook() + "; ";
        return recipe.name() + " IS NOT HEALED: " + String.join("; ", answers) + "; " + watchdog + byHand(recipe);
    }

    static String byHand(FaultRecipe recipe) {
        return "heal the fault by hand with the commands in " + recipe.table() + " of the target file";
    }

    /** One run of the heal. */
    private static final class HealTry {

        private final long beganNs = System.nanoTime();
        private final CountDownLatch givenUp = new CountDownLatch(1);
        private final Thread thread;
        private volatile @Nullable CommandResult result;

        HealTry(FaultRecipe recipe) {
            thread = DaemonThread.start("heal", () -> run(recipe));
        }

        private void run(FaultRecipe recipe) {
            result = CommandRunner.of(recipe, Step.HEAL)
                    .stopEarly(() -> givenUp.getCount() == 0)
                    .run();
        }

        boolean hasEnded() {
            return result != null;
        }

        void end() {
            givenUp.countDown();
            UninterruptedWait.join(thread, LONGEST_END_NS);
        }
    }

    /**
     * The limits of a heal in seconds, as in Python's {@code faults/healer.py}.
     *
     * <p>After {@code limitS} the watchdog continues. A failed heal starts again {@code retryS} after its start. After
     * {@code patienceS} a heal counts as hanging, and a second heal starts; a third after twice this time, and so on. A
     * successful heal must be proved within {@code verifyS}.
     */
    record HealPace(double limitS, double retryS, double patienceS, double verifyS) {

        static final HealPace USUAL = new HealPace(20, 1, 3, 5);
    }
}
