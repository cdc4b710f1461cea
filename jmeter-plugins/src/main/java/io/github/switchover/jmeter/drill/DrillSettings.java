package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.UsageException;
import io.github.switchover.jmeter.judge.Budgets;
import io.github.switchover.jmeter.streaming.StreamSettings;
import io.github.switchover.jmeter.target.Target;
import java.nio.file.Path;
import java.util.List;

/**
 * What is to be run beside the load. Times in seconds, rates per second.
 *
 * @param out where run directories are made
 * @param name of the run: part of its folder's name
 * @param probeRate null: what suits the target; 0: no metronome, so the outage is not measured
 * @param keptRate of probes on connections that stay
 * @param timeoutConnectS of a probe; null: the target's, or the usual one
 * @param timeoutReadS of a probe; null: the target's, or the usual one
 * @param lateS a good answer later than this after it was due is late
 * @param armed the user has said that a fault is meant; a lab needs no arming
 * @param faultPlan when what is fired; null: when {@link Drill#fire} is called
 * @param seed of what chose times at random, to be written down; null: nothing did
 * @param command what the user typed
 * @param stream where its points go while it is on; null: nowhere
 */
public record DrillSettings(
        Path out,
        String name,
        Target target,
        Double probeRate,
        double keptRate,
        Double timeoutConnectS,
        Double timeoutReadS,
        double lateS,
        double scrapeS,
        List<String> budgets,
        boolean armed,
        FaultPlan faultPlan,
        Long seed,
        List<String> command,
        StreamSettings stream) {

    public static final double LATE_S = 1.0;
    public static final double SCRAPE_S = 1.0;

    private static final double SCRAPE_LOWEST_S = 0.05;

    /**
     * A fault with its times.
     *
     * @param atS after the test has started
     * @param healAtS after the test has started; null: at the end of the test
     */
    public record FaultPlan(String fault, double atS, Double healAtS) {

        private static final double LATEST_S = 86_400;

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

        private static void checkTime(String name, double seconds) {
            if (!(seconds >= 0 && seconds <= LATEST_S)) {
                throw new UsageException("the " + name
                        + " must come between 0 s and a day after the test has started, not " + Numbers.general(seconds)
                        + " s");
            }
        }
    }

    public DrillSettings {
        budgets = List.copyOf(budgets);
        command = List.copyOf(command);
        budgets.forEach(Budgets::parse);
        if (probeRate != null && probeRate == 0 && keptRate > 0) {
            throw new UsageException("probes on kept connections need the others: the probe rate must not be 0");
        }
        if (!(scrapeS >= SCRAPE_LOWEST_S && scrapeS < Double.POSITIVE_INFINITY)) {
            throw new UsageException("the scrape interval must be at least " + Numbers.general(SCRAPE_LOWEST_S)
                    + " s, not " + Numbers.general(scrapeS));
        }
        if (!(lateS > 0 && lateS < Double.POSITIVE_INFINITY)) {
            throw new UsageException("the threshold for late must be above 0 s, not " + Numbers.general(lateS));
        }
    }

    /** A run with the usual settings, in which nothing is fired. */
    public static DrillSettings of(Path out, String name, Target target, Double probeRate) {
        return new DrillSettings(
                out, name, target, probeRate, 0, null, null, LATE_S, SCRAPE_S, List.of(), false, null, null, List.of(),
                null);
    }

    /** A fault may be fired: the target is a lab, or somebody meant it. */
    public boolean mayFire() {
        return armed || target.lab() != null;
    }

    /** The same, its points going there. */
    public DrillSettings streamedTo(StreamSettings other) {
        return new DrillSettings(
                out,
                name,
                target,
                probeRate,
                keptRate,
                timeoutConnectS,
                timeoutReadS,
                lateS,
                scrapeS,
                budgets,
                armed,
                faultPlan,
                seed,
                command,
                other);
    }
}
