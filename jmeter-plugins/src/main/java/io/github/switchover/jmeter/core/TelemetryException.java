package io.github.switchover.jmeter.core;

/** A source of telemetry that gave no usable answer. */
public class TelemetryException extends SwitchoverException {

    private static final long serialVersionUID = 1L;

    public TelemetryException(String message) {
        super(message);
    }

    public TelemetryException(String message, Throwable cause) {
        super(message, cause);
    }
}
