package io.github.switchover.jmeter.drill;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.prober.ProbeRecords;
import io.github.switchover.jmeter.prober.Prober;
import io.github.switchover.jmeter.prober.ProberSettings;
import io.github.switchover.jmeter.run.RunDirectory;
import io.github.switchover.jmeter.target.Endpoint;
import io.github.switchover.jmeter.target.Target;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The settings of the prober in a run, completed by the target file and defaults. */
record Probing(DrillSettings settings, @Nullable ProberSettings prober, double connectS, double readS) {

    static final String JOURNAL = "journal-prober.lp";

    private static final double MS = 1000;

    /**
     * The seconds before the first probe is due, after JMeter's garbage collection at the start of a test ("helpGC"),
     * which stops every thread for 30 to 300 ms (measured with 5.6.3).
     */
    private static final double HEAD_START_S = 0.5;

    /** @throws io.github.switchover.jmeter.core.SwitchoverException.UsageException for an invalid setting */
    static Probing of(DrillSettings settings) {
        Target target = settings.target();
        Endpoint endpoint = target.endpoint();
        double usual = target.lab() == null ? ProberSettings.RATE_ELSEWHERE : ProberSettings.RATE_IN_LAB;
        double rate = first(settings.probing().rate(), null, usual);
        double connectS = first(
                settings.probing().timeoutConnectS(),
                endpoint.timeouts().timeoutConnectS(),
                ProberSettings.TIMEOUT_CONNECT_S);
        double readS = first(
                settings.probing().timeoutReadS(), endpoint.timeouts().timeoutReadS(), ProberSettings.TIMEOUT_READ_S);
        ProberSettings prober = rate == 0
                ? null
                : new ProberSettings(
                        endpoint, rate, connectS, readS, settings.probing().lateS(), HEAD_START_S);
        return new Probing(settings, prober, connectS, readS);
    }

    boolean isProbed() {
        return prober != null;
    }

    Prober start(Path directory, String run, RunClock clock) {
        ProbeRecords records = new ProbeRecords(
                directory.resolve(RunDirectory.PROBES_FILE),
                directory.resolve(JOURNAL),
                run,
                "",
                requireNonNull(prober).endpoint().url());
        return Prober.start(prober, settings.target().identity(), clock, records);
    }

    /** The settings for run.json. A rate of 0 means that there is no prober. */
    Tree facts() {
        return Tree.of(
                "probe_rate", prober == null ? 0.0 : prober.rate(),
                "kept_rate", 0.0,
                "timeout_connect_ms", connectS * MS,
                "timeout_read_ms", readS * MS,
                "late_ms", settings.probing().lateS() * MS,
                "scrape_interval_ms", settings.probing().scrapeS() * MS);
    }

    private static double first(@Nullable Double chosen, @Nullable Double ofTarget, double usual) {
        if (chosen != null) {
            return chosen;
        }
        return ofTarget == null ? usual : ofTarget;
    }
}
