package io.github.switchover.jmeter.core;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * Generation time from the monotonic clock, so that a stepped wall clock changes nothing.
 *
 * <p>One process takes the anchor, the wall clock less {@link System#nanoTime}, and hands it to its children in the
 * environment: then all of them agree exactly. On Linux {@code nanoTime} is CLOCK_MONOTONIC, the clock of Python's
 * {@code time.monotonic_ns}. So an anchor of either language is valid in the other. On other systems the clock's
 * origin is undefined, and an inherited anchor is not used.
 *
 * @param anchorNs the ns to add to the monotonic clock
 */
public record RunClock(long anchorNs) {

    /** The environment variable that carries the anchor. */
    public static final String ANCHOR_VARIABLE = "SWITCHOVER_CLOCK_ANCHOR";

    private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,18}|-?[0-8][0-9]{18}");
    private static final int READINGS = 5;

    /** The anchor that the parent handed down, or a new one. */
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

    /** A reading of {@link System#nanoTime} on this time line. */
    public long fromNanoTime(long nanoTime) {
        return nanoTime + anchorNs;
    }

    /** A wall-clock reading of this machine, taken about now, on this time line. */
    public long fromWallNs(long wallNs) {
        return wallNs + nowNs() - wallNs();
    }

    /** The wall clock less the monotonic clock, from the narrowest of a few bracketed readings. */
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
     * Seconds since this machine was started, the time that it was suspended included, which Java's own clocks leave
     * out.
     */
    public static final class BootTime {

        private static final Path UPTIME = Path.of("/proc/uptime");

        private BootTime() {}

        /** The seconds of a clock for differences only; if the system has no such clock, of the wall clock. */
        public static double seconds() {
            try {
                return Double.parseDouble(Files.readString(UPTIME).split(" ", 2)[0]);
            } catch (IOException | NumberFormatException error) {
                return Units.nowS();
            }
        }
    }
}
