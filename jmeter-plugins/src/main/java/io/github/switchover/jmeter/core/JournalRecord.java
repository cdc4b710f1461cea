package io.github.switchover.jmeter.core;

import java.util.Map;

/**
 * What one journal holds, up to its first damage.
 *
 * @param damage where it is not as it was when it was closed; in a stretch without a seal, its first line that is no
 *     point; null: it is whole
 * @param lastNs the time of its latest point
 * @param isEnded it has the event with which a run ends
 * @param counts of a journal without a seal, by measurement: the requests that its points stand for
 */
public record JournalRecord(
        String name, boolean isSealed, Damage damage, long lastNs, boolean isEnded, Map<String, Long> counts) {}
