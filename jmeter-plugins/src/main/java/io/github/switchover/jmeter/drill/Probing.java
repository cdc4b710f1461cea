package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.metronome.Metronome;
import io.github.switchover.jmeter.metronome.MetronomeSettings;
import io.github.switchover.jmeter.metronome.ProbeRecords;
import io.github.switchover.jmeter.run.RunDirectory;
import io.github.switchover.jmeter.run.RunSettings.ProbeSettings;
import io.github.switchover.jmeter.target.Endpoint;
import io.github.switchover.jmeter.target.Target;
import java.nio.file.Path;

/**
 * How the metronome probes in a run: what was chosen; for what was not, what the target file says or suits the target.
 *
 * @param metronome null: nothing is probed
 */
record Probing(DrillSettings settings, MetronomeSettings metronome, double connectS, double readS) {

    static final String JOURNAL = "journal-metronome.lp";

    private static final double MS = 1000;

    /**
     * When JMeter has told all elements that a test starts it collects all garbage (StandardJMeterEngine, "helpGC"), which
     * stops every thread for 30 to 300 ms (measured with 5.6.3). No probe is due before that is over.
     */
    private static final double HEAD_START_S = 0.5;

    /** @throws io.github.switchover.jmeter.core.UsageException for a setting that cannot be meant */
    static Probing of(DrillSettings settings) {
        Target target = settings.target();
        Endpoint endpoint = target.endpoint();
        double usual = target.lab() == null ? MetronomeSettings.RATE_ELSEWHERE : MetronomeSettings.RATE_IN_LAB;
        double rate =
                settings.probing().rate() == null ? usual : settings.probing().rate();
        double connectS = first(
                settings.probing().timeoutConnectS(),
                endpoint.timeouts().timeoutConnectS(),
                MetronomeSettings.TIMEOUT_CONNECT_S);
        double readS = first(
                settings.probing().timeoutReadS(),
                endpoint.timeouts().timeoutReadS(),
                MetronomeSettings.TIMEOUT_READ_S);
        MetronomeSettings metronome = rate == 0
                ? null
                : new MetronomeSettings(
                        endpoint,
                        rate,
                        settings.probing().keptRate(),
                        connectS,
                        readS,
                        settings.probing().lateS(),
                        HEAD_START_S);
        return new Probing(settings, metronome, connectS, readS);
    }

    boolean isProbed() {
        return metronome != null;
    }

    Metronome start(Path directory, String run, RunClock clock) {
        ProbeRecords records = new ProbeRecords(
                directory.resolve(RunDirectory.PROBES_FILE),
                directory.resolve(JOURNAL),
                run,
                "",
                metronome.endpoint().url());
        return Metronome.start(metronome, settings.target().identity(), clock, records);
    }

    /** As run.json has them. */
    ProbeSettings facts() {
        return new ProbeSettings(
                metronome == null ? 0.0 : metronome.rate(),
                metronome == null ? 0.0 : metronome.keptRate(),
                connectS * MS,
                readS * MS,
                settings.probing().lateS() * MS,
                settings.probing().scrapeS() * MS);
    }

    private static double first(Double chosen, Double ofTarget, double usual) {
        if (chosen != null) {
            return chosen;
        }
        return ofTarget == null ? usual : ofTarget;
    }
}
