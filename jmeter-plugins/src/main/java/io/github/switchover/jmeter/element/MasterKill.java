package io.github.switchover.jmeter.element;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.drill.Drill;
import io.github.switchover.jmeter.drill.DrillSettings;
import io.github.switchover.jmeter.drill.Runs;
import io.github.switchover.jmeter.engine.CurrentTest;
import io.github.switchover.jmeter.recording.NoRequest;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.target.FaultRecipe;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.jmeter.samplers.AbstractSampler;
import org.apache.jmeter.samplers.Entry;
import org.apache.jmeter.samplers.SampleResult;
import org.jspecify.annotations.Nullable;

/**
 * Fires and heals a fault when a thread of the plan reaches it, once per run. Later threads make no sample.
 *
 * <p>In a remote test only Balancer Target fires a fault: a server has no run. The sampler is not {@code
 * Interruptible}, so a Sample Timeout does not end its waits.
 */
public class MasterKill extends AbstractSampler implements TableBean {

    public static final String FIRE = "fire";
    public static final String HEAL = "heal";
    public static final String FIRE_AND_HEAL = "fireAndHeal";
    public static final String EXTERNAL = "external";

    /** The value in plans of earlier versions. */
    private static final String SHOWN_FIRE_AND_HEAL = "fire, then heal";

    private static final long serialVersionUID = 1L;
    private static final double IDLE_S = 0.25;

    /** Registers the planned fault before the run. Calls on the clones of threads are ignored. */
    @Override
    public void setRunningVersion(boolean running) {
        super.setRunningVersion(running);
        boolean fires = !Set.of(HEAL, EXTERNAL).contains(getPropertyAsString("action"));
        if (running && Runs.ofThisJvm().current() == null && fires) {
            PlannedKills.add(getPropertyAsString("fault").strip());
        }
    }

    @Override
    public @Nullable SampleResult sample(Entry entry) {
        NoRequest result = NoRequest.start(getName());
        result.setSamplerData(text("action") + " " + text("fault"));
        try {
            String message = act(result);
            if (message == null) {
                rest();
                return null;
            }
            result.finish(true, message, message);
        } catch (SwitchoverException error) {
            result.finish(false, error.getMessage(), error.getMessage());
            Drill drill = Runs.ofThisJvm().current();
            if (drill != null && !isStopped()) {
                drill.refuseKill(error.getMessage());
            }
            rest();
        }
        return result;
    }

    /** Sleeps, because a thread that loops only over Master Kills would use a CPU core that the prober needs. */
    private void rest() {
        if (getThreadContext().getPreviousSampler() instanceof MasterKill) {
            sleep(IDLE_S);
        }
    }

    private boolean isStopped() {
        return isInterrupted() || CurrentTest.isStopping();
    }

    private static boolean isInterrupted() {
        return Thread.currentThread().isInterrupted();
    }

    /** Fires or heals the fault, and returns a message. */
    private @Nullable String act(SampleResult result) {
        Drill drill = drill();
        Field chosen = field("action");
        return switch (chosen.orElse(FIRE_AND_HEAL)) {
            case FIRE -> fire(drill, result, null);
            case HEAL -> {
                pause(result, delayS());
                yield heal(drill);
            }
            case FIRE_AND_HEAL, SHOWN_FIRE_AND_HEAL -> fireAndHeal(drill, result);
            case EXTERNAL -> external(drill, result);
            default ->
                throw chosen.refusal(chosen.shown() + " is invalid: write " + FIRE + ", " + HEAL + ", " + FIRE_AND_HEAL
                        + " or " + EXTERNAL);
        };
    }

    private Field field(String key) {
        return new Field(MasterKill.class, key, text(key));
    }

    private static Drill drill() {
        Drill drill = Runs.ofThisJvm().current();
        if (drill != null) {
            return drill;
        }
        throw new UsageException(
                Runs.ofThisJvm().isConducted()
                        ? "nothing was fired: another process controls this run and fires its fault"
                        : "nothing was fired: this JVM has no run; put a Balancer Target into the plan; in a remote"
                                + " test fill in Fault and Fire at of Balancer Target");
    }

