package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.Point;
import java.util.Locale;

/**
 * One line of an ownership source.
 *
 * @param state VRRP's state; empty where only the address was seen
 * @param holds whether the node had the address; null where the line does not tell
 * @param lost from here on it is not known whether it has
 */
public record OwnershipChange(long atUs, String state, Boolean holds, boolean lost) {

    private static final String MASTER = "MASTER";

    static OwnershipChange of(Point point) {
        String said = point.text("state").toUpperCase(Locale.ROOT);
        boolean seen = point.fields().get("holds_vip") instanceof FieldValue.Flag;
        Boolean holds = said.isEmpty() ? null : (Boolean) said.equals(MASTER);
        if (point.fields().get("holds_vip") instanceof FieldValue.Flag flag) {
            holds = flag.value();
        }
        return new OwnershipChange(point.timeUs(), said, holds, !seen && said.isEmpty());
    }

    /** It says who owns the address, or that it is not known any more. */
    public boolean tells() {
        return holds != null || lost;
    }

    /** The node became master, or got the address. */
    boolean takesAddress() {
        return state.equals(MASTER) || Boolean.TRUE.equals(holds);
    }

    boolean seesAddress() {
        return state.isEmpty() && holds != null;
    }

    OwnershipChange withoutOwner() {
        return new OwnershipChange(atUs, state, null, lost);
    }
}
