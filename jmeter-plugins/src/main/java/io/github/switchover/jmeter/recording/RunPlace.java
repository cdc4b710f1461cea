package io.github.switchover.jmeter.recording;

import io.github.switchover.jmeter.core.IdentitySettings;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.ServerClocks;
import java.nio.file.Path;
import java.util.Set;

/**
 * Where a load is recorded, and what must be known to do so.
 *
 * @param directory the run directory
 * @param run the run's id
 * @param lateUs what a good sample may take without being called late
 * @param hosts who has taken part so far, servers by JMeter's names, this JVM as an empty one; grows
 * @param servers how far their clocks are ahead, as far as that is known by now
 */
public record RunPlace(
        Path directory,
        String run,
        IdentitySettings identity,
        long lateUs,
        RunClock clock,
        Set<String> hosts,
        ServerClocks servers) {}
