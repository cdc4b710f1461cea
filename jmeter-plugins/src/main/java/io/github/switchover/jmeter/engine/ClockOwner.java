package io.github.switchover.jmeter.engine;

import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.ServerClocks;

/** The run in the client of a remote test: its servers compare their clocks with this one's. */
public interface ClockOwner {

    /** The clock of the run. */
    RunClock clock();

    /** How far the servers of this test are ahead of it. */
    ServerClocks serverClocks();

    /** The run does not end before {@code desk} has left. */
    void enter(Object desk, String server);

    void leave(Object desk, String server);
}
