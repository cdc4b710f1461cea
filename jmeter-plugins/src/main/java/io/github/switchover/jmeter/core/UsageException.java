package io.github.switchover.jmeter.core;

/** A setting or its value. */
public class UsageException extends SwitchoverException {

    private static final long serialVersionUID = 1L;

    public UsageException(String message) {
        super(message);
    }

    public UsageException(String message, Throwable cause) {
        super(message, cause);
    }
}
