package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.view.live.RunSnapshot;

/** How much of the run the timeline shows. */
enum TimelineWindow {
    AUTO("auto"),
    MINUTES_5("5 min"),
    MINUTES_15("15 min"),
    ALL("whole run");

    /** A run that has just begun fills the width bit by bit. */
    private static final double SHORTEST_S = 30;

    private final String words;

    TimelineWindow(String words) {
        this.words = words;
    }

    @Override
    public String toString() {
        return words;
    }

    /** The last second that is shown; the present one is not whole yet. */
    static double endS(RunSnapshot snapshot) {
        double end = snapshot.state() == RunSnapshot.RunState.RUNNING
                ? Math.floor(Units.secondsOfUs(snapshot.time().nowUs()))
                : Math.ceil(Units.secondsOfUs(snapshot.time().nowUs()));
        if (snapshot.state() != RunSnapshot.RunState.RUNNING
                && !snapshot.traffic().stretches().isEmpty()) {
            int last = snapshot.traffic().stretches().size() - 1;
            end = Math.max(
                    end, (double) snapshot.traffic().stretches().get(last).endS());
        }
        return Math.max(end, (double) snapshot.time().beginS() + SHORTEST_S);
    }

    double beginS(RunSnapshot snapshot) {
        double begin = (double) snapshot.time().beginS();
        double end = endS(snapshot);
        return switch (this) {
            case AUTO -> snapshot.state() == RunSnapshot.RunState.RUNNING ? Math.max(begin, end - 300) : begin;
            case MINUTES_5 -> Math.max(begin, end - 300);
            case MINUTES_15 -> Math.max(begin, end - 900);
            case ALL -> begin;
        };
    }
}
