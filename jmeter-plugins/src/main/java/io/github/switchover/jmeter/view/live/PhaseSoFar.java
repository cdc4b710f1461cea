package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.judge.PhaseName;

/**
 * Whole seconds of a phase.
 *
 * @param toS null: it is the present one
 * @param clean it has ended because the service, which had been impaired, was good again
 */
record PhaseSoFar(PhaseName name, long fromS, Long toS, boolean clean) {}
