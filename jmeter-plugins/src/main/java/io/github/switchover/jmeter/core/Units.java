package io.github.switchover.jmeter.core;

/** Units of time: how many of one are in another, and times in another unit than they come in. */
public final class Units {

    public static final long NS_PER_US = 1000;
    public static final long NS_PER_MS = 1_000_000;
    public static final long NS_PER_S = 1_000_000_000;
    public static final long US_PER_MS = 1000;
    public static final long US_PER_S = 1_000_000;
    public static final double MS_PER_S = 1000;

    private Units() {}

    /** Seconds in ns, to the nearest. */
    public static long ns(double seconds) {
        return Math.round(seconds * NS_PER_S);
    }

    public static double secondsOfNs(long ns) {
        return ns / (double) NS_PER_S;
    }

    public static double secondsOfUs(long us) {
        return us / (double) US_PER_S;
    }

    public static double msOfNs(long ns) {
        return ns / (double) NS_PER_MS;
    }

    public static double msOfUs(long us) {
        return us / (double) US_PER_MS;
    }

    /** The microsecond that a time in ns lies in, before 1970 too. */
    public static long usOfNs(long ns) {
        return Math.floorDiv(ns, NS_PER_US);
    }

    /** The wall clock's, in seconds since the epoch. */
    public static double nowS() {
        return System.currentTimeMillis() / MS_PER_S;
    }
}
