package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.faults.Preflight.Allowance;
import io.github.switchover.jmeter.faults.Staging.Arming;
import io.github.switchover.jmeter.streaming.StreamSettings;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.verdict.Limit;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The settings of a run: its directory, its probes, its fault, its limits and its database. */
public record DrillSettings(
        RunOrigin origin,
        Target target,
        ProbeChoice probing,
        FaultChoice firing,
        List<String> limits,
        @Nullable StreamSettings stream) {

    /** The folder of the run directories, the run's name in its directory, and the typed command line. */
    public record RunOrigin(Path out, String name, List<String> command) {}

    /** Times in seconds; null: the target's. {@code rate} per second: null chooses it, 0 means no prober. */
    public record ProbeChoice(
            @Nullable Double rate,
            @Nullable Double timeoutConnectS,
            @Nullable Double timeoutReadS,
            double lateS,
            double scrapeS) {
        public ProbeChoice {
            if (!(scrapeS >= SCRAPE_LOWEST_S && scrapeS < Double.POSITIVE_INFINITY)) {
                throw new UsageException("the scrape interval must be at least " + Numbers.general(SCRAPE_LOWEST_S)
                        + " s, not " + Numbers.general(scrapeS));
            }
            if (!(lateS > 0 && lateS < Double.POSITIVE_INFINITY)) {
                throw new UsageException("the threshold for late must be above 0 s, not " + Numbers.general(lateS));
            }
        }

        /** The default settings with a given {@code rate}. */
        public static ProbeChoice usual(Double rate) {
            return new ProbeChoice(rate, null, null, LATE_S, SCRAPE_S);
        }
    }

    /** The faults that may be fired. {@code killsInPlan}: an element of the plan calls {@link FaultControl#fireFirst}. */
    public record FaultChoice(
            Arming arming,
            Set<Allowance> allowed,
            boolean dryRun,
            @Nullable FaultPlan plan,
            boolean killsInPlan) {
        static final FaultChoice NONE = new FaultChoice(Arming.UNCONFIRMED, Set.of(), false, null, false);

        Arming armingToStage() {
            return dryRun ? Arming.CONFIRMED : arming;
        }
    }

    public static final double LATE_S = 1.0;
    public static final double SCRAPE_S = 1.0;

    private static final double SCRAPE_LOWEST_S = 0.05;

    /** A fault with its times in seconds after the start of the test. {@code healAtS} null: at its end. */
    public record FaultPlan(
            String fault, double atS, @Nullable Double healAtS) {

        public static final double LATEST_S = 86_400;

        public FaultPlan {
            checkTime("fault", atS);
            if (healAtS != null) {
                checkTime("heal", healAtS);
                if (healAtS <= atS) {
                    throw new UsageException("the heal at " + Numbers.general(healAtS)
                            + " s must come after the fault at " + Numbers.general(atS) + " s");
                }
            }
        }

        /** Checks the seconds from the confirmation to the heal; null: the heal is at the end of the test. */
        static void checkHold(@Nullable Double holdS) {
            if (holdS != null && !(holdS <= LATEST_S)) {
                throw new UsageException("a fault may last at most one day, not " + Numbers.general(holdS) + " s");
            }
        }

        private static void checkTime(String name, double seconds) {
            if (!(seconds >= 0 && seconds <= LATEST_S)) {
                throw new UsageException(
                        "the " + name + " must be between 0 s and one day after the start of the test, not "
                                + Numbers.general(seconds) + " s");
            }
        }
    }

    public DrillSettings {
        limits.forEach(Limit::parse);
    }

    /** The default settings for a run without a fault. */
    public static DrillSettings of(
            Path out, String name, Target target, Double probeRate, @Nullable StreamSettings stream) {
        return new DrillSettings(
                new RunOrigin(out, name, List.of()),
                target,
                ProbeChoice.usual(probeRate),
                FaultChoice.NONE,
                List.of(),
                stream);
    }

    /** True if a fault may be fired: the target is a lab, or the user has armed the faults. */
    public boolean mayFire() {
        return firing.arming == Arming.CONFIRMED || target.lab() != null;
    }

    /** The name of the fault that this run may fire, for messages; null: unknown at the start of the run. */
    @Nullable
    String expectedFault() {
        if (!mayFire() && !firing.dryRun) {
            return null;
        }
        return firing.plan != null ? firing.plan.fault() : firing.killsInPlan ? "Master Kill" : null;
    }

    /** The planned fault. */
    public @Nullable FaultPlan faultPlan() {
        return firing.plan;
    }

    public DrillSettings armed(Arming said) {
        FaultChoice choice = new FaultChoice(said, firing.allowed, firing.dryRun, firing.plan, firing.killsInPlan);
        return new DrillSettings(origin, target, probing, choice, limits, stream);
    }
}
