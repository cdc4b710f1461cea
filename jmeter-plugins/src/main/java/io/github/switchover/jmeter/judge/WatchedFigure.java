package io.github.switchover.jmeter.judge;

/** A figure, and the stretch of the run in which the probes had to look for it. */
record WatchedFigure(String name, Outage outage, long sinceUs, long untilUs) {}
