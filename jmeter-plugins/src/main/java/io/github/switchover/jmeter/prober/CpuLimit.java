package io.github.switchover.jmeter.prober;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * CPU time that a thread has used since it last waited for something. What it did not get, because others had the
 * processor or the garbage collector had stopped it, does not count. For that thread alone.
 */
final class CpuLimit {

    /** A prober that cannot keep its rate must not take a core away from the balancers or the load for longer. */
    static final long LIMIT_NS = 200_000_000;

    /** Time without a wait after which CPU time is looked at, which costs a system call. */
    private static final long LOOK_NS = LIMIT_NS / 4;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private long sinceNs;
    private long cpuSinceNs = -1;

    /** True once for each time that the limit is reached. */
    boolean isTooMuch(boolean waited, long nowNs) {
        if (waited || sinceNs == 0) {
            sinceNs = nowNs;
            cpuSinceNs = -1;
            return false;
        }
        if (nowNs - sinceNs < LOOK_NS) {
            return false;
        }
        long cpuNs = threads.getCurrentThreadCpuTime();
        if (cpuSinceNs < 0) {
            cpuSinceNs = cpuNs;
        }
        if (cpuNs - cpuSinceNs < LIMIT_NS) {
            return false;
        }
        sinceNs = 0;
        return true;
    }
}
