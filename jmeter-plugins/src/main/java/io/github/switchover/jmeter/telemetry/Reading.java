package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.FieldValue;
import java.util.Map;

/** A point that is still without its time. Fields keep the order of their map. */
record Reading(String measurement, Map<String, String> tags, Map<String, FieldValue> fields) {}
