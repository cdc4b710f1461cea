package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.command.UninterruptedWait;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.ChangeRun;
import java.util.concurrent.CountDownLatch;

/** Makes the changes that a plan has, by their times. */
final class ChangeSeries implements Runnable {

    private final ChangeControl changes;
    private final DrillSettings.ChangePlan plan;
    private final RunRecord record;
    private final CountDownLatch stopped;

    ChangeSeries(ChangeControl changes, DrillSettings.ChangePlan plan, RunRecord record, CountDownLatch stopped) {
        this.changes = changes;
        this.plan = plan;
        this.record = record;
        this.stopped = stopped;
    }

    @Override
    public void run() {
        UninterruptedWait.await(stopped, Units.ns(plan.atS()));
        int made = 0;
        ChangeRun last = null;
        try {
            for (; made < plan.times() && stopped.getCount() > 0; made++) {
                last = changes.make(plan.change(), plan.everyS(), Runnable::run, () -> false);
                if (last == null) {
                    return;
                }
            }
        } catch (SwitchoverException error) {
            tellWhy(error.getMessage());
            return;
        }
        String ofAll = " of " + plan.times();
        if (made < plan.times()) {
            record.stop("the test ended after " + made + ofAll + " changes");
        } else if (!last.isSettled()) {
            record.stop("the test ended in the middle of change " + made + ofAll);
        }
    }

    /** Those that were made stay; without one the run is not what it was meant to be. */
    private void tellWhy(String error) {
        if (changes.count() == 0) {
            record.notFired(plan.change(), error);
        } else {
            record.stop("after " + changes.count() + " of " + plan.times() + " changes: " + error);
        }
        record.save();
    }
}
