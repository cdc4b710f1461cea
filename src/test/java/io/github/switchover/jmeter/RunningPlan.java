package io.github.switchover.jmeter;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.jmeter.engine.StandardJMeterEngine;

/** A test that is on, in this JVM. */
public final class RunningPlan {

    private static final long BOUND_MS = 60_000;

    private final StandardJMeterEngine engine;
    private final Thread thread;

    RunningPlan(StandardJMeterEngine engine) {
        this.engine = engine;
        thread = new Thread(engine, "test");
        thread.start();
    }

    /** {@code now}: without waiting for samples that are under way. */
    public void stop(boolean now) {
        engine.stopTest(now);
    }

    public void awaitEnd() throws InterruptedException {
        thread.join(BOUND_MS);
        assertThat(thread.isAlive()).as("the test goes on").isFalse();
    }
}
