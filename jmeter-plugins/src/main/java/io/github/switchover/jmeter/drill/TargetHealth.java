package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.command.UninterruptedWait;
import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.faults.FaultException;
import io.github.switchover.jmeter.metronome.Metronome;
import io.github.switchover.jmeter.metronome.MetronomeProgress;
import io.github.switchover.jmeter.target.Target;
import java.util.concurrent.CountDownLatch;

/**
 * Whether the target answers before a fault is fired. A fault is not fired at a real one that is not well; in the lab the report
 * says that it was not.
 *
 * @param stopped the run is over: then there is nothing to wait for
 */
record TargetHealth(Target target, Metronome metronome, CountDownLatch stopped) {

    /** Longer than the metronome's second between two states, and than a probe's time-outs. */
    private static final long FIRST_STATUS_NS = 3_000_000_000L;

    private static final long TICK_NS = 100_000_000;

    /** @throws FaultException in one line, if the target is not well */
    void require() {
        MetronomeProgress probes = firstAnswers();
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

    static String whatFailed(MetronomeProgress probes) {
        if (probes == null || probes.sent() == 0) {
            return "none sent";
        }
        String last = probes.lastError() == null
                ? ""
                : ", the last: " + probes.lastError().label();
        String late = isSlow(probes) ? ", " + probes.late() + " came late" : "";
        return probes.failed() + " of " + probes.sent() + " probes failed" + late + last;
    }

    /** As many come late as make a run NOT TRUSTED. */
    private static boolean isSlow(MetronomeProgress probes) {
        return probes.late() > Outcome.LATE_SHARE * (probes.good() + probes.late() + probes.failed());
    }

    /** What became of the probes so far; waits until the metronome has told of some, which it does each second. */
    private MetronomeProgress firstAnswers() {
        long limitNs = System.nanoTime() + FIRST_STATUS_NS;
        while (System.nanoTime() < limitNs) {
            MetronomeProgress probes = metronome.progress();
            if (probes != null && probes.good() + probes.late() + probes.failed() > 0) {
                return probes;
            }
            if (UninterruptedWait.await(stopped, TICK_NS)) {
                break;
            }
        }
        return metronome.progress();
    }
}
