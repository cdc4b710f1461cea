package io.github.switchover.jmeter.faults;

import io.github.switchover.jmeter.command.CommandResult;
import io.github.switchover.jmeter.command.CommandRunner;
import io.github.switchover.jmeter.command.UninterruptedWait;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Checks with {@code verify_down} whether a fault is in force, more than once; times in seconds.
 *
 * <p>A fault must be confirmed within {@code confirmS}, and again after {@code staysDownS}: a supervisor restarts a
 * process in about 0.1 s. A kill command that runs longer than {@code killS} is ended once the fault is in force.
 */
record Proof(double confirmS, double staysDownS, double killS) {

    static final Proof USUAL = new Proof(5.0, 0.3, 5.0);

    private static final long POLL_NS = 50_000_000;

    /** The time of the first success by nanoTime, or the reason why the fault is not confirmed. */
    record Confirmation(@Nullable Long atNs, String problem) {}

    /** Waits until {@code verify_down} succeeds twice, some time apart, or until {@code givenUp} opens. */
    Confirmation confirmDown(FaultRecipe recipe, CountDownLatch givenUp, Runnable standBy) {
        long deadlineNs = System.nanoTime() + Units.ns(confirmS);
        String heldOnce = null;
        while (true) {
            CommandResult outcome = askWhetherDown(recipe, givenUp, standBy);
            if (outcome.isOk()) {
                long atNs = System.nanoTime();
                UninterruptedWait.await(givenUp, Units.ns(staysDownS));
                CommandResult again = askWhetherDown(recipe, givenUp, standBy);
                if (again.isOk()) {
                    return new Confirmation(atNs, "");
                }
                heldOnce = heldOnce(again, Units.secondsOfNs(System.nanoTime() - atNs));
            }
            if (UninterruptedWait.await(givenUp, POLL_NS)) {
                return new Confirmation(null, "the fault was healed before the proof command succeeded");
            }
            if (System.nanoTime() > deadlineNs) {
                return new Confirmation(null, heldOnce == null ? neverHeld(outcome) : heldOnce);
            }
        }
    }

    boolean isDownTwice(FaultRecipe recipe, CountDownLatch givenUp, Runnable standBy) {
        if (!askWhetherDown(recipe, givenUp, standBy).isOk()) {
            return false;
        }
        UninterruptedWait.await(givenUp, Units.ns(staysDownS));
        return askWhetherDown(recipe, givenUp, standBy).isOk();
    }

    CommandResult askWhetherDown(FaultRecipe recipe, CountDownLatch givenUp, Runnable standBy) {
        return CommandRunner.of(recipe, Step.VERIFY_DOWN)
                .timeoutS(confirmS)
                .stopEarly(() -> givenUp.getCount() == 0)
                .whileRunning(standBy)
                .run();
    }

    /** Returns the message if only one check succeeded. A check that could not run does not disprove the fault. */
    private static String heldOnce(CommandResult again, double afterS) {
        if (!again.hasAnswered()) {
            return "the proof command succeeded once, but did not run a second time: " + again;
        }
        return "the proof command succeeded once, but not again " + Numbers.fixed(afterS, 1) + " s later (" + again
                + "); does a supervisor (systemd's Restart=, a container's restart policy) restart the service?";
    }

    private String neverHeld(CommandResult outcome) {
        return "the proof command did not succeed within " + Numbers.general(confirmS) + " s: " + outcome;
    }
}
