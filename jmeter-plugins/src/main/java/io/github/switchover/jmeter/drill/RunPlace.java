package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.IdentitySettings;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.ServerClocks;
import java.nio.file.Path;
import java.util.Set;

/**
 * Where a load is recorded, and what must be known to do so.
 *
 * @param run the run's id
 * @param lateUs a good answer later than this is late
 * @param drill the run; null where another process conducts it, and only the load is recorded here
 * @param hosts who has taken part so far, servers by JMeter's names, this JVM as an empty one; grows
 * @param servers how far their clocks are ahead; grows
 */
public record RunPlace(
        Path directory,
        String run,
        IdentitySettings identity,
        long lateUs,
        RunClock clock,
        Drill drill,
        Set<String> hosts,
        ServerClocks servers) {}
