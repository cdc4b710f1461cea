package io.github.switchover.jmeter.run;

import java.util.Map;

/**
 * What a node's access log grew by.
 *
 * @param lines null if {@code warning} says why that is not known
 * @param byStatus lines of another form than {@code combined} count as {@code unread}
 * @param warning null: all is well
 */
public record AccessLogFacts(Long lines, Map<String, Long> byStatus, Map<String, Long> byRemote, String warning) {}
