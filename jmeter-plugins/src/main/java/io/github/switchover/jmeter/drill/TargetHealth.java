package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.command.UninterruptedWait;
import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.prober.Prober;
import io.github.switchover.jmeter.prober.Prober.ProberProgress;
import io.github.switchover.jmeter.target.Target;
import java.util.concurrent.CountDownLatch;

/**
 * Checks that the target answers before a fault is fired. A real target that is not well gets no fault. In the lab
 * the report records that the target was not well.
 *
 * @param stopped the run is over: then there is nothing to wait for
 */
record TargetHealth(Target target, Prober prober, CountDownLatch stopped) {

    /** Longer than the prober's second between two states, and than a probe's time-outs. */
    private static final long FIRST_STATUS_NS = 3_000_000_000L;

    private static final long TICK_NS = 100_000_000;

    /** @throws FaultException in one line, if the target is not well */
    void require() {
        ProberProgress probes = firstAnswers();
        String what;
        if (probes == null || probes.good() + probes.late() == 0) {
            what = "gave no good answer";
        } else if (target.lab() == null && (probes.failed() > 0 || isSlow(probes))) {
            what = "was not well";
        } else {
            return;
        }
        throw new FaultException(PublicText.url(target.endpoint().url()) + " " + what + " in the baseline ("
                + whatFailed(probes) + "): nothing was fired; try '" + doctor() + "'");
    }

    /** A lab is asked from its own hosts: as likely as not it was asked from outside. */
    private String doctor() {
        String doctor = "switchover doctor --target FILE";
        return target.lab() == null ? doctor : "switchover lab exec client -- " + doctor;
    }

    static String whatFailed(ProberProgress probes) {
        if (probes == null || probes.sent() == 0) {
            return "none sent";
        }
        String last = probes.lastError() == null
                ? ""
                : ", the last: " + probes.lastError().label();
        String late = isSlow(probes) ? ", " + probes.late() + " came late" : "";
        return probes.failed() + " of " + probes.sent() + " probes failed" + late + last;
    }

    /** True if the share of late answers would make a run INVALID. */
    private static boolean isSlow(ProberProgress probes) {
        return probes.late() > Outcome.LATE_SHARE * (probes.good() + probes.late() + probes.failed());
    }

    /** The counts of the probes so far; waits for the prober's first counts, which it reports each second. */
    private ProberProgress firstAnswers() {
        long limitNs = System.nanoTime() + FIRST_STATUS_NS;
        while (System.nanoTime() < limitNs) {
            ProberProgress probes = prober.progress();
            if (probes != null && probes.good() + probes.late() + probes.failed() > 0) {
                return probes;
            }
            if (UninterruptedWait.await(stopped, TICK_NS)) {
                break;
            }
        }
        return prober.progress();
    }
}
