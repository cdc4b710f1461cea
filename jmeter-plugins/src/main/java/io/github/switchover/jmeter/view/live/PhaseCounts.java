package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.run.RequestCounts;

/**
 * What ended in a phase, to the second.
 *
 * @param requests null where there were none to count
 * @param probes null without a prober
 */
public record PhaseCounts(String phase, RequestCounts requests, RequestCounts probes) {}