    private static String name(Field written, Map<String, FaultRecipe> known) {
        String name = written.orElse("");
        if (name.isEmpty()) {
            throw new UsageException("nothing was fired: " + written.name()
                    + " is empty; name a fault of the target file: "
                    + String.join(", ", new TreeSet<>(known.keySet())));
        }
        return name;
    }

    private @Nullable String fire(Drill drill, SampleResult result, @Nullable Double healWithinS) {
        String name = name(field("fault"), drill.target().faults());
        if (drill.plan().firedFromUs() != null && name.equals(drill.fault().name())) {
            return null;
        }
        pause(result, delayS());
        if (isStopped()) {
            throw new UsageException(name + " was not fired: the test was stopped before");
        }
        if (!drill.faults().fireFirst(name, healWithinS, this::isStopped)) {
            return null;
        }
        if (drill.isDryRun()) {
            return "dry run of " + name + on(drill.fault()) + ": nothing was fired";
        }
        PlanTimes plan = drill.plan();
        return "fired " + name + on(drill.fault()) + ": confirmed "
                + ms(requireNonNull(plan.confirmedUs()) - requireNonNull(plan.firedFromUs())) + " ms later";
    }

    private @Nullable String external(Drill drill, SampleResult result) {
        pause(result, delayS());
        if (isStopped()) {
            throw new UsageException("no fault was recorded: the test was stopped first");
        }
        return drill.faults().noteExternal() ? "recorded a fault that another program fired" : null;
    }

    private @Nullable String heal(Drill drill) {
        if (drill.isDryRun()) {
            return null;
        }
        if (drill.plan().firedFromUs() == null) {
            throw new UsageException("there is nothing to heal: nothing was fired");
        }
        if (drill.plan().healFromUs() != null) {
            return null;
        }
        drill.faults().heal();
        PlanTimes plan = drill.plan();
        return "healed " + drill.fault().name() + " in "
                + ms(requireNonNull(plan.healedUs()) - requireNonNull(plan.healFromUs())) + " ms";
    }

    private @Nullable String fireAndHeal(Drill drill, SampleResult result) {
        double seconds = field("hold").seconds(0);
        String fired = fire(drill, result, seconds);
        if (fired == null || drill.isDryRun()) {
            return fired;
        }
        pause(result, seconds);
        if (isInterrupted()) {
            drill.stop(
                    "the test was stopped before the heal that was planned after " + Numbers.general(seconds) + " s");
        }
        String healed = heal(drill);
        return healed == null ? fired : fired + "; " + healed;
    }

    private double delayS() {
        Field written = field("delay");
        double seconds = written.seconds(0);
        if (seconds > DrillSettings.FaultPlan.LATEST_S) {
            throw written.refusal("at most one day, not " + Numbers.general(seconds) + " s");
        }
        return seconds;
    }

    private static void sleep(double seconds) {
        try {
            TimeUnit.NANOSECONDS.sleep(Units.ns(seconds));
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits, and excludes the wait from the time of the sample, which contains only the commands. */
    private static void pause(SampleResult result, double seconds) {
        result.samplePause();
        sleep(seconds);
        result.sampleResume();
    }

    private static String on(FaultRun fault) {
        return fault.victim() == null ? "" : " on " + fault.victim();
    }

    private static long ms(long us) {
        return Math.round(Units.msOfUs(us));
    }

    /**
     * The faults that the Master Kills of a plan may fire. Thread-safe.
     *
     * <p>JMeter calls {@code setRunningVersion} on all elements before it notifies any element of the start.
     */
    static final class PlannedKills {

        private static final Set<String> FAULTS = new TreeSet<>();
        private static long startedMs;

        /** {@code fault}: its name; empty or with a variable: unknown until a thread reaches the element. */
        static synchronized void add(String fault) {
            forgetEarlierTests();
            FAULTS.add(fault);
        }

        static synchronized Set<String> ofThisTest() {
            forgetEarlierTests();
            return Set.copyOf(FAULTS);
        }

        private static void forgetEarlierTests() {
            long nowMs = CurrentTest.startedMs();
            if (nowMs != startedMs) {
                startedMs = nowMs;
                FAULTS.clear();
            }
        }
    }
}
