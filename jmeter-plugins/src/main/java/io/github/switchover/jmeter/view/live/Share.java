package io.github.switchover.jmeter.view.live;

/**
 * What one backend or balancer answered.
 *
 * @param share of what somebody answered; null before the first answer
 * @param recent the same of the last seconds of the load
 * @param expected by weight; null where no weight is known
 */
public record Share(String name, long count, Double share, Double recent, Double expected) {}
