package io.github.switchover.jmeter.judge;

/**
 * How long good and late answers took, seen from the schedule and from the actual send; failures have no answer to time.
 *
 * <p>The two differ where the client was held up: a client that waits for an answer before it sends the next request
 * leaves out what it would have sent meanwhile (coordinated omission). Only the first view shows that.
 *
 * @param fromSchedule null where nothing was scheduled (a closed loop)
 */
public record Latency(Percentiles fromSchedule, Percentiles fromSend) {}
