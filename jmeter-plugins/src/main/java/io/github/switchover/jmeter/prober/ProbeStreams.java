package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.http.Destination;
import io.github.switchover.jmeter.http.Request;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What the prober sends, and when.
 *
 * @param feeds the streams that there are, for the loop
 * @param alarms second schedules of the same due times, for the alarm
 */
record ProbeStreams(Map<ProbeStream, Loop.Feed> feeds, List<Schedule> alarms) {

    /** Sent with every probe. */
    private static final String USER_AGENT = "switchover-prober";

    /** The first probe is due one head start from now. */
    static ProbeStreams of(ProberSettings settings, Destination destination, RunClock clock) {
        ProbeStreams streams = new ProbeStreams(new EnumMap<>(ProbeStream.class), new ArrayList<>());
        long startNs = firstDueNs(settings, clock);
        streams.add(ProbeStream.FRESH, settings, destination, settings.rate(), startNs);
        if (settings.keptRate() > 0) {
            // Half an interval apart, so that neither holds up the other; on a whole µs, as the first is.
            long keptNs =
                    startNs + Math.round(0.5 * Units.NS_PER_S / settings.rate()) / Units.NS_PER_US * Units.NS_PER_US;
            streams.add(ProbeStream.KEPT, settings, destination, settings.keptRate(), keptNs);
        }
        return streams;
    }

    /** On a whole µs of the run's clock, so that recorded due times lie exactly on the grid. */
    private static long firstDueNs(ProberSettings settings, RunClock clock) {
        long us = (clock.nowNs() + settings.headStartNs()) / Units.NS_PER_US;
        return us * Units.NS_PER_US - clock.anchorNs();
    }

    private void add(
            ProbeStream stream, ProberSettings settings, Destination destination, double perSecond, long t0Ns) {
        Rate rate = Rate.of(perSecond);
        boolean keep = stream == ProbeStream.KEPT;
        Request request = Request.get(settings.endpoint(), destination, settings.timeouts(), USER_AGENT, keep, 0);
        feeds.put(stream, new Loop.Feed(new StreamAccount(new Schedule(t0Ns, rate, settings.staleNs())), request));
        alarms.add(new Schedule(t0Ns, rate, settings.staleNs()));
    }
}
