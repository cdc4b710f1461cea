package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.command.UninterruptedWait;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.engine.CurrentTest;
import io.github.switchover.jmeter.prober.Prober;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Fires and heals at the planned times, and detects a prober that has ended. */
final class RunWatcher implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(RunWatcher.class);
    private static final long TICK_NS = 100_000_000;

    private final FaultControl fault;
    private final DrillSettings.@Nullable FaultPlan plan;
    private final @Nullable Prober prober;
    private final CountDownLatch stopped;
    private final BooleanSupplier isStopping = CurrentTest.stopping();
    private final long beganNs = System.nanoTime();
    private boolean fired;
    private boolean healed;
    private boolean measured = true;

    RunWatcher(
            FaultControl fault,
            DrillSettings.@Nullable FaultPlan plan,
            @Nullable Prober prober,
            CountDownLatch stopped) {
        this.fault = fault;
        this.plan = plan;
        this.prober = prober;
        this.stopped = stopped;
    }

    @Override
    public void run() {
        while (!UninterruptedWait.await(stopped, Math.min(TICK_NS, nextNs()))) {
            fault.beat();
            look();
            followPlan();
        }
    }

    private void look() {
        String died = prober == null || !measured ? null : prober.died();
        if (died != null) {
            measured = false;
            fault.giveUp(died);
        }
    }

    private void followPlan() {
        if (plan == null || nextNs() > 0) {
            return;
        }
        try {
            if (!fired) {
                fired = true;
                Double healWithinS = plan.healAtS() == null ? null : plan.healAtS() - plan.atS();
                fault.fireFirst(plan.fault(), healWithinS, isStopping);
            } else {
                healed = true;
                fault.heal();
            }
        } catch (SwitchoverException error) {
            // The error is in run.json and in the messages. The load continues.
            log.debug("not as planned", error);
        }
    }

    /** The ns until the next action; 0 or less if an action is due. */
    private long nextNs() {
        Double atS = plan == null ? null : !fired ? (Double) plan.atS() : healed ? null : plan.healAtS();
        return atS == null ? TICK_NS : beganNs + Units.ns(atS) - System.nanoTime();
    }
}
