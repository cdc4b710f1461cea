package io.github.switchover.jmeter.view.live;

import java.util.Map;

/**
 * What is to be fired by itself; null is what is not known, or is left to a Master Kill.
 *
 * @param atS after the start of the run, like {@code healAtS}
 * @param armed a fault may be fired at all
 */
record PlannedFault(String fault, Double atS, Double healAtS, Boolean armed) {

    static final PlannedFault NONE = new PlannedFault(null, null, null, null);

    static PlannedFault of(Map<String, Object> settings) {
        return new PlannedFault(
                settings.get("fault_planned") instanceof String fault ? fault : null,
                seconds(settings.get("fault_at_s")),
                seconds(settings.get("heal_at_s")),
                settings.get("armed") instanceof Boolean armed ? armed : null);
    }

    private static Double seconds(Object value) {
        return value instanceof Number number ? (Double) number.doubleValue() : null;
    }
}
