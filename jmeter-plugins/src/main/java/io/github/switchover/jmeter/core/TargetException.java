package io.github.switchover.jmeter.core;

/** A target file that does not say what it must. */
public class TargetException extends SwitchoverException {

    private static final long serialVersionUID = 1L;

    public TargetException(String message) {
        super(message);
    }

    public TargetException(String message, Throwable cause) {
        super(message, cause);
    }
}
