package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.FailureKind;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.run.ChangeRun;
import io.github.switchover.jmeter.run.ReasonCode;
import io.github.switchover.jmeter.run.VerdictReason;
import java.util.List;

/** Requests that had ended when the first change was made, and those of them that had failed. Not thread-safe. */
final class BeforeChanges {

    private final long firstUs;
    private final MostFailed mostFailed = new MostFailed();
    private long total;
    private long failed;

    /** {@code made}: in the order of time; before none there is nothing. */
    BeforeChanges(List<ChangeRun> made) {
        firstUs = made.isEmpty() ? Long.MIN_VALUE : made.get(0).fromUs();
    }

    void add(Sample sample) {
        if (sample.endUs() >= firstUs || sample.error() == FailureKind.GENERATOR) {
            return;
        }
        total++;
        if (!sample.success()) {
            failed++;
            mostFailed.add(sample);
        }
    }

    /** More than this share had failed. */
    boolean exceeds(double share) {
        return failed > share * total;
    }

    VerdictReason reason(ReasonCode code) {
        String most = CourseReasons.because(mostFailed.text());
        return VerdictReason.of(code, "failed", failed, "total", total, "most", most);
    }
}
