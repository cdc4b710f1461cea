package io.github.switchover.jmeter.core;

/** A source of telemetry that gave no usable answer. */
public class SourceException extends SwitchoverException {

    private static final long serialVersionUID = 1L;

    public SourceException(String message) {
        super(message);
    }

    public SourceException(String message, Throwable cause) {
        super(message, cause);
    }
}
