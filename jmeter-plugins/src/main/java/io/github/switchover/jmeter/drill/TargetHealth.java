package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.command.UninterruptedWait;
import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.prober.Prober;
import io.github.switchover.jmeter.prober.Prober.ProberProgress;
import io.github.switchover.jmeter.target.Target;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Checks that the target answers before a fault. A lab's report records an unhealthy target instead. */
record TargetHealth(Target target, Prober prober, CountDownLatch stopped) {

    /** The longest wait for the first counts, longer than the prober's interval of 1 s and a probe's time-outs. */
    private static final long FIRST_STATUS_NS = 3_000_000_000L;

    private static final long TICK_NS = 100_000_000;

    /** @throws FaultException with a one-line message if the target is unhealthy */
    void require() {
        ProberProgress probes = firstAnswers();
        String what;
        if (probes == null || probes.good() + probes.late() == 0) {
            what = "gave no good answer";
        } else if (target.lab() == null && (probes.failed() > 0 || isSlow(probes))) {
            what = "was not healthy";
        } else {
            return;
        }
        throw new FaultException(PublicText.url(target.endpoint().url()) + " " + what + " in the baseline ("
                + describeFailures(probes) + "): nothing was fired; try '" + doctor() + "'");
    }

    /** The command to check the target. A lab can only be reached from its own hosts. */
    private String doctor() {
        String doctor = "switchover doctor --target FILE";
        return target.lab() == null ? doctor : "switchover lab exec client -- " + doctor;
    }

    static String describeFailures(@Nullable ProberProgress probes) {
        if (probes == null || probes.sent() == 0) {
            return "none sent";
        }
        String last = probes.lastError() == null
                ? ""
                : ", the last failure: " + probes.lastError().label();
        String late = isSlow(probes) ? ", " + probes.late() + " were late" : "";
        return probes.failed() + " of " + probes.sent() + " probes failed" + late + last;
    }

    /** True if the share of late answers would make a run INVALID. */
    private static boolean isSlow(ProberProgress probes) {
        return probes.late() > Outcome.LATE_SHARE * (probes.good() + probes.late() + probes.failed());
    }

    /** The counts of the probes so far. Waits for the first counts; the prober reports each second. */
    private @Nullable ProberProgress firstAnswers() {
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
