package io.github.switchover.jmeter.recording;

import io.github.switchover.jmeter.identity.Identity;
import io.github.switchover.jmeter.samples.FailureKind;
import java.net.URL;

/**
 * What was taken of a result while its thread waited: no body, no headers, and nothing made readable yet.
 *
 * @param worker the process that made it; empty for this one
 * @param url null: none
 * @param error null: as code and message say, if it failed
 */
record Taken(
        String worker,
        long startUs,
        long endUs,
        String label,
        String code,
        String message,
        String thread,
        boolean success,
        String failureMessage,
        long nbytes,
        long sentBytes,
        URL url,
        long latencyMs,
        long connectMs,
        Identity identity,
        FailureKind error,
        String stream,
        String session,
        int users) {}
