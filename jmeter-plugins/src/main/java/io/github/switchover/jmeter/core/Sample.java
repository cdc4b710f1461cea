package io.github.switchover.jmeter.core;

/**
 * One request as the client saw it; times are microseconds since the epoch, on the run's clock.
 *
 * @param intendedUs when it was due by its schedule; null in a closed loop
 * @param code HTTP status; without an answer empty, or JMeter's {@code Non HTTP response code: } and a class
 * @param latencyUs from start to the first byte of the answer
 * @param connectUs from start to the established connection, TLS included; 0 on a kept one
 * @param error null if it did not fail, or the reason is unknown
 * @param attempts how often the client really sent the request
 * @param stream {@code fresh} connection, {@code kept} connection, or empty
 * @param session the sticky cookie's value, hashed
 * @param users how many were active in the client's process
 * @param groupUsers how many of them in the request's thread group
 */
public record Sample(
        long startUs,
        long endUs,
        Long intendedUs,
        String label,
        String code,
        String message,
        String thread,
        boolean success,
        String failureMessage,
        long nbytes,
        long sentBytes,
        String url,
        long latencyUs,
        long connectUs,
        Identity identity,
        FailureKind error,
        long attempts,
        String stream,
        String session,
        long users,
        long groupUsers) {}
