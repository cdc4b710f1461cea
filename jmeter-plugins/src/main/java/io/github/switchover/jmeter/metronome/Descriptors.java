package io.github.switchover.jmeter.metronome;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** Open files are a limit of the client: an outage in which every probe hangs must not run into it. */
final class Descriptors {

    private Descriptors() {}

    /** A warning if so many connections more than now may be too many; else null. */
    static String warning(long connections) {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            long limit = system.getMaxFileDescriptorCount();
            if (system.getOpenFileDescriptorCount() + connections > limit) {
                return "up to " + connections + " connections can be open at this rate and these timeouts, and the "
                        + "limit of open files is " + limit
                        + ": raise it (ulimit -n), or some probes end as generator errors";
            }
        }
        return null;
    }
}
