package io.github.switchover.jmeter.view;

/** Where times and rates stand in the timeline. Rates above the axis and below it have one unit. */
record Scale(Times times, Rates rates) {

    /** From {@code left} to {@code right}, in pixels. */
    record Times(double fromS, double toS, int left, int right) {}

    /**
     * The highest of each direction, and where it stands, in pixels.
     *
     * @param up above the axis, at {@code top}
     * @param down below it, at {@code bottom}
     */
    record Rates(double up, double down, int top, int bottom) {
        static final Rates NONE = new Rates(1, 0, 0, 1);
    }

    private static final double[] ROUND = {1, 1.5, 2, 3, 4, 5, 6, 8, 10};
    private static final long[] STEPS_S = {5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400};

    double fromS() {
        return times.fromS;
    }

    double toS() {
        return times.toS;
    }

    double up() {
        return rates.up;
    }

    double down() {
        return rates.down;
    }

    int top() {
        return rates.top;
    }

    int bottom() {
        return rates.bottom;
    }

    int x(double seconds) {
        double share = (seconds - times.fromS) / (times.toS - times.fromS);
        return times.left + (int) Math.round(Math.min(Math.max(share, 0), 1) * (times.right - times.left));
    }

    int x(long seconds) {
        return x((double) seconds);
    }

    double seconds(int x) {
        double share = (double) (x - times.left) / (times.right - times.left);
        return times.fromS + share * (times.toS - times.fromS);
    }

    int axis() {
        return y(0);
    }

    /** Of a rate above the axis; below it where negative. */
    int y(double rate) {
        double share = (rates.up - rate) / (rates.up + rates.down);
        return rates.top + (int) Math.round(share * (rates.bottom - rates.top));
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
            if ((times.toS - times.fromS) / step <= labels) {
                return step;
            }
        }
        return (long) Math.ceil((times.toS - times.fromS) / labels / 86400) * 86400;
    }
}
