package io.github.switchover.jmeter.core;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * The clock of a run: the monotonic clock plus an anchor in ns, so a step of the wall clock changes nothing.
 *
 * <p>Child processes inherit the anchor in the environment. On Linux {@code nanoTime} is CLOCK_MONOTONIC, so Python and
 * Java can use the same anchor. On other systems an inherited anchor is ignored.
 */
public record RunClock(long anchorNs) {

    /** The environment variable that carries the anchor. */
    public static final String ANCHOR_VARIABLE = "SWITCHOVER_CLOCK_ANCHOR";

    private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,18}|-?[0-8][0-9]{18}");
    private static final Path UPTIME = Path.of("/proc/uptime");
    private static final int READINGS = 5;

    /** Returns a clock with the anchor of the parent process, or with a new anchor. */
    public static RunClock ofProcess() {
        return of(System::getenv, System.getProperty("os.name", ""));
    }

    static RunClock of(UnaryOperator<String> environment, String system) {
        String inherited = environment.apply(ANCHOR_VARIABLE);
        boolean usable = inherited != null
                && system.equals("Linux")
                && NUMBER.matcher(inherited).matches();
        return new RunClock(usable ? Long.parseLong(inherited) : takeAnchor());
    }

    public long nowNs() {
        return System.nanoTime() + anchorNs;
    }

    public long nowUs() {
        return Units.usOfNs(nowNs());
    }

    /** Converts a value of {@link System#nanoTime} to this clock. */
    public long fromNanoTime(long nanoTime) {
        return nanoTime + anchorNs;
    }

    /** Converts a recent wall-clock time of this machine to this clock. */
    public long fromWallNs(long wallNs) {
        return wallNs + nowNs() - wallNs();
    }

    /** Measures the wall clock minus the monotonic clock. The shortest of several measurements is used. */
    private static long takeAnchor() {
        long width = Long.MAX_VALUE;
        long anchor = 0;
        for (int i = 0; i < READINGS; i++) {
            long before = System.nanoTime();
            long wall = wallNs();
            long after = System.nanoTime();
            if (after - before < width) {
                width = after - before;
                anchor = wall - (before + (after - before) / 2);
            }
        }
        return anchor;
    }

    public static long wallNs() {
        Instant now = Instant.now();
        return now.getEpochSecond() * Units.NS_PER_S + now.getNano();
    }

    /**
     * Returns the seconds since this machine started, including a suspension, which Java's clocks do not include.
     * Systems without {@code /proc/uptime} return the wall clock, so use only differences.
     */
    public static double bootSeconds() {
        try {
            return Double.parseDouble(Files.readString(UPTIME).split(" ", 2)[0]);
        } catch (IOException | NumberFormatException error) {
            return Units.nowS();
        }
    }
}
