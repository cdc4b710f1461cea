package io.github.switchover.jmeter.prober;

/**
 * The threads of one prober: the loop, which owns the sockets; an alarm, which wakes it when a probe is due; and one
 * that gives the probes to the sink. They run before they know what for. Thread-safe.
 */
final class Threads {

    /** For writing on a busy disk. */
    private static final long END_TIMEOUT_NS = 10_000_000_000L;

    private final ProberThread loop = new ProberThread("prober");
    private final ProberThread alarm = new ProberThread("prober alarm");
    private final ProberThread records = new ProberThread("prober records");
    private boolean realtime;

    /** Real-time scheduling, where it is allowed, for those that must be on time. */
    synchronized void becomePunctual() {
        realtime = RealTimeScheduling.become(loop.systemName()) && RealTimeScheduling.become(alarm.systemName());
    }

    /** It was too much. */
    void giveBackPunctuality() {
        synchronized (this) {
            if (!realtime) {
                return;
            }
            realtime = false;
        }
        RealTimeScheduling.giveBack(loop.systemName());
        RealTimeScheduling.giveBack(alarm.systemName());
    }

    synchronized boolean arePunctual() {
        return realtime;
    }

    /** What they are for; once. */
    void begin(Runnable looping, Runnable waking, Runnable recording) {
        loop.begin(looping);
        alarm.begin(waking);
        records.begin(recording);
    }

    /** There is nothing to do. */
    void cancel() {
        loop.cancel();
        alarm.cancel();
        records.cancel();
    }

    /** What the operating system calls the loop's thread; empty if that cannot be told. */
    String sender() {
        return loop.systemName();
    }

    boolean isLoopAlive() {
        return loop.isAlive();
    }

    /** Why the loop ended, if it should not have. */
    Throwable failure() {
        return loop.failure();
    }

    /** Waits for loop and alarm, which have been told to stop, then ends what records; true if all ended in order. */
    boolean end(ProbeQueue queue, long probesTakeNs) {
        try {
            boolean loopEnded = loop.join(probesTakeNs + END_TIMEOUT_NS);
            boolean alarmEnded = alarm.join(END_TIMEOUT_NS);
            if (!queue.end(END_TIMEOUT_NS) || !records.join(END_TIMEOUT_NS)) {
                records.interrupt();
                return false;
            }
            return loopEnded && alarmEnded;
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** CPU time that all of them took; 0 before their end. */
    long cpuNs() {
        return loop.cpuNs() + alarm.cpuNs() + records.cpuNs();
    }
}
