package io.github.switchover.jmeter.judge;

/** A stretch of time, [from, to). */
record Interval(long fromUs, long toUs) {

    boolean overlaps(Interval other) {
        return fromUs < other.toUs && other.fromUs < toUs;
    }

    long lengthUs() {
        return toUs - fromUs;
    }

    /** Whole milliseconds, halves to the even one. */
    long milliseconds() {
        return (long) Math.rint(lengthUs() / 1000.0);
    }

    /** The nearest time within it, its ends included. */
    long clamp(long atUs) {
        return Math.min(Math.max(atUs, fromUs), toUs);
    }
}
