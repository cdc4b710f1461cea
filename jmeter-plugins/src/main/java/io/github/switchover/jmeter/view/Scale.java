package io.github.switchover.jmeter.view;

/**
 * Where times and rates stand in the timeline. Rates above the axis and below it have one unit.
 *
 * @param up the highest rate above the axis
 * @param down the highest below it
 * @param top where {@code up} stands, in pixels
 * @param bottom where {@code down} stands
 */
record Scale(double fromS, double toS, int left, int right, double up, double down, int top, int bottom) {

    private static final double[] ROUND = {1, 1.5, 2, 3, 4, 5, 6, 8, 10};
    private static final long[] STEPS_S = {5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400};

    int x(double seconds) {
        double share = (seconds - fromS) / (toS - fromS);
        return left + (int) Math.round(Math.min(Math.max(share, 0), 1) * (right - left));
    }

    int x(long seconds) {
        return x((double) seconds);
    }

    double seconds(int x) {
        return fromS + (double) (x - left) / (right - left) * (toS - fromS);
    }

    int axis() {
        return y(0);
    }

    /** Of a rate above the axis; below it where negative. */
    int y(double rate) {
        return top + (int) Math.round((up - rate) / (up + down) * (bottom - top));
    }

    /** The next round number above. */
    static double ceiling(double value) {
        double power = Math.pow(10, Math.floor(Math.log10(value)));
        for (double step : ROUND) {
            if (step * power >= value * 1.02) {
                return step * power;
            }
        }
        return 15 * power;
    }

    /** Seconds between two labels of the time axis. */
    long step(int labels) {
        for (long step : STEPS_S) {
            if ((toS - fromS) / step <= labels) {
                return step;
            }
        }
        return (long) Math.ceil((toS - fromS) / labels / 86400) * 86400;
    }
}
