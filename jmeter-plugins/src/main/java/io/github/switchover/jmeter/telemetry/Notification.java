package io.github.switchover.jmeter.telemetry;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One line of Keepalived's notify FIFO.
 *
 * @param priority the effective one; null if it is not told
 */
record Notification(String instance, String state, Integer priority) {

    static final Set<String> ENDED = Set.of("STOP", "DELETED");

    private static final Set<String> STATES = Set.of("MASTER", "BACKUP", "FAULT", "STOP", "DELETED");
    private static final Pattern LINE =
            Pattern.compile("(INSTANCE|GROUP) \"([^\"\\x00-\\x1f]{1,128})\" ([A-Z_]{1,32})(?: ([0-9]{1,3}))?");

    /**
     * {@code INSTANCE "VI_1" MASTER 101}, or null for a group's line (its instances have lines of their own) and
     * garbage.
     *
     * <p>With {@code vrrp_notify_priority_changes} the word is MASTER_PRIORITY or BACKUP_PRIORITY: the state stays as it
     * is named, the priority is new. MASTER_RX_LOWER_PRI is a master that heard a lower one.
     */
    static Notification parse(String line) {
        Matcher match = LINE.matcher(line);
        if (!match.matches() || !match.group(1).equals("INSTANCE")) {
            return null;
        }
        String state = match.group(3).replaceFirst("_PRIORITY$", "").replaceFirst("_RX_LOWER_PRI$", "");
        if (!STATES.contains(state)) {
            return null;
        }
        String priority = match.group(4);
        return new Notification(match.group(2), state, priority == null ? null : Integer.valueOf(priority));
    }
}
