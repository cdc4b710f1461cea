package io.github.switchover.jmeter.recording;

import io.github.switchover.jmeter.core.IdentitySettings;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.ServerClocks;
import java.nio.file.Path;
import java.util.Set;

/**
 * What a load is recorded as.
 *
 * @param directory the run directory
 * @param run the run's id
 * @param lateUs what a good sample may take without being called late
 * @param workers who takes part, known by the end: servers by JMeter's names, this process as an empty one
 * @param servers how far their clocks are ahead, as far as that is known by now
 * @param load where it comes from, for {@code load.json}
 */
public record RecorderSettings(
        Path directory,
        String run,
        IdentitySettings identity,
        long lateUs,
        RunClock clock,
        Set<String> workers,
        ServerClocks servers,
        JMeterLoad.LoadOrigin load) {}
