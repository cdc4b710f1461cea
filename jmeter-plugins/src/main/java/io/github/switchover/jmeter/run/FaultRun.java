package io.github.switchover.jmeter.run;

/**
 * The fault of a run: its name, whom it hit, and what theory predicts for the outage.
 *
 * @param kind {@code master}, {@code backend}, or {@code none}
 * @param masterSource how the master was found: header, neighbour, witness or counters
 * @param uniform by theory, kills at random moments give outages spread evenly over the window
 * @param error why it counts as not done, if it does; else null
 */
public record FaultRun(
        String name,
        String kind,
        String master,
        String backup,
        String victim,
        String masterSource,
        Double predictLowMs,
        Double predictHighMs,
        String predictReason,
        boolean uniform,
        Double failbackLowMs,
        Double failbackHighMs,
        String error) {

    public static final String MASTER = "master";
    public static final String BACKEND = "backend";
    public static final String NONE = "none";

    /** A fault of which nothing is known but whom it hit. */
    public FaultRun(String name, String kind, String master, String backup, String victim, String masterSource) {
        this(name, kind, master, backup, victim, masterSource, null, null, "", false, null, null, null);
    }

    public FaultRun withError(String why) {
        return new FaultRun(
                name,
                kind,
                master,
                backup,
                victim,
                masterSource,
                predictLowMs,
                predictHighMs,
                predictReason,
                uniform,
                failbackLowMs,
                failbackHighMs,
                why);
    }
}
