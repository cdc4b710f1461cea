package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.view.live.Picture;

/** How much of the run the timeline shows. */
enum Window {
    AUTO("auto"),
    MINUTES_5("5 min"),
    MINUTES_15("15 min"),
    ALL("whole run");

    /** A run that has just begun fills the width bit by bit. */
    private static final double SHORTEST_S = 30;

    private final String words;

    Window(String words) {
        this.words = words;
    }

    @Override
    public String toString() {
        return words;
    }

    /** The last second that is shown; the present one is not whole yet. */
    static double endS(Picture picture) {
        double end = picture.state() == Picture.State.RUNNING
                ? Math.floor(picture.nowUs() / 1e6)
                : Math.ceil(picture.nowUs() / 1e6);
        if (picture.state() != Picture.State.RUNNING && !picture.stretches().isEmpty()) {
            int last = picture.stretches().size() - 1;
            end = Math.max(end, (double) picture.stretches().get(last).endS());
        }
        return Math.max(end, (double) picture.beginS() + SHORTEST_S);
    }

    double beginS(Picture picture) {
        double begin = (double) picture.beginS();
        double end = endS(picture);
        return switch (this) {
            case AUTO -> picture.state() == Picture.State.RUNNING ? Math.max(begin, end - 300) : begin;
            case MINUTES_5 -> Math.max(begin, end - 300);
            case MINUTES_15 -> Math.max(begin, end - 900);
            case ALL -> begin;
        };
    }
}
